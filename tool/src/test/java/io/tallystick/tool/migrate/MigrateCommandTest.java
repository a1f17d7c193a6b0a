package io.tallystick.tool.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import com.eclipsesource.json.JsonObject;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.tool.TestStores;
import io.tallystick.tool.TestStores.Kind;
import io.tallystick.tool.ToolRun;
import io.tallystick.tool.command.ExitStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code migrate} as a user runs it, from our stores to our stores. */
class MigrateCommandTest {
    @TempDir
    private Path root;

    private Path old;
    private Path target;

    @BeforeEach
    void nameDirectories() {
        old = root.resolve("old");
        target = root.resolve("new/tx");
    }

    @ParameterizedTest
    @CsvSource({"FILE, SEGMENTED", "SEGMENTED, FILE", "SEGMENTED, ARTEMIS", "ARTEMIS, SEGMENTED"})
    void everyStatusGoesFromStoreToStore(Kind from, Kind to) throws IOException {
        TestStores.filled(from, old);
        Map<String, String> before = TestStores.snapshot(old);

        JsonObject answer = migrate(to, ExitStatus.OK, "--json").json();

        assertThat(answer.getInt("states", 0)).isEqualTo(TestStores.keys().size());
        assertThat(answer.get("statuses").toString())
                .isEqualTo("{\"COMMITTED\":4,\"SHADOW\":1,\"COMMITTED_HIDDEN\":1,\"SHADOW_HIDDEN\":1}");
        assertThat(TestStores.snapshot(old)).as("the source").isEqualTo(before);
        assertThatSameAsOld(from, to);
        assertThat(target.resolve(Staging.NAME)).doesNotExist();
    }

    @Test
    void aSecondRunFindsEverythingThereAndChangesNothing() throws IOException {
        TestStores.filled(Kind.FILE, old);
        String first = migrate(Kind.SEGMENTED, ExitStatus.OK, "--json").json().getString("crc32c", "");
        Map<String, String> made = TestStores.snapshot(target);

        JsonObject second = migrate(Kind.SEGMENTED, ExitStatus.OK, "--json").json();

        assertThat(second.getString("outcome", "")).isEqualTo("already-there");
        assertThat(second.getString("crc32c", "")).isEqualTo(first).hasSize(8);
        assertThat(TestStores.snapshot(target)).isEqualTo(made);
    }

    @Test
    void aDryRunTellsTheSameAndMakesNothing() throws IOException {
        TestStores.filled(Kind.SEGMENTED, old);

        JsonObject rehearsal =
                migrate(Kind.FILE, ExitStatus.OK, "--json", "--dry-run").json();

        assertThat(rehearsal.getString("outcome", "")).isEqualTo("only-read");
        assertThat(target).doesNotExist();
        assertThat(migrate(Kind.FILE, ExitStatus.OK, "--json").json().getString("crc32c", "?"))
                .isEqualTo(rehearsal.getString("crc32c", ""));
    }

    @Test
    void aTargetWithOtherDataIsRefusedAndKept() throws IOException {
        TestStores.filled(Kind.FILE, old);
        try (ObjectStore other = Kind.FILE.open(target)) {
            other.write(TestStores.PLAIN, new byte[] {1}, Durability.FORCED);
        }
        Map<String, String> before = TestStores.snapshot(target);

        assertThat(migrate(Kind.FILE, ExitStatus.REFUSED).err()).contains("holds a store with other data");

        assertThat(TestStores.snapshot(target)).isEqualTo(before);
    }

    @Test
    void aTargetWithSomebodysFilesIsRefusedAndKept() throws IOException {
        TestStores.filled(Kind.FILE, old);
        Files.createDirectories(target);
        Files.writeString(target.resolve("notes.txt"), "mine");

        assertThat(migrate(Kind.FILE, ExitStatus.REFUSED).err()).contains("notes.txt");

        assertThat(target.resolve("notes.txt")).hasContent("mine");
    }

    @Test
    void anEmptyDirectoryIsTaken() throws IOException {
        TestStores.filled(Kind.FILE, old);
        Files.createDirectories(target);

        assertThat(migrate(Kind.SEGMENTED, ExitStatus.OK).lines())
                .anyMatch(line -> line.startsWith("7 states, "))
                .contains("migrated: each state was read back from the new store and is the same, byte by byte");

        assertThatSameAsOld(Kind.FILE, Kind.SEGMENTED);
    }

    @Test
    void whatIsInUseIsRefused() {
        try (ObjectStore used = Kind.FILE.open(old)) {
            used.write(TestStores.PLAIN, new byte[] {1}, Durability.FORCED);
            assertThat(migrate(Kind.SEGMENTED, ExitStatus.IN_USE).err()).contains("in use");
            assertThat(target).doesNotExist();
        }
        migrate(Kind.SEGMENTED, ExitStatus.OK);
        try (ObjectStore used = Kind.SEGMENTED.open(target)) {
            assertThat(used.keys(TestStores.PLAIN.type())).hasSize(1);
            assertThat(migrate(Kind.SEGMENTED, ExitStatus.IN_USE).err()).contains("in use");
        }
    }

    @Test
    void twoMigrationsDoNotMeet() throws IOException {
        TestStores.filled(Kind.FILE, old);
        try (Staging other = Staging.at(new SystemDisk(), target)) {
            other.take();
            assertThat(migrate(Kind.FILE, ExitStatus.IN_USE).err()).contains("another migration");
        }
        migrate(Kind.FILE, ExitStatus.OK);
    }

    @Test
    void aDamagedSourceIsRefusedAndTheRestIsLeftToTheUser() throws IOException {
        TestStores.damage(TestStores.filled(Kind.FILE, old), "second");

        assertThat(migrate(Kind.FILE, ExitStatus.NEGATIVE).err()).contains("--leave-out-damaged");
        assertThat(target.getParent()).as("what a refused run has made").doesNotExist();
        assertThat(migrate(Kind.FILE, ExitStatus.NEGATIVE, "--dry-run").out()).contains("left out: ");

        JsonObject answer = migrate(Kind.FILE, ExitStatus.NEGATIVE, "--json", "--leave-out-damaged")
                .json();
        assertThat(answer.getInt("states", 0)).isEqualTo(TestStores.keys().size() - 1);
        assertThat(answer.get("leftOut").asArray()).isNotEmpty();
    }

    @Test
    void whatIsNoStoreIsToldFromWhatIsMissing() throws IOException {
        assertThat(migrate(Kind.FILE, ExitStatus.NO_STORE).err()).contains("does not exist");
        Files.createDirectories(old);
        assertThat(migrate(Kind.FILE, ExitStatus.NO_STORE).err()).contains("is empty");
        Files.writeString(old.resolve("readme"), "none");
        assertThat(migrate(Kind.FILE, ExitStatus.NO_STORE).err()).contains("tallystick.store");
        assertThat(target).doesNotExist();
    }

    @Test
    void sourceAndTargetAreNotTheSameNorOneInTheOther() throws IOException {
        TestStores.filled(Kind.FILE, old);
        ToolRun.of("migrate", old, old).endsWith(ExitStatus.USAGE);
        ToolRun.of("migrate", old, old.resolve("below")).endsWith(ExitStatus.USAGE);
        assertThat(old.resolve("below")).doesNotExist();
    }

    @Test
    void aStateThatIsTooLargeForTheTargetIsToldAndNothingIsPublished() {
        try (ObjectStore store = Kind.FILE.open(old)) {
            store.write(StateKey.of("/Large", ObjectId.parse("01")), new byte[10_000], Durability.FORCED);
        }
        ToolRun run = ToolRun.of("migrate", "-Dtallystick.max-state-size=1KiB", old, target);
        assertThat(run.exitCode()).isNotZero();
        assertThat(run.err()).contains("tallystick.max-state-size");
        assertThat(target.resolve("tallystick.store")).doesNotExist();
        migrate(Kind.SEGMENTED, ExitStatus.OK);
    }

    @Test
    void aCopyThatWasNeededIsNotLeftBehind() throws IOException {
        TestStores.filled(Kind.ARTEMIS, old);
        String temporary = System.getProperty("java.io.tmpdir");
        Path ours = Files.createDirectories(root.resolve("tmp"));
        System.setProperty("java.io.tmpdir", ours.toString());
        try {
            migrate(Kind.ARTEMIS, ExitStatus.OK);
            assertThat(migrate(Kind.ARTEMIS, ExitStatus.OK, "--json").json().getString("outcome", ""))
                    .isEqualTo("already-there");
        } finally {
            System.setProperty("java.io.tmpdir", temporary);
        }
        assertThat(ours).isEmptyDirectory();
    }

    @Test
    void aDatabaseWithoutADriverIsToldHowToGetOne() {
        assertThat(ToolRun.of("migrate", "jdbc:nosuch:thing", target)
                        .endsWith(ExitStatus.USAGE)
                        .err())
                .contains("--driver-path");
        assertThat(target).doesNotExist();
    }

    private ToolRun migrate(Kind to, ExitStatus status, String... options) {
        Object[] arguments = new Object[options.length + 5];
        arguments[0] = "migrate";
        System.arraycopy(options, 0, arguments, 1, options.length);
        arguments[options.length + 1] = "--to=" + to.name().toLowerCase(Locale.ROOT);
        arguments[options.length + 2] = "-Dtallystick.journal.segment-size=256KiB";
        arguments[options.length + 3] = old;
        arguments[options.length + 4] = target;
        return ToolRun.of(arguments).endsWith(status);
    }

    private void assertThatSameAsOld(Kind from, Kind to) {
        try (ObjectStore before = from.open(old);
                ObjectStore after = to.open(target)) {
            assertThat(after.types()).isEqualTo(before.types());
            for (StateKey key : TestStores.keys()) {
                assertThat(after.statusOf(key)).isEqualTo(before.statusOf(key));
                before.reveal(key);
                after.reveal(key);
                assertThat(after.read(key)).usingRecursiveComparison().isEqualTo(before.read(key));
                assertThat(after.readShadow(key)).usingRecursiveComparison().isEqualTo(before.readShadow(key));
            }
        }
    }
}
