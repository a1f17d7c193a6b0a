package io.tallystick.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
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

    @Test
    void mountIsTheDeepestThatHoldsTheDirectory() {
        List<String> mounts = List.of(
                "/dev/vda / ext4 rw,relatime 0 0",
                "tmpfs /tmp tmpfs rw 0 0",
                "/dev/sdb /mnt/my\\040disk xfs rw,nobarrier 0 0",
                "/dev/sdc /mn ext4 rw 0 0");

        assertThat(Machine.mount(mounts, Path.of("/mnt/my disk/stores"))).contains("/mnt/my disk (rw,nobarrier)");
        assertThat(Machine.mount(mounts, Path.of("/home"))).contains("/ (rw,relatime)");
        assertThat(Machine.mount(List.of(), Path.of("/home"))).isEmpty();
    }
}
