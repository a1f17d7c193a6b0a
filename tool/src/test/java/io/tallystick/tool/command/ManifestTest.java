package io.tallystick.tool.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.SystemDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ManifestTest {
    private static final String TITLE = "test 1";

    @TempDir
    Path directory;

    private final SystemDisk disk = new SystemDisk();

    private Optional<Manifest> readBack(String path) throws IOException {
        Path file = directory.resolve("manifest");
        Manifest.Entry entry = new Manifest.Entry(path, 1, Optional.of(0));
        new Manifest(TITLE, Map.of(), List.of(entry)).write(disk, file);
        return Manifest.read(disk, file, TITLE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "states/+a/0a.state", "a:b", "..a/b"})
    void aPathBelowTheDirectoryIsReadAsItWasWritten(String path) throws IOException {
        assertThat(readBack(path).orElseThrow().entries().get(0).path()).isEqualTo(path);
    }

    @ParameterizedTest
    @ValueSource(strings = {"..", "a/../b", "/a", "a//b", "./a", "..\\a", "a\\..\\..\\b", "C:\\a", "\\\\server\\a"})
    void aPathThatLeavesTheDirectoryHereOrOnWindowsIsDamage(String path) {
        assertThatThrownBy(() -> readBack(path))
                .isInstanceOf(ToolException.class)
                .hasMessageContaining("a path leaves the directory");
    }

    @Test
    void thereIsNoneWhereThereIsNoFile() throws IOException {
        assertThat(Manifest.read(disk, directory.resolve("none"), TITLE)).isEmpty();
    }
}
