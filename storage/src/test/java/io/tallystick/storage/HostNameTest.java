package io.tallystick.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class HostNameTest {
    @Test
    @EnabledOnOs(OS.LINUX)
    void itIsTheNameThatTheKernelHas() throws IOException {
        assertThat(HostName.ofThisMachine())
                .isNotBlank()
                .isEqualTo(
                        Files.readString(Path.of("/proc/sys/kernel/hostname")).strip());
    }
}
