package io.tallystick.durability.surroundings;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryImageTest {
    @TempDir
    private Path directory;

    private Path file;

    @BeforeEach
    void writeFile() throws IOException {
        file = Files.writeString(directory.resolve("file"), "one");
    }

    @Test
    void nothingDiffersWhereNothingWasChanged() throws IOException {
        assertThat(difference(() -> {})).isNull();
    }

    @Test
    void aChangedByteANewNameAndAMissingNameAreSeen() throws IOException {
        assertThat(difference(() -> Files.writeString(file, "two"))).startsWith("'file' was");
        assertThat(difference(() -> Files.writeString(directory.resolve("more"), "")))
                .startsWith("'more' was missing");
        assertThat(difference(() -> Files.delete(file))).contains("is missing");
    }

    @Test
    void theOwnerFileAndTheMemoryOfTheDiskMayChange() throws IOException {
        assertThat(difference(() -> Files.writeString(directory.resolve("tallystick.owner"), "pid=7")))
                .isNull();
        assertThat(difference(() -> Files.writeString(directory.resolve("tallystick.io"), "io=direct")))
                .isNull();
        assertThat(difference(() -> Files.writeString(directory.resolve("tallystick.node"), "node=a")))
                .isNotNull();
    }

    /** A process that was killed while it measured the disk has left it. */
    @Test
    void theFileOfAMeasurementMayBeDeleted() throws IOException {
        Path trial = Files.writeString(directory.resolve("tallystick-probe-channel"), "zeros");

        assertThat(difference(() -> Files.delete(trial))).isNull();
    }

    @Test
    void aDirectoryThatIsMadeIsSeen() throws IOException {
        DirectoryImage before = DirectoryImage.of(directory.resolve("store"));
        Files.createDirectory(directory.resolve("store"));

        assertThat(before.differenceTo(DirectoryImage.of(directory.resolve("store"))))
                .isPresent();
    }

    private interface Change {
        void make() throws IOException;
    }

    private String difference(Change change) throws IOException {
        DirectoryImage before = DirectoryImage.of(directory);
        change.make();
        return before.differenceTo(DirectoryImage.of(directory)).orElse(null);
    }
}
