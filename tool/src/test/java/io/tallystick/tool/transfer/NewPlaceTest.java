package io.tallystick.tool.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.tool.TestStores;
import io.tallystick.tool.TestStores.Kind;
import io.tallystick.tool.ToolRun;
import io.tallystick.tool.command.ExitStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No command makes anything below the directory of another store. */
class NewPlaceTest {
    @TempDir
    Path root;

    @Test
    void nothingIsMadeBelowAnotherStoreAndThatStoreStaysSound() throws IOException {
        Path source = TestStores.filled(Kind.SEGMENTED, root.resolve("source"));
        Path other = TestStores.filled(Kind.FILE, root.resolve("other"));
        Path backup = root.resolve("backup");
        Path export = root.resolve("export.jsonl");
        Path link = Files.createSymbolicLink(root.resolve("link"), other.resolve("states"));
        ToolRun.of("backup", source, backup).endsWith(ExitStatus.OK);
        ToolRun.of("export", "--to", export, source).endsWith(ExitStatus.OK);
        Map<String, String> before = TestStores.snapshot(other);

        for (Object[] command : new Object[][] {
            {"restore", backup, other.resolve("states/x")},
            {"restore", backup, other.resolve("missing/sub")},
            {"restore", backup, link.resolve("x")},
            {"backup", source, other.resolve("sub")},
            {"import", "--create", "journal", other.resolve("sub"), export},
            {"export", "--to", other.resolve("e.jsonl"), source},
            {"export", "--to", source.resolve("e.jsonl"), source},
            {"migrate", source, other.resolve("sub")},
            {"migrate", "--dry-run", source, other.resolve("sub")},
            {"bench", "--millis", "10", other.resolve("states")}
        }) {
            assertThat(ToolRun.of(command).endsWith(ExitStatus.REFUSED).err())
                    .contains(
                            "lies in directory="
                                    + (List.of(command).contains(source.resolve("e.jsonl")) ? source : other),
                            "a Tallystick store",
                            "nothing was changed");
        }

        assertThat(TestStores.snapshot(other)).isEqualTo(before);
        ToolRun.of("verify", other).endsWith(ExitStatus.OK);
        ToolRun.of("restore", backup, root.resolve("again")).endsWith(ExitStatus.OK);
    }
}
