package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;

import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.ats.arjuna.common.Uid;
import com.arjuna.ats.arjuna.exceptions.ObjectStoreException;
import com.arjuna.ats.arjuna.objectstore.ObjectStoreAPI;
import com.arjuna.ats.arjuna.objectstore.StateStatus;
import com.arjuna.ats.arjuna.state.InputObjectState;
import com.arjuna.ats.arjuna.state.OutputObjectState;
import com.arjuna.ats.internal.arjuna.objectstore.ShadowNoFileLockStore;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every method with arguments that no transaction passes, but a management client does or a mistake: the adaptor
 * answers what Narayana's file store answers, and throws {@link ObjectStoreException} where that throws anything.
 * Where they may differ is said in {@link #expected}.
 */
class OddArgumentsTest {
    private static final String TYPE = "/StateManager/Thing";
    private static final String REFUSED = "refused";

    private final Map<String, Call> calls = new LinkedHashMap<>();
    private final Map<String, Uid> uids = new LinkedHashMap<>();

    @TempDir
    private Path directory;

    private ObjectStoreAPI oracle;
    private TallystickObjectStore adaptor;

    @BeforeEach
    void openBoth() throws ObjectStoreException {
        ObjectStoreEnvironmentBean bean = new ObjectStoreEnvironmentBean();
        bean.setObjectStoreDir(directory.resolve("oracle").toString());
        bean.setObjectStoreSync(false);
        oracle = new ShadowNoFileLockStore(bean);
        adaptor = new TallystickObjectStore(StoreKind.INMEMORY.open(directory));
        Uid known = NarayanaView.uid(1);
        for (ObjectStoreAPI store : List.of(oracle, adaptor)) {
            store.write_committed(known, TYPE, NarayanaView.state(known, TYPE, "1"));
        }
        uids.put("known", known);
        uids.put("unknown", NarayanaView.uid(2));
    }

    @AfterEach
    void stop() {
        adaptor.stop();
    }

    @Test
    void typesThatAreNone() {
        for (String type : Arrays.asList(null, "", "/", "//", "///")) {
            addAll("type " + type, type);
        }
        assertThatBothAnswerAlike();
    }

    @Test
    void typesThatAreUnknownOrWrittenOtherwise() {
        for (String type : List.of(
                "StateManager",
                "/StateManager",
                "/StateManager/",
                TYPE + "/",
                TYPE + "//",
                "/" + TYPE,
                "StateManager//Thing",
                "/No/Such",
                "/No/Such/",
                "No",
                " ",
                "a b",
                "a:b",
                "#",
                "!")) {
            addAll("type " + type, type);
        }
        assertThatBothAnswerAlike();
    }

    @Test
    void uidsThatAreNone() {
        uids.clear();
        uids.put("null", null);
        uids.put("null Uid", Uid.nullUid());
        uids.put("invalid", new Uid("not a uid"));
        addAll("type " + TYPE, TYPE);
        assertThatBothAnswerAlike();
    }

    @Test
    void statesAndPlacesThatAreNone() {
        Uid uid = NarayanaView.uid(3);
        OutputObjectState empty = new OutputObjectState();
        OutputObjectState ofAnother = NarayanaView.state(NarayanaView.uid(4), "/Other", "2");
        calls.put("write_committed null", store -> store.write_committed(uid, TYPE, null));
        calls.put("write_uncommitted null", store -> store.write_uncommitted(uid, TYPE, null));
        calls.put("currentState after null", store -> store.currentState(uid, TYPE));
        calls.put("write_committed empty", store -> store.write_committed(uid, TYPE, empty));
        calls.put("currentState after empty", store -> store.currentState(uid, TYPE));
        calls.put("read_committed after empty", store -> shown(store.read_committed(uid, TYPE)));
        calls.put("allObjUids after empty", store -> sorted(store, TYPE, StateStatus.OS_UNKNOWN));
        calls.put("write_committed of another", store -> store.write_committed(uid, TYPE, ofAnother));
        calls.put("read_committed of another", store -> shown(store.read_committed(uid, TYPE)));
        calls.put("allObjUids into null", store -> store.allObjUids(TYPE, null));
        calls.put("allObjUids with match into null", store -> store.allObjUids(TYPE, null, StateStatus.OS_COMMITTED));
        calls.put("allTypes into null", store -> store.allTypes(null));
        calls.put("isType of no status", store -> store.isType(uids.get("known"), TYPE, 99));
        calls.put("isType of a negative status", store -> store.isType(uids.get("known"), TYPE, -1));
        for (int match : new int[] {-1, 99, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            calls.put("allObjUids match " + match, store -> sorted(store, TYPE, match));
        }
        assertThatBothAnswerAlike();
    }

    private void addAll(String what, String type) {
        calls.put("allObjUids, " + what, store -> sorted(store, type, StateStatus.OS_UNKNOWN));
        calls.put("allObjUids returns, " + what, store -> store.allObjUids(type, new InputObjectState()));
        for (int match : new int[] {
            StateStatus.OS_UNKNOWN,
            StateStatus.OS_COMMITTED,
            StateStatus.OS_UNCOMMITTED,
            StateStatus.OS_COMMITTED_HIDDEN
        }) {
            calls.put("allObjUids match " + match + ", " + what, store -> sorted(store, type, match));
        }
        uids.forEach((name, uid) -> {
            String which = ", " + what + ", Uid " + name;
            calls.put("currentState" + which, store -> store.currentState(uid, type));
            calls.put("isType" + which, store -> store.isType(uid, type, StateStatus.OS_COMMITTED));
            calls.put("isType unknown" + which, store -> store.isType(uid, type, StateStatus.OS_UNKNOWN));
            calls.put("read_committed" + which, store -> shown(store.read_committed(uid, type)));
            calls.put("read_uncommitted" + which, store -> shown(store.read_uncommitted(uid, type)));
            calls.put("hide_state" + which, store -> store.hide_state(uid, type));
            calls.put("reveal_state" + which, store -> store.reveal_state(uid, type));
            calls.put("commit_state" + which, store -> store.commit_state(uid, type));
            calls.put("remove_uncommitted" + which, store -> store.remove_uncommitted(uid, type));
            calls.put("remove_committed" + which, store -> store.remove_committed(uid, type));
            calls.put(
                    "write_uncommitted" + which,
                    store -> store.write_uncommitted(uid, type, NarayanaView.state(NarayanaView.uid(9), "/T", "u")));
            calls.put("commit_state after it" + which, store -> store.commit_state(uid, type));
            calls.put(
                    "write_committed" + which,
                    store -> store.write_committed(uid, type, NarayanaView.state(NarayanaView.uid(9), "/T", "c")));
            calls.put("read_committed after it" + which, store -> shown(store.read_committed(uid, type)));
            calls.put("allObjUids after it" + which, store -> sorted(store, type, StateStatus.OS_UNKNOWN));
            calls.put("remove_committed after it" + which, store -> store.remove_committed(uid, type));
        });
    }

    private void assertThatBothAnswerAlike() {
        Map<String, String> expected = new LinkedHashMap<>();
        Map<String, String> found = new LinkedHashMap<>();
        calls.forEach((name, call) -> {
            expected.put(name, expected(name, answer(call, oracle)));
            found.put(name, answer(call, adaptor));
        });
        assertThat(found).isEqualTo(expected);
    }

    /**
     * Our answer, from the oracle's. A type of slashes alone is no type here; there two slashes are one and one is
     * not. A Uid that is not valid is none here; there all of them are one.
     */
    private static String expected(String name, String answer) {
        if (name.contains("type //") && !name.contains("Thing")) {
            return name.startsWith("allObjUids") ? name.contains("returns") ? "true" : "[]" : REFUSED;
        }
        if (name.contains("Uid invalid") && !name.startsWith("allObjUids")) {
            return REFUSED;
        }
        return name.startsWith("remove_") && name.contains("type null") ? REFUSED : answer;
    }

    private static String answer(Call call, ObjectStoreAPI store) {
        try {
            return String.valueOf(call.on(store));
        } catch (ObjectStoreException refused) {
            return REFUSED;
        } catch (RuntimeException | AssertionError thrown) {
            assertThat(store).as(thrown.toString()).isNotInstanceOf(TallystickObjectStore.class);
            return REFUSED;
        }
    }

    private static List<String> sorted(ObjectStoreAPI store, String type, int match) throws ObjectStoreException {
        return NarayanaView.uids(store, type, match).stream()
                .map(Uid::toString)
                .sorted()
                .toList();
    }

    private static String shown(InputObjectState state) {
        return state == null ? "none" : HexFormat.of().formatHex(state.buffer());
    }

    private interface Call {
        Object on(ObjectStoreAPI store) throws ObjectStoreException;
    }
}
