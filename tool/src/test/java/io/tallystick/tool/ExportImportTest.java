package io.tallystick.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.tallystick.storage.StoreIdentity;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.tool.TestStores.Kind;
import io.tallystick.tool.command.ExitStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What went out comes in again, whole or not at all. */
class ExportImportTest {
    private static final String INSPECTABLE = "io.tallystick.tool.TestStores#inspectable";

    @TempDir
    Path root;

    private Path export;

    @BeforeEach
    void exportAStore() {
        export = root.resolve("export.jsonl");
        Path store = TestStores.filled(Kind.FILE, root.resolve("exported"));
        ToolRun.of("export", "--to", export, store).endsWith(ExitStatus.OK);
    }

    @ParameterizedTest
    @MethodSource(INSPECTABLE)
    void everyKindOfStoreTakesAndGivesTheSame(Kind kind) throws IOException {
        Path store = empty(kind);

        assertThat(ToolRun.of("import", store, export).endsWith(ExitStatus.OK).out())
                .isEqualTo("added 7, replaced 0, unchanged 0\n");

        assertThat(recordsOf(store)).isEqualTo(records(Files.readAllLines(export)));
    }

    @ParameterizedTest
    @MethodSource(INSPECTABLE)
    void importingAgainChangesNothing(Kind kind) {
        Path store = empty(kind);
        ToolRun.of("import", store, export).endsWith(ExitStatus.OK);

        assertThat(ToolRun.of("import", store, export).endsWith(ExitStatus.OK).out())
                .isEqualTo("added 0, replaced 0, unchanged 7\n");
    }

    @Test
    void anImportThatWasKilledAnywhereIsCompletedByTheNext() throws IOException {
        List<String> wanted = records(Files.readAllLines(export));
        // What an import does to one key, in its order; a kill leaves a beginning of it.
        for (int done = 0; done <= 3; done++) {
            Path store = root.resolve("killed-" + done);
            try (ObjectStore opened = Kind.FILE.open(store)) {
                if (done > 0) {
                    opened.write(TestStores.BOTH_HIDDEN, TestStores.bytes("committed"), Durability.FORCED);
                }
                if (done > 1) {
                    opened.writeShadow(TestStores.BOTH_HIDDEN, TestStores.bytes("next"), Durability.FORCED);
                }
                if (done > 2) {
                    opened.hide(TestStores.BOTH_HIDDEN);
                }
            }

            ToolRun.of("import", store, export).endsWith(ExitStatus.OK);

            assertThat(recordsOf(store)).as("killed after %d steps", done).isEqualTo(wanted);
        }
    }

    @ParameterizedTest
    @MethodSource(INSPECTABLE)
    void aKeyThatHoldsSomethingElseIsKeptUnlessToldOtherwise(Kind kind) throws IOException {
        Path store = empty(kind);
        try (ObjectStore opened = kind.open(store)) {
            opened.write(TestStores.PLAIN, TestStores.bytes("other"), Durability.FORCED);
            opened.writeShadow(TestStores.HIDDEN, TestStores.bytes("other"), Durability.FORCED);
            opened.hide(TestStores.HIDDEN);
        }
        Map<String, String> before = TestStores.snapshot(store);

        assertThat(ToolRun.of("import", store, export)
                        .endsWith(ExitStatus.REFUSED)
                        .err())
                .contains("2 keys", TestStores.PLAIN.toString(), "--replace");
        assertThat(TestStores.snapshot(store)).isEqualTo(before);

        assertThat(ToolRun.of("import", "--replace", store, export)
                        .endsWith(ExitStatus.OK)
                        .out())
                .isEqualTo("added 5, replaced 2, unchanged 0\n");
        assertThat(recordsOf(store)).isEqualTo(records(Files.readAllLines(export)));
    }

    @Test
    void anExportThatIsCutOffAnywhereIsRefused() throws IOException {
        byte[] whole = Files.readAllBytes(export);
        Path store = empty(Kind.FILE);
        Map<String, String> before = TestStores.snapshot(store);
        Path cut = root.resolve("cut.jsonl");
        for (int length = 0; length < whole.length; length += 7) {
            Files.write(cut, Arrays.copyOf(whole, length));

            assertThat(ToolRun.of("import", store, cut)
                            .endsWith(ExitStatus.NEGATIVE)
                            .err())
                    .contains("cut.jsonl line=");
        }
        assertThat(TestStores.snapshot(store)).isEqualTo(before);
    }

    @Test
    void anExportWithAFlippedByteAnywhereIsRefused() throws IOException {
        byte[] whole = Files.readAllBytes(export);
        Path store = empty(Kind.FILE);
        Map<String, String> before = TestStores.snapshot(store);
        Path damaged = root.resolve("damaged.jsonl");
        for (int at = 0; at < whole.length; at += 5) {
            byte[] copy = whole.clone();
            copy[at] ^= 1;
            Files.write(damaged, copy);

            assertThat(ToolRun.of("import", store, damaged).exitCode())
                    .as("byte %d", at)
                    .isIn(ExitStatus.NEGATIVE.code(), ExitStatus.FAILED.code());
        }
        assertThat(TestStores.snapshot(store)).isEqualTo(before);
    }

    /** A pipe gives other bytes when it is read again. */
    @Test
    @EnabledOnOs(
            value = {OS.LINUX, OS.MAC},
            disabledReason = "there is no mkfifo")
    void aFileThatIsAnotherOneInTheSecondReadingIsNotSaidToBeUntouched() throws Exception {
        byte[] whole = Files.readAllBytes(export);
        Path pipe = root.resolve("pipe");
        assumeThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        Path store = root.resolve("made");
        Thread writer = new Thread(() -> {
            try {
                Files.write(pipe, whole);
                await().until(() -> Files.exists(store.resolve(StoreIdentity.FILE_NAME))); // after the first reading
                Files.write(pipe, Arrays.copyOf(whole, whole.length / 2));
            } catch (IOException closed) {
                // the reader has seen enough
            }
        });
        writer.setDaemon(true);
        writer.start();

        assertThat(ToolRun.of("import", "--create", "file", store, pipe)
                        .endsWith(ExitStatus.NEGATIVE)
                        .err())
                .contains("pipe line=", "were imported and stay", "run the import again")
                .doesNotContain("nothing of it was imported");
    }

    @Test
    void somethingBehindTheClosingLineIsRefused() throws IOException {
        Files.writeString(export, Files.readString(export) + "x");

        ToolRun.of("import", empty(Kind.FILE), export).endsWith(ExitStatus.NEGATIVE);
    }

    @Test
    void standardOutputIsTheSameExport() throws IOException {
        assertThat(ToolRun.of("export", "--quiet", root.resolve("exported")).out())
                .isEqualTo(Files.readString(export));
    }

    @Test
    void aFileThatIsThereIsNotOverwritten() throws IOException {
        String before = Files.readString(export);

        ToolRun.of("export", "--to", export, root.resolve("exported")).endsWith(ExitStatus.REFUSED);

        assertThat(Files.readString(export)).isEqualTo(before);
    }

    @Test
    void aDamagedStoreIsExportedWhenToldTo() throws IOException {
        Path store = root.resolve("exported");
        TestStores.damage(store, "second");
        Path target = root.resolve("whole.jsonl");

        ToolRun.of("export", "--to", target, store).endsWith(ExitStatus.NEGATIVE);
        assertThat(target).doesNotExist();

        ToolRun.of("export", "--whole-only", "--to", target, store).endsWith(ExitStatus.NEGATIVE);
        assertThat(ToolRun.of("import", empty(Kind.FILE), target)
                        .endsWith(ExitStatus.OK)
                        .out())
                .startsWith("added 6,");
        try (Stream<Path> files = Files.list(root)) {
            assertThat(files).noneMatch(file -> file.toString().endsWith(".tmp"));
        }
    }

    @Test
    void aStoreIsMadeWhenToldTo() throws IOException {
        Path store = root.resolve("new/store");

        ToolRun.of("import", store, export).endsWith(ExitStatus.NO_STORE);
        assertThat(root.resolve("new")).doesNotExist();

        for (int times = 0; times < 2; times++) {
            ToolRun.of("import", "--create", "journal", "-Dtallystick.journal.segment-size=4MiB", store, export)
                    .endsWith(ExitStatus.OK);
        }
        assertThat(recordsOf(store)).isEqualTo(records(Files.readAllLines(export)));
    }

    @Test
    void noStoreIsMadeForADamagedExport() throws IOException {
        Files.writeString(export, "{}\n");

        ToolRun.of("import", "--create", "journal", root.resolve("new"), export).endsWith(ExitStatus.NEGATIVE);

        assertThat(root.resolve("new")).doesNotExist();
    }

    @Test
    void aStateThatIsTooLargeIsRefusedBeforeAnythingIsChanged() throws IOException {
        Path store = empty(Kind.FILE);
        Map<String, String> before = TestStores.snapshot(store);
        Path large = root.resolve("large");
        try (ObjectStore opened = Kind.FILE.open(large)) {
            opened.write(TestStores.PLAIN, new byte[2000], Durability.FORCED);
        }
        Path largeExport = root.resolve("large.jsonl");
        ToolRun.of("export", "--to", largeExport, large).endsWith(ExitStatus.OK);

        assertThat(ToolRun.of("import", "-Dtallystick.max-state-size=1KiB", store, largeExport)
                        .endsWith(ExitStatus.REFUSED)
                        .err())
                .contains("tallystick.max-state-size");
        assertThat(TestStores.snapshot(store)).isEqualTo(before);
    }

    @Test
    void aStoreInUseTakesNoImport() {
        Path store = root.resolve("used");
        try (ObjectStore opened = Kind.SEGMENTED.open(store)) {
            assertThat(ToolRun.of("import", store, export)
                            .endsWith(ExitStatus.IN_USE)
                            .err())
                    .contains("pid=" + ProcessHandle.current().pid());
            assertThat(opened.types()).isEmpty();
        }
    }

    private Path empty(Kind kind) {
        Path store = root.resolve("target-" + kind);
        kind.open(store).close();
        return store;
    }

    private static List<String> recordsOf(Path store) {
        return records(
                ToolRun.of("export", "--quiet", store).endsWith(ExitStatus.OK).lines());
    }

    private static List<String> records(List<String> lines) {
        return lines.subList(1, lines.size() - 1);
    }
}
