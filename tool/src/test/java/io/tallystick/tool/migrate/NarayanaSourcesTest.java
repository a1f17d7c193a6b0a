package io.tallystick.tool.migrate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.arjuna.ats.arjuna.common.Uid;
import com.arjuna.ats.arjuna.objectstore.ObjectStoreAPI;
import com.arjuna.ats.arjuna.objectstore.StateStatus;
import com.arjuna.ats.arjuna.state.InputObjectState;
import com.arjuna.ats.arjuna.state.OutputObjectState;
import com.eclipsesource.json.JsonObject;
import io.tallystick.narayana.TallystickObjectStore;
import io.tallystick.narayana.logs.MigrationMark;
import io.tallystick.store.ObjectStore;
import io.tallystick.tool.TestStores;
import io.tallystick.tool.ToolRun;
import io.tallystick.tool.command.ExitStatus;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** States that Narayana's own stores have written, as Narayana sees them after a migration. */
class NarayanaSourcesTest {
    private static final String ACTION = "/StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction";
    private static final String OBJECT = "StateManager/LockManager/Order";

    private static final Uid REWRITTEN = uid(1);
    private static final Uid REMOVED = uid(2);
    private static final Uid SHADOW = uid(3);
    private static final Uid BOTH = uid(4);
    private static final Uid HIDDEN = uid(5);
    private static final Uid HIDDEN_SHADOW = uid(6);
    private static final Uid PLAIN = uid(-7);

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource
    void everyStateHasItsStatusAndItsBytes(NarayanaStore kind) throws Exception {
        Path old = Files.createDirectories(directory.resolve("old"));
        ObjectStoreAPI narayana = kind.open(old);
        fill(narayana, kind.hasShadows());
        narayana.stop();
        Map<String, String> before = TestStores.snapshot(old);

        JsonObject answer = migrate(kind, ExitStatus.OK).json();

        assertThat(answer.getString("outcome", "")).isEqualTo("migrated");
        assertThat(answer.getInt("states", 0)).isEqualTo(kind.hasShadows() ? 6 : 2);
        assertThat(answer.get("leftOut").asArray()).isEmpty();
        assertThatNothingButTheMarkIsNew(before, TestStores.snapshot(old), kind != NarayanaStore.TABLE);
        narayana = kind.open(old);
        try (ObjectStore store = TestStores.Kind.FILE.open(directory.resolve("new"))) {
            TallystickObjectStore ours = new TallystickObjectStore(store);
            for (Uid uid : List.of(REWRITTEN, REMOVED, SHADOW, BOTH, HIDDEN, HIDDEN_SHADOW, PLAIN)) {
                for (String type : List.of(ACTION, OBJECT)) {
                    assertThat(ours.currentState(uid, type))
                            .as(uid + " " + type)
                            .isEqualTo(narayana.currentState(uid, type));
                }
            }
            assertThat(text(ours.read_committed(REWRITTEN, ACTION))).isEqualTo("second");
            assertThat(text(ours.read_committed(PLAIN, OBJECT))).isEqualTo("plain");
            if (kind.hasShadows()) {
                assertThat(text(ours.read_uncommitted(SHADOW, OBJECT))).isEqualTo("shadow");
                assertThat(text(ours.read_committed(BOTH, OBJECT))).isEqualTo("committed");
                assertThat(text(ours.read_uncommitted(BOTH, OBJECT))).isEqualTo("next");
                assertThat(ours.read_committed(HIDDEN, OBJECT)).isNull();
                assertThat(ours.reveal_state(HIDDEN, OBJECT)).isTrue();
                assertThat(text(ours.read_committed(HIDDEN, OBJECT))).isEqualTo("hidden");
                assertThat(ours.reveal_state(HIDDEN_SHADOW, OBJECT)).isTrue();
                assertThat(text(ours.read_uncommitted(HIDDEN_SHADOW, OBJECT))).isEqualTo("hidden shadow");
            }
        } finally {
            narayana.stop();
        }
    }

    // The time of the directory with the mark is another one then.
    private static void assertThatNothingButTheMarkIsNew(
            Map<String, String> before, Map<String, String> after, boolean isMarked) {
        Map<String, String> rest = new TreeMap<>(after);
        Map<String, String> expected = new TreeMap<>(before);
        List<String> marks = after.keySet().stream()
                .filter(name -> name.endsWith(MigrationMark.FILE_NAME))
                .toList();
        assertThat(marks).hasSize(isMarked ? 1 : 0);
        for (String mark : marks) {
            String place = mark.substring(0, Math.max(0, mark.lastIndexOf('/')));
            rest.remove(mark);
            assertThat(rest.remove(place)).isNotNull();
            expected.remove(place);
        }
        assertThat(rest).as("the source").isEqualTo(expected);
    }

    @Test
    void aSlotThatACrashHasCutOffIsNamedAndOnlyLeftOutIfThatWasAskedFor() throws Exception {
        Path old = Files.createDirectories(directory.resolve("old"));
        ObjectStoreAPI narayana = NarayanaStore.SLOTS.open(old);
        fill(narayana, false);
        Files.write(old.resolve("slot.9"), ByteBuffer.allocate(64).putInt(40).array());

        assertThat(migrate(NarayanaStore.SLOTS, ExitStatus.NEGATIVE).err())
                .contains("slot.9")
                .contains("checksum")
                .contains("--leave-out-damaged");
        assertThat(directory.resolve("new/tallystick.store")).doesNotExist();

        JsonObject answer = migrate(NarayanaStore.SLOTS, ExitStatus.NEGATIVE, "--leave-out-damaged")
                .json();
        assertThat(answer.getInt("states", 0)).isEqualTo(2);
        assertThat(answer.get("leftOut").toString()).contains("slot.9");
    }

    @Test
    void ofTwoSlotsWithTheSameNameTheHigherCountsAsInNarayanaAndThatIsSaid() throws Exception {
        Path old = Files.createDirectories(directory.resolve("old"));
        ObjectStoreAPI narayana = NarayanaStore.SLOTS.open(old);
        narayana.write_committed(REWRITTEN, ACTION, state("first")); // goes to slot.0
        Files.copy(old.resolve("slot.0"), directory.resolve("first"));
        narayana.write_committed(REWRITTEN, ACTION, state("second"));
        Files.write(old.resolve("slot.7"), Files.readAllBytes(directory.resolve("first")));

        JsonObject answer = migrate(NarayanaStore.SLOTS, ExitStatus.OK).json();

        assertThat(answer.get("remarks").toString()).contains("slot.7").contains("number is higher");
        try (ObjectStore store = TestStores.Kind.FILE.open(directory.resolve("new"))) {
            String seenByNarayana = text(NarayanaStore.SLOTS.open(old).read_committed(REWRITTEN, ACTION));
            assertThat(text(new TallystickObjectStore(store).read_committed(REWRITTEN, ACTION)))
                    .isEqualTo(seenByNarayana)
                    .isEqualTo("first");
        }
    }

    /** Only Linux tells which process has a file open. */
    @Test
    void slotsThatAProcessHasOpenAreInUse() throws Exception {
        assumeTrue(Files.isDirectory(Path.of("/proc/self/fd")), "a system without /proc");
        Path old = Files.createDirectories(directory.resolve("old"));
        fill(NarayanaStore.SLOTS.open(old), false);
        Process reader = new ProcessBuilder("sleep", "60")
                .redirectInput(old.resolve("slot.3").toFile())
                .start();
        try {
            assertThat(migrate(NarayanaStore.SLOTS, ExitStatus.IN_USE).err())
                    .contains("pid=" + reader.pid())
                    .contains("slot.3");
            assertThat(directory.resolve("new")).doesNotExist();
        } finally {
            reader.destroyForcibly().waitFor();
        }
        migrate(NarayanaStore.SLOTS, ExitStatus.OK);
    }

    @Test
    void filesThatAreNoStatesAreNamedAndLeftOut() throws Exception {
        Path old = Files.createDirectories(directory.resolve("old"));
        fill(NarayanaStore.FILES.open(old), true);
        Path actions = old.resolve("ShadowNoFileLockStore/defaultStore" + ACTION);
        Files.createFile(actions.resolve(uid(77).fileStringForm()));
        Files.writeString(actions.resolve("notes.txt"), "mine");

        JsonObject answer = migrate(NarayanaStore.FILES, ExitStatus.OK).json();

        assertThat(answer.getInt("states", 0)).isEqualTo(6);
        assertThat(answer.get("remarks").toString())
                .contains("notes.txt")
                .contains("not a Uid")
                .contains("it is empty");
    }

    @Test
    void aHiddenValueBesideAnUncommittedOneThatIsNotHasNoWordInOurs() throws Exception {
        Path old = Files.createDirectories(directory.resolve("old"));
        ObjectStoreAPI narayana = NarayanaStore.FILES.open(old);
        narayana.write_committed(HIDDEN, OBJECT, state("hidden"));
        narayana.hide_state(HIDDEN, OBJECT);
        narayana.write_uncommitted(HIDDEN, OBJECT, state("shadow"));

        assertThat(migrate(NarayanaStore.FILES, ExitStatus.NEGATIVE).err()).contains("hide or reveal");
    }

    @Test
    void ofTwoStoresBelowTheDirectoryOneMustBeNamed() throws Exception {
        Path old = Files.createDirectories(directory.resolve("old"));
        fill(NarayanaStore.FILES.open(old), true);
        fill(NarayanaStore.ACTION_FILES.open(old), false);
        assertThat(migrate(NarayanaStore.FILES, ExitStatus.USAGE).err())
                .contains("old/ActionStore, ")
                .contains("old/ShadowNoFileLockStore");
    }

    @Test
    void aDatabaseThatIsNotThereIsNotMade() throws Exception {
        Files.createDirectories(directory.resolve("old"));
        assertThat(migrate(NarayanaStore.TABLE, ExitStatus.FAILED).err()).contains("cannot be read");
        assertThat(directory.resolve("old")).isEmptyDirectory();
    }

    private ToolRun migrate(NarayanaStore kind, ExitStatus status, String... options) throws IOException {
        Path password = Files.writeString(directory.resolve("password"), "secret\n");
        List<Object> arguments = new ArrayList<>(List.of("migrate", "--json", "--to=file"));
        arguments.addAll(List.of(options));
        arguments.addAll(List.of("--user=sa", "--password-file=" + password, "--table=" + NarayanaStore.TABLE_NAME));
        arguments.add(kind.from(directory.resolve("old")));
        arguments.add(directory.resolve("new"));
        return ToolRun.of(arguments.toArray()).endsWith(status);
    }

    private static void fill(ObjectStoreAPI store, boolean hasShadows) throws Exception {
        store.write_committed(REWRITTEN, ACTION, state("first"));
        store.write_committed(REMOVED, ACTION, state("removed"));
        store.write_committed(PLAIN, OBJECT, state("plain"));
        store.write_committed(REWRITTEN, ACTION, state("second"));
        store.remove_committed(REMOVED, ACTION);
        if (hasShadows) {
            store.write_uncommitted(SHADOW, OBJECT, state("shadow"));
            store.write_committed(BOTH, OBJECT, state("committed"));
            store.write_uncommitted(BOTH, OBJECT, state("next"));
            store.write_committed(HIDDEN, OBJECT, state("hidden"));
            store.hide_state(HIDDEN, OBJECT);
            store.write_uncommitted(HIDDEN_SHADOW, OBJECT, state("hidden shadow"));
            store.hide_state(HIDDEN_SHADOW, OBJECT);
        }
        assertThat(store.currentState(REWRITTEN, ACTION)).isEqualTo(StateStatus.OS_COMMITTED);
    }

    private static Uid uid(int number) {
        return new Uid(new long[] {-0x7f000001L, 0x0a000001L}, 4711, 1_700_000_000, number);
    }

    private static OutputObjectState state(String text) throws IOException {
        OutputObjectState state = new OutputObjectState();
        state.packString(text);
        return state;
    }

    private static String text(InputObjectState state) throws IOException {
        return state == null ? null : state.unpackString();
    }
}
