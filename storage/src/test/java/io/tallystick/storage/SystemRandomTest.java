package io.tallystick.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SystemRandomTest {
    @TempDir
    private Path directory;

    @Test
    void numbersDiffer() {
        Set<Long> numbers = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            numbers.add(SystemRandom.nextLong());
        }
        assertThat(numbers).hasSize(1000);
    }

    @Test
    void theDeviceIsRead() {
        Path zeros = Path.of("/dev/zero");
        assumeThat(zeros).as("this system has no /dev/zero").exists();

        assertThat(SystemRandom.nextLong(zeros)).isZero();
    }

    @Test
    void withoutADeviceOrWithAFileInItsPlaceNumbersDifferToo() throws IOException {
        Path file = Files.write(directory.resolve("file"), new byte[100]);
        Set<Long> numbers = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            numbers.add(SystemRandom.nextLong(directory.resolve("missing")));
            numbers.add(SystemRandom.nextLong(file));
            numbers.add(SystemRandom.nextLong(Path.of("/dev/null"))); // ends at once
        }
        assertThat(numbers).hasSize(300);
    }
}
