package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;

import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.ats.arjuna.common.Uid;
import com.arjuna.ats.arjuna.exceptions.ObjectStoreException;
import com.arjuna.ats.arjuna.objectstore.ObjectStoreAPI;
import com.arjuna.ats.arjuna.objectstore.StateStatus;
import com.arjuna.ats.internal.arjuna.objectstore.ShadowNoFileLockStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same calls to the adaptor and to Narayana's file store, which has the whole contract. Where they may differ is
 * said here, in {@link #DIFFERENT} and in {@link Model}, and nowhere else.
 */
class FileStoreOracleTest {
    private static final String TYPE = "/StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction";
    private static final String SHORT_TYPE = "StateManager/LockManager";

    /** The steps of the script whose answers differ, and ours. */
    private static final Map<String, String> DIFFERENT = Map.of(
            "read_committed while there is an uncommitted state", "v1",
            "allTypes after the last state is removed", "[]");

    @TempDir
    private Path directory;

    private ObjectStoreAPI oracle;
    private TallystickObjectStore adaptor;

    @BeforeEach
    void openOracle() throws ObjectStoreException {
        ObjectStoreEnvironmentBean bean = new ObjectStoreEnvironmentBean();
        bean.setObjectStoreDir(directory.resolve("oracle").toString());
        bean.setObjectStoreSync(false);
        oracle = new ShadowNoFileLockStore(bean);
    }

    @AfterEach
    void stop() {
        if (adaptor != null) {
            adaptor.stop();
        }
    }

    @ParameterizedTest
    @EnumSource
    void theScriptHasTheSameAnswers(StoreKind kind) throws ObjectStoreException {
        kind.assumeAvailable(directory);
        adaptor = new TallystickObjectStore(kind.open(directory.resolve("store")));
        List<String> expected = new ArrayList<>();
        List<String> found = new ArrayList<>();
        for (Step step : script()) {
            String answer = step.call.on(oracle);
            expected.add(step.name + ": " + DIFFERENT.getOrDefault(step.name, answer));
            found.add(step.name + ": " + step.call.on(adaptor));
        }
        assertThat(found).isEqualTo(expected);
    }

    private static List<Step> script() {
        Uid uid = NarayanaView.uid(1);
        Uid other = NarayanaView.uid(2);
        return List.of(
                new Step("read_committed of nothing", store -> NarayanaView.text(store.read_committed(uid, TYPE))),
                new Step("read_uncommitted of nothing", store -> NarayanaView.text(store.read_uncommitted(uid, TYPE))),
                new Step("remove_committed of nothing", store -> "" + store.remove_committed(uid, TYPE)),
                new Step("remove_uncommitted of nothing", store -> "" + store.remove_uncommitted(uid, TYPE)),
                new Step("currentState of nothing", store -> "" + store.currentState(uid, TYPE)),
                new Step("isType of nothing", store -> "" + store.isType(uid, TYPE, StateStatus.OS_UNKNOWN)),
                new Step("commit_state of nothing", store -> "" + store.commit_state(uid, TYPE)),
                new Step("hide_state of nothing", store -> "" + store.hide_state(uid, TYPE)),
                new Step("reveal_state of nothing", store -> "" + store.reveal_state(uid, TYPE)),
                new Step("allTypes of an empty store", store -> "" + NarayanaView.types(store)),
                new Step("allObjUids of an unknown type", store -> "" + NarayanaView.uids(store, "/No/Such")),
                new Step("write_committed", store -> "" + write(store, uid, TYPE, "v1")),
                new Step("currentState after write_committed", store -> "" + store.currentState(uid, TYPE)),
                new Step("isType", store -> "" + store.isType(uid, TYPE, StateStatus.OS_COMMITTED)),
                new Step("isType of another state", store -> "" + store.isType(uid, TYPE, StateStatus.OS_UNCOMMITTED)),
                new Step("read_committed", store -> NarayanaView.text(store.read_committed(uid, TYPE))),
                new Step("allTypes after a write", store -> "" + NarayanaView.types(store)),
                new Step("commit_state without one", store -> "" + store.commit_state(uid, TYPE)),
                new Step("write_uncommitted", store -> "" + writeUncommitted(store, uid, TYPE, "v2")),
                new Step("currentState after write_uncommitted", store -> "" + store.currentState(uid, TYPE)),
                new Step(
                        "read_committed while there is an uncommitted state",
                        store -> NarayanaView.text(store.read_committed(uid, TYPE))),
                new Step("read_uncommitted", store -> NarayanaView.text(store.read_uncommitted(uid, TYPE))),
                new Step("allObjUids, any", store -> "" + NarayanaView.uids(store, TYPE)),
                new Step(
                        "allObjUids, uncommitted",
                        store -> "" + NarayanaView.uids(store, TYPE, StateStatus.OS_UNCOMMITTED)),
                new Step(
                        "allObjUids, committed",
                        store -> "" + NarayanaView.uids(store, TYPE, StateStatus.OS_COMMITTED)),
                new Step("commit_state", store -> "" + store.commit_state(uid, TYPE)),
                new Step("read after commit_state", store -> NarayanaView.text(store.read_committed(uid, TYPE))),
                new Step("read_uncommitted after", store -> NarayanaView.text(store.read_uncommitted(uid, TYPE))),
                new Step("write_uncommitted again", store -> "" + writeUncommitted(store, uid, TYPE, "v3")),
                new Step("remove_uncommitted", store -> "" + store.remove_uncommitted(uid, TYPE)),
                new Step("remove_uncommitted again", store -> "" + store.remove_uncommitted(uid, TYPE)),
                new Step("read after it", store -> NarayanaView.text(store.read_committed(uid, TYPE))),
                new Step("hide_state", store -> "" + store.hide_state(uid, TYPE)),
                new Step("currentState of a hidden state", store -> "" + store.currentState(uid, TYPE)),
                new Step("hide_state again", store -> "" + store.hide_state(uid, TYPE)),
                new Step("read of a hidden state", store -> NarayanaView.text(store.read_committed(uid, TYPE))),
                new Step("allObjUids with a hidden state", store -> "" + NarayanaView.uids(store, TYPE)),
                new Step(
                        "allObjUids, hidden",
                        store -> "" + NarayanaView.uids(store, TYPE, StateStatus.OS_COMMITTED_HIDDEN)),
                new Step("reveal_state", store -> "" + store.reveal_state(uid, TYPE)),
                new Step("reveal_state again", store -> "" + store.reveal_state(uid, TYPE)),
                new Step("read of a revealed state", store -> NarayanaView.text(store.read_committed(uid, TYPE))),
                new Step("uncommitted beside it", store -> "" + writeUncommitted(store, uid, TYPE, "v4")),
                new Step("hide_state of both", store -> "" + store.hide_state(uid, TYPE)),
                new Step("currentState of both", store -> "" + store.currentState(uid, TYPE)),
                new Step("read_uncommitted of both", store -> NarayanaView.text(store.read_uncommitted(uid, TYPE))),
                new Step("reveal_state of both", store -> "" + store.reveal_state(uid, TYPE)),
                new Step("commit_state of both", store -> "" + store.commit_state(uid, TYPE)),
                new Step("read of both", store -> NarayanaView.text(store.read_committed(uid, TYPE))),
                new Step("a type without a slash", store -> "" + write(store, other, SHORT_TYPE, "s")),
                new Step("read with it", store -> NarayanaView.text(store.read_committed(other, '/' + SHORT_TYPE))),
                new Step("allObjUids with it", store -> "" + NarayanaView.uids(store, '/' + SHORT_TYPE)),
                new Step("allObjUids without it", store -> "" + NarayanaView.uids(store, SHORT_TYPE)),
                new Step(
                        "a slash at the end",
                        store -> NarayanaView.text(store.read_committed(other, SHORT_TYPE + '/'))),
                new Step("allObjUids of a parent", store -> "" + NarayanaView.uids(store, "/StateManager")),
                new Step("allTypes of two", store -> "" + new TreeSet<>(NarayanaView.types(store))),
                new Step("remove_committed", store -> "" + store.remove_committed(uid, TYPE)),
                new Step("remove_committed again", store -> "" + store.remove_committed(uid, TYPE)),
                new Step("currentState after it", store -> "" + store.currentState(uid, TYPE)),
                new Step("allObjUids after it", store -> "" + NarayanaView.uids(store, TYPE)),
                new Step("remove the other", store -> "" + store.remove_committed(other, '/' + SHORT_TYPE)),
                new Step("allTypes after the last state is removed", store -> "" + NarayanaView.types(store)),
                new Step("fullCommitNeeded", store -> "" + store.fullCommitNeeded()),
                new Step("sync", store -> {
                    try {
                        store.sync();
                        return "returned";
                    } catch (java.io.SyncFailedException failed) {
                        return failed.toString();
                    }
                }));
    }

    @ParameterizedTest(name = "{0} seed={1}")
    @MethodSource("kindsAndSeeds")
    void aRandomScriptHasTheSameAnswers(StoreKind kind, long seed) throws ObjectStoreException {
        adaptor = new TallystickObjectStore(kind.open(directory.resolve("store")));
        Random random = new Random(seed);
        Model model = new Model();
        List<String> history = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            Uid uid = NarayanaView.uid(random.nextInt(4));
            String type =
                    List.of(TYPE, SHORT_TYPE, '/' + SHORT_TYPE, "StateManager").get(random.nextInt(4));
            Step step = step(random, model, uid, type, i);
            history.add(step.name + " of " + uid + ' ' + type);
            assertThat(step.call.on(adaptor))
                    .as("seed=%d, after %s", seed, history)
                    .isEqualTo(step.call.on(oracle));
            if (i % 5 == 0) {
                checkScans(model, history);
            }
        }
    }

    static Stream<Arguments> kindsAndSeeds() {
        return StoreKind.plain().flatMap(kind -> LongStream.rangeClosed(1, kind.isDurable() ? 2 : 8)
                .mapToObj(seed -> Arguments.of(kind, seed)));
    }

    private Step step(Random random, Model model, Uid uid, String type, int number) {
        String value = "value " + number;
        while (true) {
            switch (random.nextInt(10)) {
                case 0, 1 -> {
                    if (model.mayMutate(uid, type)) {
                        model.of(uid, type).committed = true;
                        return new Step("write_committed", store -> "" + write(store, uid, type, value));
                    }
                }
                case 2, 3 -> {
                    if (model.mayMutate(uid, type)) {
                        model.of(uid, type).shadow = true;
                        return new Step("write_uncommitted", store -> "" + writeUncommitted(store, uid, type, value));
                    }
                }
                case 4 -> {
                    if (model.mayMutate(uid, type)) {
                        model.of(uid, type).committed |= model.of(uid, type).shadow;
                        model.of(uid, type).shadow = false;
                        return new Step("commit_state", store -> "" + store.commit_state(uid, type));
                    }
                }
                case 5 -> {
                    if (model.mayMutate(uid, type)) {
                        model.of(uid, type).committed = false;
                        return new Step("remove_committed", store -> "" + store.remove_committed(uid, type));
                    }
                }
                case 6 -> {
                    if (model.mayMutate(uid, type)) {
                        model.of(uid, type).shadow = false;
                        return new Step("remove_uncommitted", store -> "" + store.remove_uncommitted(uid, type));
                    }
                }
                case 7 -> {
                    if (random.nextBoolean()) {
                        model.of(uid, type).hidden = model.of(uid, type).exists();
                        return new Step("hide_state", store -> "" + store.hide_state(uid, type));
                    }
                    model.of(uid, type).hidden = false;
                    return new Step("reveal_state", store -> "" + store.reveal_state(uid, type));
                }
                case 8 -> {
                    return new Step("currentState", store -> "" + store.currentState(uid, type));
                }
                default -> {
                    if (model.of(uid, type).shadow) {
                        return new Step(
                                "read_uncommitted", store -> NarayanaView.text(store.read_uncommitted(uid, type)));
                    }
                    return new Step("read_committed", store -> NarayanaView.text(store.read_committed(uid, type)));
                }
            }
        }
    }

    private void checkScans(Model model, List<String> history) throws ObjectStoreException {
        for (String type : List.of(TYPE, SHORT_TYPE, "StateManager")) {
            if (model.oracleListsAll(type)) {
                for (int match : new int[] {StateStatus.OS_UNKNOWN, 1, 2, 5, 6}) {
                    assertThat(NarayanaView.uids(adaptor, type, match))
                            .as("Uids of %s in state %d after %s", type, match, history)
                            .containsExactlyInAnyOrderElementsOf(NarayanaView.uids(oracle, type, match));
                }
            }
        }
        assertThat(NarayanaView.types(adaptor))
                .as("types after %s", history)
                .containsExactlyInAnyOrderElementsOf(model.types())
                .isSubsetOf(NarayanaView.types(oracle));
    }

    private static boolean write(ObjectStoreAPI store, Uid uid, String type, String text) throws ObjectStoreException {
        return store.write_committed(uid, type, NarayanaView.state(uid, type, text));
    }

    private static boolean writeUncommitted(ObjectStoreAPI store, Uid uid, String type, String text)
            throws ObjectStoreException {
        return store.write_uncommitted(uid, type, NarayanaView.state(uid, type, text));
    }

    private record Step(String name, Call call) {}

    private interface Call {
        String on(ObjectStoreAPI store) throws ObjectStoreException;
    }

    /** What a random script has made, as far as it decides where the two may differ. */
    private static final class Model {
        private final Map<String, Key> keys = new HashMap<>();

        Key of(Uid uid, String type) {
            String name = type.startsWith("/") ? type.substring(1) : type;
            return keys.computeIfAbsent(name + ' ' + uid, unused -> new Key(name));
        }

        // The oracle hides files, not states: a hidden state can be written over, but not removed, and comes back.
        boolean mayMutate(Uid uid, String type) {
            return !of(uid, type).hidden;
        }

        // The oracle does not list a hidden uncommitted state that has no committed one.
        boolean oracleListsAll(String type) {
            String name = type.startsWith("/") ? type.substring(1) : type;
            return keys.values().stream()
                    .noneMatch(key -> key.type.equals(name) && key.hidden && key.shadow && !key.committed);
        }

        // The oracle lists what was ever written.
        TreeSet<String> types() {
            TreeSet<String> types = new TreeSet<>();
            for (Key key : keys.values()) {
                for (int end = key.exists() ? key.type.length() : -1;
                        end > 0;
                        end = key.type.lastIndexOf('/', end - 1)) {
                    types.add(key.type.substring(0, end));
                }
            }
            return types;
        }
    }

    private static final class Key {
        private final String type;
        private boolean committed;
        private boolean shadow;
        private boolean hidden;

        Key(String type) {
            this.type = type;
        }

        boolean exists() {
            return committed || shadow;
        }
    }
}
