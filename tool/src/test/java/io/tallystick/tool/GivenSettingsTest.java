package io.tallystick.tool;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.tool.TestStores.Kind;
import io.tallystick.tool.command.ExitStatus;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A key of {@code -D} that is none. */
class GivenSettingsTest {
    private static final String WRONG = "-Dtallystick.journal.segmnt-size=1MiB";

    @TempDir
    Path root;

    @Test
    void aWrongKeyIsToldToBeOnTheCommandLine() {
        Path store = TestStores.filled(Kind.SEGMENTED, root.resolve("tx"));
        Path export = root.resolve("export.jsonl");
        ToolRun.of("export", "--to", export, store).endsWith(ExitStatus.OK);
        for (Object[] command : new Object[][] {
            {"bench", WRONG, root},
            {"import", WRONG, store, export},
            {"import", "--create", "journal", WRONG, root.resolve("new"), export},
            {"migrate", WRONG, store, root.resolve("new")}
        }) {
            assertThat(ToolRun.of(command).endsWith(ExitStatus.USAGE).err())
                    .contains(
                            "unknown key 'tallystick.journal.segmnt-size' on the command line",
                            "did you mean 'tallystick.journal.segment-size'?")
                    .doesNotContain("builder");
        }
    }
}
