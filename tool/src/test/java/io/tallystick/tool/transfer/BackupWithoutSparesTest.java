package io.tallystick.tool.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.tool.TestStores;
import io.tallystick.tool.TestStores.Kind;
import io.tallystick.tool.ToolRun;
import io.tallystick.tool.command.ExitStatus;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Files without records are not kept, and the records do not need them. */
class BackupWithoutSparesTest {
    @TempDir
    Path root;

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aBackupHasNoSpareFilesAndEveryRecordComesBack(Kind kind) throws IOException {
        Path store = TestStores.filled(kind, root.resolve("tx"));
        Path backup = root.resolve("backup");
        Path again = root.resolve("again");

        ToolRun.of("backup", store, backup).endsWith(ExitStatus.OK);

        assertThat(ToolRun.of("stat", backup.resolve("store"))
                        .endsWith(ExitStatus.OK)
                        .out())
                .doesNotContain("spare");
        ToolRun.of("verify", backup.resolve("store")).endsWith(ExitStatus.OK);
        ToolRun.of("restore", backup, again).endsWith(ExitStatus.OK);
        assertThat(ToolRun.of("list", again).endsWith(ExitStatus.OK).out())
                .isEqualTo(ToolRun.of("list", store).endsWith(ExitStatus.OK).out());
        try (ObjectStore opened = kind.open(again)) {
            TestStores.keys().forEach(key -> assertThat(opened.statusOf(key)).isNotNull());
            TestStores.keys().forEach(key -> opened.remove(key, Durability.FORCED));
        }
    }
}
