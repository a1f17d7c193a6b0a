package io.tallystick.tool.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.tool.TestStores;
import io.tallystick.tool.TestStores.Kind;
import io.tallystick.tool.ToolRun;
import io.tallystick.tool.command.ExitStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No command, and no advice of one, spoils a backup. */
class BackupPlaceTest {
    @TempDir
    Path root;

    private Path store;
    private Path backup;

    @BeforeEach
    void backUp() {
        store = TestStores.filled(Kind.SEGMENTED, root.resolve("tx"));
        backup = root.resolve("backup");
        ToolRun.of("backup", store, backup).endsWith(ExitStatus.OK);
    }

    @Test
    void aBackupIsToldFromAStoreAndTheAdviceIsToRestoreIt() {
        for (String command : new String[] {"list", "stat", "verify", "compact"}) {
            assertThat(ToolRun.of(command, backup).endsWith(ExitStatus.NO_STORE).err())
                    .contains("is a backup", "'tallystick restore " + backup + " DIRECTORY'")
                    .doesNotContain("give that");
        }
    }

    @Test
    void theStoreInABackupIsReadAndNotWritten() throws IOException {
        Path inside = backup.resolve("store");
        Path export = root.resolve("export.jsonl");
        ToolRun.of("export", "--to", export, inside).endsWith(ExitStatus.OK);
        ToolRun.of("verify", inside).endsWith(ExitStatus.OK);
        Map<String, String> before = TestStores.snapshot(backup);

        for (Object[] command : new Object[][] {
            {"compact", inside},
            {"repair", "--yes", inside},
            {"import", inside, export},
            {"import", "--create", "file", backup.resolve("new"), export},
            {"migrate", store, backup.resolve("new")},
            {"accept-copy", inside, "--reason", "x"},
            {"backup", store, backup.resolve("new")}
        }) {
            assertThat(ToolRun.of(command).endsWith(ExitStatus.REFUSED).err())
                    .contains("the backup " + backup, "nothing was changed", "tallystick restore");
        }

        assertThat(TestStores.snapshot(backup)).isEqualTo(before);
        ToolRun.of("restore", backup, root.resolve("again")).endsWith(ExitStatus.OK);
    }

    @Test
    void aBackupIsNotMadeInItsStoreAndNotRestoredIntoItself() throws IOException {
        Map<String, String> before = TestStores.snapshot(root);

        for (Object[] command : new Object[][] {
            {"backup", store, store.resolve("sub/backup")},
            {"backup", store, store},
            {"restore", backup, backup.resolve("x")},
            {"restore", backup, backup}
        }) {
            assertThat(ToolRun.of(command).endsWith(ExitStatus.USAGE).err())
                    .contains("one lies in the other", "give a target beside the source");
        }
        assertThat(TestStores.snapshot(root)).isEqualTo(before);
    }

    @Test
    void aBackupThatDoesNotExistIsNoIncompleteOne() {
        assertThat(ToolRun.of("restore", root.resolve("nonexist"), root.resolve("new"))
                        .endsWith(ExitStatus.NO_STORE)
                        .err())
                .contains("directory=" + root.resolve("nonexist") + " does not exist")
                .doesNotContain("incomplete", "no complete backup");
    }
}
