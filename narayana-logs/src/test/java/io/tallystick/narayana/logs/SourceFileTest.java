package io.tallystick.narayana.logs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tallystick.storage.Disk;
import io.tallystick.storage.SystemDisk;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file is read whole, or it is told why not. */
class SourceFileTest {
    private final Disk disk = new SystemDisk();

    @TempDir
    private Path directory;

    @Test
    void aFileIsReadWhole() throws IOException {
        Path file = Files.write(directory.resolve("a"), new byte[] {1, 2, 3});
        assertThat(SourceFile.read(disk, file)).containsExactly(1, 2, 3);
        assertThat(SourceFile.readBeginning(disk, file, 2).remaining()).isEqualTo(2);
    }

    @Test
    void aFileThatIsGoneOrShorterWasChangedMeanwhile() throws IOException {
        Path file = Files.write(directory.resolve("a"), new byte[] {1});
        assertThatExceptionOfType(SourceException.class)
                .isThrownBy(() -> SourceFile.readBeginning(disk, file, 2))
                .withMessageContaining("stop the transaction manager")
                .extracting(SourceException::reason)
                .isEqualTo(SourceException.Reason.CHANGED);
        assertThatExceptionOfType(SourceException.class)
                .isThrownBy(() -> SourceFile.read(disk, directory.resolve("gone")))
                .extracting(SourceException::reason)
                .isEqualTo(SourceException.Reason.CHANGED);
    }

    /** A hole of this size takes no room. */
    @Test
    void aFileThatNoStateCanBeIsNotReadIntoMemory() throws IOException {
        Path file = directory.resolve("a");
        try (RandomAccessFile made = new RandomAccessFile(file.toFile(), "rw")) {
            made.setLength(Integer.MAX_VALUE);
        }
        assertThatExceptionOfType(SourceException.class)
                .isThrownBy(() -> SourceFile.read(disk, file))
                .extracting(SourceException::reason)
                .isEqualTo(SourceException.Reason.TOO_LARGE);
    }

    @Test
    void anyNameOfTheFormCounts() throws IOException {
        Files.createFile(directory.resolve("b1"));
        Files.createFile(directory.resolve("a1"));
        Files.createFile(directory.resolve("c"));
        assertThat(SourceFile.isIn(disk, directory, Pattern.compile("a\\d"))).isTrue();
        assertThat(SourceFile.isIn(disk, directory, Pattern.compile("d"))).isFalse();
    }
}
