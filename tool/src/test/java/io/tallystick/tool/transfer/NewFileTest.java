package io.tallystick.tool.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.tool.TestStores;
import io.tallystick.tool.ToolRun;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.ToolException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The file of an export: for its owner alone, and never in the place of another one. */
class NewFileTest {
    @TempDir
    Path root;

    @Test
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void anExportIsForItsOwnerAloneWhileItIsWrittenAndAfterwards() throws IOException {
        Path export = root.resolve("export.jsonl");
        Path store = TestStores.filled(TestStores.Kind.FILE, root.resolve("tx"));
        ToolRun.of("export", "--to", export, store).endsWith(ExitStatus.OK);
        assertThat(permissionsOf(export)).isEqualTo("rw-------");

        new NewFile(root.resolve("other")).write(stream -> {
            try (Stream<Path> files = Files.list(root)) {
                Path unfinished = files.filter(file -> file.toString().endsWith(".tmp"))
                        .findFirst()
                        .orElseThrow();
                assertThat(permissionsOf(unfinished)).isEqualTo("rw-------");
            }
        });
    }

    @Test
    void twoExportsToOneNewNameLeaveTheFirst() throws IOException {
        Path target = root.resolve("export.jsonl");
        NewFile first = new NewFile(target);
        NewFile second = new NewFile(target);

        first.write(stream -> stream.write(bytes("first")));
        assertThatThrownBy(() -> second.write(stream -> stream.write(bytes("second"))))
                .isInstanceOfSatisfying(ToolException.class, refused -> assertThat(refused.status())
                        .isEqualTo(ExitStatus.REFUSED))
                .hasMessageContaining("exists already");

        assertThat(target).hasContent("first");
        assertThat(Files.list(root)).containsExactly(target);
    }

    @Test
    void withoutHardLinksTheFirstStaysToo() throws IOException {
        Path target = root.resolve("export.jsonl");
        NewFile file = new NewFile(target);
        Path first = Files.writeString(root.resolve("1"), "first");
        Path second = Files.writeString(root.resolve("2"), "second");

        file.appearWithoutLink(first);
        assertThatThrownBy(() -> file.appearWithoutLink(second)).isInstanceOf(ToolException.class);
        assertThat(target).hasContent("first");

        Path missing = root.resolve("missing");
        Path other = root.resolve("other.jsonl");
        assertThatThrownBy(() -> new NewFile(other).appearWithoutLink(missing)).isInstanceOf(IOException.class);
        assertThat(other).doesNotExist();
    }

    @Test
    void aMissingDirectoryAndAFullDiskAreNamed() throws IOException {
        Path store = TestStores.filled(TestStores.Kind.FILE, root.resolve("tx"));
        Path missing = root.resolve("missing");
        assertThat(ToolRun.of("export", "--to", missing.resolve("export.jsonl"), store)
                        .endsWith(ExitStatus.FAILED)
                        .err())
                .contains("directory=" + missing + " does not exist")
                .doesNotContain(".tmp");

        Path full = root.resolve("full.jsonl");
        assertThatThrownBy(() -> new NewFile(full).write(stream -> {
                    throw new IOException("No space left on device");
                }))
                .isInstanceOfSatisfying(ToolException.class, refused -> assertThat(refused.status())
                        .isEqualTo(ExitStatus.FAILED))
                .hasMessageContaining("file=" + full + " could not be written (No space left on device)");
        assertThat(full).doesNotExist();
    }

    private static String permissionsOf(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
