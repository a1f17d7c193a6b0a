package io.tallystick.tool;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.LossMark;
import io.tallystick.storage.StoreIdentity;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.ObjectStore;
import io.tallystick.tool.TestStores.Kind;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.StoreAt;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A marked loss, and the person that accepts it. */
class AcceptLossTest {
    private static final String MISSING = "file=segment 7 is gone";

    @TempDir
    Path root;

    private Path store;

    @BeforeEach
    void mark() throws IOException {
        store = TestStores.filled(Kind.SEGMENTED, root.resolve("tx"));
        mark(store);
    }

    private static void mark(Path marked) throws IOException {
        LossMark.write(
                new SystemDisk(),
                marked,
                StoreAt.find(marked).identity().id(),
                Instant.parse("2026-11-26T09:12:04Z"),
                MISSING,
                "pid=4711");
    }

    @Test
    void theStoreOpensAfterAPersonHasAccepted() throws IOException {
        ToolRun.of("import", store, exported()).endsWith(ExitStatus.FAILED);

        ToolRun run = ToolRun.of("accept-loss", store, "--reason", "the volume is back")
                .endsWith(ExitStatus.OK);

        assertThat(run.out())
                .contains("missing=" + MISSING, "noticed=2026-11-26T09:12:04Z by pid=4711", "resource managers");
        assertThat(store.resolve(LossMark.ACCEPTED_FILE_NAME))
                .content()
                .contains("user=" + System.getProperty("user.name"), "reason=the volume is back", "missing=" + MISSING);
        ToolRun.of("import", store, exported()).endsWith(ExitStatus.OK);
        ToolRun.of("verify", store).endsWith(ExitStatus.OK);
    }

    @Test
    void thePlanOfARepairSaysThatTheLossStays() throws IOException {
        ToolRun healthy = ToolRun.of("repair", store).endsWith(ExitStatus.OK);
        assertThat(healthy.out())
                .contains("missing: " + MISSING, "until 'tallystick accept-loss', also after a repair");
        TestStores.damage(store, "second");

        assertThat(ToolRun.of("repair", store).endsWith(ExitStatus.NEGATIVE).out())
                .contains("would be kept", "until 'tallystick accept-loss', also after a repair");
        assertThat(ToolRun.of("repair", "--json", store)
                        .endsWith(ExitStatus.NEGATIVE)
                        .err())
                .contains("accept-loss");
    }

    @Test
    void withoutAReasonTheLossIsShownAndNothingIsChanged() throws IOException {
        Map<String, String> before = contents();

        ToolRun run = ToolRun.of("accept-loss", store).endsWith(ExitStatus.REFUSED);

        assertThat(run.out()).contains("missing=" + MISSING);
        assertThat(run.err()).contains("--reason TEXT");
        assertThat(contents()).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "two\nlines", "bell\u0007"})
    void aReasonThatIsNoneIsRefused(String reason) throws IOException {
        Map<String, String> before = contents();

        assertThat(ToolRun.of("accept-loss", store, "--reason", reason)
                        .endsWith(ExitStatus.USAGE)
                        .err())
                .contains("1 to 500 printable");

        assertThat(contents()).isEqualTo(before);
    }

    @Test
    void aStoreWithoutAMarkHasNothingToAccept() throws IOException {
        Files.delete(store.resolve(LossMark.FILE_NAME));

        ToolRun.of("accept-loss", store, "--reason", "why").endsWith(ExitStatus.NEGATIVE);

        assertThat(store.resolve(LossMark.ACCEPTED_FILE_NAME)).doesNotExist();
        ToolRun.of("accept-loss", root.resolve("missing"), "--reason", "why").endsWith(ExitStatus.NO_STORE);
    }

    @Test
    void aStoreThatAProcessHasIsRefused() throws IOException {
        Path other = TestStores.filled(Kind.SEGMENTED, root.resolve("other"));
        try (ObjectStore owner = StoreAt.find(other).open(Map.of())) {
            assertThat(owner.failure()).isEmpty();
            mark(other);

            ToolRun.of("accept-loss", other, "--reason", "why").endsWith(ExitStatus.IN_USE);

            assertThat(other.resolve(LossMark.FILE_NAME)).exists();
        }
    }

    @Test
    void aDirectoryWhoseIdentityIsWhatIsMissingCanBeAccepted() throws IOException {
        Files.delete(store.resolve(StoreIdentity.FILE_NAME));

        ToolRun.of("accept-loss", store, "--reason", "a repair follows").endsWith(ExitStatus.OK);

        assertThat(store.resolve(LossMark.FILE_NAME)).doesNotExist();
    }

    @Test
    void inspectingCommandsReadTheStoreAndTellOfTheMark() {
        for (String command : new String[] {"list", "stat"}) {
            ToolRun run = ToolRun.of(command, store).endsWith(ExitStatus.OK);
            assertThat(run.err()).as(command).contains("lacks what was acknowledged", MISSING);
        }
        assertThat(ToolRun.of("stat", store).out()).contains("loss         " + MISSING);
        ToolRun verified = ToolRun.of("verify", store).endsWith(ExitStatus.NEGATIVE);
        assertThat(verified.out()).contains("loss missing=" + MISSING);
        assertThat(ToolRun.of("verify", "--json", store).json().get("losses").asArray())
                .hasSize(1);
        assertThat(ToolRun.of("doctor", store).endsWith(ExitStatus.NEGATIVE).out())
                .contains(MISSING);
        ToolRun.of("export", "--to", root.resolve("e.jsonl"), store).endsWith(ExitStatus.OK);
        ToolRun.of("backup", store, root.resolve("backup")).endsWith(ExitStatus.OK);
    }

    @Test
    void repairsAndCompactionsKeepTheMark() throws IOException {
        TestStores.damage(store, "second");
        ToolRun.of("repair", "--yes", store).endsWith(ExitStatus.OK);
        assertThat(store.resolve(LossMark.FILE_NAME)).exists();

        ToolRun.of("compact", store).endsWith(ExitStatus.OK);
        assertThat(store.resolve(LossMark.FILE_NAME)).exists();
        ToolRun.of("accept-loss", store, "--reason", "one").endsWith(ExitStatus.OK);
        ToolRun.of("compact", store).endsWith(ExitStatus.OK);
        assertThat(store.resolve(LossMark.ACCEPTED_FILE_NAME)).exists();
    }

    @Test
    void aMigrationFromAMarkedStoreOrIntoOneIsRefused() throws IOException {
        ToolRun.of("migrate", store, root.resolve("new")).endsWith(ExitStatus.REFUSED);
        assertThat(root.resolve("new")).doesNotExist();

        Path emptied = Files.createDirectory(root.resolve("emptied"));
        Files.createFile(emptied.resolve(LossMark.FILE_NAME));
        Path source = TestStores.filled(Kind.FILE, root.resolve("source"));
        ToolRun.of("migrate", source, emptied).endsWith(ExitStatus.REFUSED);
    }

    @Test
    void aBackupIsRestoredIntoAnEmptiedDirectoryAndTheMarkStays() throws IOException {
        Files.delete(store.resolve(LossMark.FILE_NAME));
        ToolRun.of("backup", store, root.resolve("backup")).endsWith(ExitStatus.OK);
        Path emptied = Files.createDirectory(root.resolve("emptied"));
        Files.createFile(emptied.resolve(LossMark.FILE_NAME));

        ToolRun.of("restore", root.resolve("backup"), emptied).endsWith(ExitStatus.OK);

        ToolRun.of("verify", emptied).endsWith(ExitStatus.NEGATIVE);
        ToolRun.of("accept-loss", emptied, "--reason", "the backup is all there is")
                .endsWith(ExitStatus.OK);
        ToolRun.of("verify", emptied).endsWith(ExitStatus.OK);
    }

    private Path exported() throws IOException {
        Path export = root.resolve("x.jsonl");
        if (Files.notExists(export)) {
            ToolRun.of("export", "--to", export, store).endsWith(ExitStatus.OK);
        }
        return export;
    }

    private Map<String, String> contents() throws IOException {
        Map<String, String> contents = new java.util.TreeMap<>();
        try (Stream<Path> files = Files.list(store)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                contents.put(file.getFileName().toString(), Files.size(file) + " " + Files.getLastModifiedTime(file));
            }
        }
        return contents;
    }
}
