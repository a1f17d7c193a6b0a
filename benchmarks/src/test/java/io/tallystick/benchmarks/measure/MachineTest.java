package io.tallystick.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class MachineTest {
    @TempDir
    private Path directory;

    @Test
    void writeCacheOfAPartitionIsThatOfItsDisk() throws IOException {
        Path disk = disk("sda", "write back");
        Path partition = Files.createDirectory(disk.resolve("sda1"));
        Files.writeString(partition.resolve("partition"), "1");
        Path blockClass = Files.createDirectory(directory.resolve("class"));
        Files.createSymbolicLink(blockClass.resolve("sda1"), partition);

        assertThat(Machine.writeCache(blockClass, "/dev/sda1")).contains("sda write back");
    }

    @Test
    void writeCacheOfAMappedDeviceIsThatOfTheDisksBelow() throws IOException {
        Path mapped = disk("dm-0", "write through");
        Files.createDirectory(mapped.resolve("slaves"));
        Files.createSymbolicLink(mapped.resolve("slaves/sda"), disk("sda", "write back"));
        Files.createSymbolicLink(mapped.resolve("slaves/sdb"), disk("sdb", "write through"));
        Path blockClass = Files.createDirectory(directory.resolve("class"));
        Files.createSymbolicLink(blockClass.resolve("dm-0"), mapped);

        assertThat(Machine.writeCache(blockClass, "/dev/dm-0")).contains("sda write back, sdb write through");
    }

    @Test
    void whatIsNoBlockDeviceHasNoWriteCache() {
        assertThat(Machine.writeCache(directory, "tmpfs")).isEmpty();
        assertThat(Machine.writeCache(directory, "/")).isEmpty();
    }

    @Test
    void thisMachineHasEveryFact() throws IOException, InterruptedException {
        Machine machine = Machine.here(directory, "./bench --quick");

        assertThat(machine.cores()).isPositive();
        assertThat(machine.fact(Machine.COMMAND)).isEqualTo("./bench --quick");
        assertThat(machine.facts().keySet())
                .containsAll(Machine.DECISIVE.stream()
                        .filter(fact -> !fact.equals(Machine.THROTTLED))
                        .toList());
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void linuxTellsTheMountPointAndItsOptions() throws IOException, InterruptedException {
        assertThat(Machine.here(directory, "./bench").fact(Machine.MOUNT)).matches("/.* \\(r[ow],?.*\\)");
    }

    @Test
    void tmpfsIsMemory() {
        assertThat(new Machine(Map.of(Machine.FILE_SYSTEM, "tmpfs")).isMemoryFileSystem())
                .isTrue();
        assertThat(new Machine(Map.of(Machine.FILE_SYSTEM, "ext4")).isMemoryFileSystem())
                .isFalse();
        assertThat(Machine.UNKNOWN.isMemoryFileSystem()).isFalse();
    }

    private Path disk(String name, String writeCache) throws IOException {
        Path queue = Files.createDirectories(
                directory.resolve("devices").resolve(name).resolve("queue"));
        Files.writeString(queue.resolve("write_cache"), writeCache + "\n");
        return queue.getParent();
    }
}
