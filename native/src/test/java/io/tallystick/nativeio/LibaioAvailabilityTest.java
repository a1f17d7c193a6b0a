package io.tallystick.nativeio;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Where the device does not work it says why and what to do, in one sentence, and throws nothing. */
@EnabledOnOs(
        value = OS.LINUX,
        architectures = "amd64",
        disabledReason = "skipped: the native library is for Linux on x86-64")
@Timeout(90)
class LibaioAvailabilityTest {
    @TempDir(factory = OnLocalDisk.class)
    Path directory;

    @Test
    void theJarIsMissing() throws Exception {
        assertThat(probe(child().without("artemis-native")))
                .contains("activemq-artemis-native:2.0.0 is not on the class path", "Add it");
    }

    @Test
    void theJarThatTheJarNeedsIsMissing() throws Exception {
        assertThat(probe(child().without("slf4j")))
                .contains("org.slf4j:slf4j-api", "is not on the class path", "Add it");
    }

    @Test
    void theLibraryIsNotTheKnownOne() throws Exception {
        Path resources = directory.resolve("resources");
        Path library = resources.resolve("lib/linux-x86_64/libartemis-native-64.so");
        Files.createDirectories(library.getParent());
        Files.writeString(library, "not a library");
        assertThat(probe(child().withFirst(resources)))
                .contains("libartemis-native-64.so", "SHA-256", "Put that version on the class path");
    }

    @Test
    void theProcessorIsAnother() throws Exception {
        assertThat(probe(child().with("-Dos.arch=aarch64"))).contains("x86-64 only", "aarch64", "journal.io=direct");
    }

    @Test
    void theSystemIsAnother() throws Exception {
        assertThat(probe(child().with("-Dos.name=SunOS"))).contains("SunOS", "journal.io=channel");
    }

    @Test
    void libaioIsNotInstalled() throws Exception {
        Requirements.strace();
        Requirements.libaio(directory);
        ChildJvm child = child().under(
                        "strace",
                        "-f",
                        "-qq",
                        "-o",
                        directory.resolve("strace.txt").toString())
                .under("-P", "/lib/x86_64-linux-gnu/libaio.so.1", "-P", "/usr/lib/x86_64-linux-gnu/libaio.so.1")
                .under("-P", "/lib64/libaio.so.1", "-P", "/usr/lib64/libaio.so.1")
                .under("-e", "trace=openat", "-e", "inject=openat:error=ENOENT");
        assertThat(probe(child)).contains("libaio.so.1", "Install the package libaio1");
    }

    @Test
    void theKernelHasNoRoom() throws Exception {
        Requirements.strace();
        Requirements.libaio(directory);
        ChildJvm child = child().under(
                        "strace",
                        "-f",
                        "-qq",
                        "--seccomp-bpf",
                        "-o",
                        directory.resolve("strace.txt").toString())
                .under("-e", "trace=io_setup", "-e", "inject=io_setup:error=EAGAIN");
        assertThat(probe(child)).contains("io_setup", "fs.aio-max-nr");
    }

    @Test
    void theDirectoryTakesNoDirectWrites() throws Exception {
        Requirements.libaio(directory);
        Path ramfs = RamFileSystem.mount();
        try {
            assertThat(new Probe(new LibaioEngine(), ramfs).unavailableBecause())
                    .hasValueSatisfying(reason ->
                            assertThat(reason).contains("ramfs", "O_DIRECT", "ext4 or XFS", ramfs.toString()));
        } finally {
            RamFileSystem.unmount(ramfs);
        }
    }

    @Test
    void theDirectoryIsMissing() throws Exception {
        Requirements.libaio(directory);
        assertThat(new Probe(new LibaioEngine(), directory.resolve("missing")).unavailableBecause())
                .hasValueSatisfying(reason -> assertThat(reason).contains("missing"));
    }

    @Test
    void tryingLeavesNothingBehind() throws Exception {
        Requirements.libaio(directory);
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left).isEmpty();
        }
    }

    private ChildJvm child() {
        return WriterProcess.inAJvmBefore22(directory);
    }

    private String probe(ChildJvm child) throws Exception {
        List<String> lines = child.lines("probe", "aio", directory.toString());
        assertThat(lines).hasSize(1);
        assertThat(lines.get(0)).startsWith("UNAVAILABLE ");
        return lines.get(0);
    }
}
