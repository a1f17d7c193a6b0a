package io.tallystick.storage;

import static org.assertj.core.api.Assertions.assertThat;

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
    void theDeviceIsRead() throws IOException {
        Path device = Files.write(directory.resolve("device"), new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9});

        assertThat(SystemRandom.nextLong(device)).isEqualTo(0x0102030405060708L);
    }

    @Test
    void withoutADeviceOrWithAShortOneNumbersDifferToo() throws IOException {
        Path shortOne = Files.write(directory.resolve("short"), new byte[7]);
        Set<Long> numbers = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            numbers.add(SystemRandom.nextLong(directory.resolve("missing")));
            numbers.add(SystemRandom.nextLong(shortOne));
        }
        assertThat(numbers).hasSize(200);
    }
}
