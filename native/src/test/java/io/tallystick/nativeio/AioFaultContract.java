package io.tallystick.nativeio;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** System calls that fail under a process that writes: each failure is that write's, and nothing hangs. */
@Timeout(90)
abstract class AioFaultContract {
    private static final int BLOCK = 4096;

    @TempDir(factory = OnLocalDisk.class)
    Path directory;

    private Path file;

    /** Skips the test, with the reason, where the calls that are to fail are not made. */
    abstract void requireEngine();

    /** A process in which the device makes these calls. */
    abstract ChildJvm process();

    @BeforeEach
    void prepare() throws IOException {
        requireEngine();
        file = Files.write(directory.toAbsolutePath().resolve("data"), new byte[64 * BLOCK]);
    }

    @Test
    void withoutFaultsEveryWriteIsAcknowledged() throws Exception {
        Requirements.strace();
        assertThat(writeUnder("io_submit:delay_enter=1")).containsExactly("ACK 0", "ACK 1", "ACK 2", "ACK 3", "DONE");
        assertWritten(1, 2, 3, 4);
    }

    @Test
    void aRefusedSubmissionFailsThatWriteOnly() throws Exception {
        Requirements.strace();
        assertThat(writeUnder("io_submit:error=EAGAIN:when=2"))
                .containsExactly("ACK 0", "ERR 1", "ACK 2", "ACK 3", "DONE");
        assertWritten(1, 0, 3, 4);
    }

    @Test
    void submissionsRefusedForEverFailEveryWrite() throws Exception {
        Requirements.strace();
        List<String> outcomes = new ArrayList<>(writeUnder("io_submit:error=EIO:when=2..4"));
        assertThat(outcomes).containsExactly("ACK 0", "ERR 1", "ERR 2", "ERR 3", "DONE");
        assertWritten(1, 0, 0, 0);
    }

    @Test
    void aWriteWhoseResultCannotBeFetchedFails() throws Exception {
        Requirements.strace();
        assertThat(writeUnder("io_getevents:error=EINVAL:when=2"))
                .containsExactly("ACK 0", "ERR 1", "ACK 2", "ACK 3", "DONE");
    }

    @Test
    void aWaitCutShortBySignalsGoesOn() throws Exception {
        Requirements.strace();
        assertThat(writeUnder("io_getevents:error=EINTR:when=2..5"))
                .containsExactly("ACK 0", "ACK 1", "ACK 2", "ACK 3", "DONE");
        assertWritten(1, 2, 3, 4);
    }

    @Test
    void aRefusedContextFailsTheOpeningAndNamesTheLimit() throws Exception {
        Requirements.strace();
        List<String> lines =
                child("io_setup:error=EAGAIN:when=1").lines("write", "aio", file.toString(), "2", "" + BLOCK);
        assertThat(lines.get(0)).startsWith("ERR open ").contains("io_setup", "fs.aio-max-nr", "file=" + file);
        assertThat(lines.subList(1, 4)).containsExactly("ACK 0 " + BLOCK, "ACK 1 " + BLOCK, "DONE");
    }

    /** The kernel cuts a write off at the limit on file sizes and reports success for what fits. */
    @Test
    void aShortWriteReportsItsCountAndTheNextOneFails() throws Exception {
        Requirements.prlimit();
        List<String> lines = process()
                .under("prlimit", "--fsize=" + 44 * BLOCK)
                .lines("write", "aio", file.toString(), "4", "" + 16 * BLOCK);
        assertThat(lines).hasSize(5).endsWith("DONE");
        assertThat(lines.subList(0, 2)).containsExactly("ACK 0 " + 16 * BLOCK, "ACK 1 " + 16 * BLOCK);
        assertThat(lines.get(2)).isEqualTo("ACK 2 " + 12 * BLOCK);
        assertThat(lines.get(3)).startsWith("ERR 3 ").contains("offset=" + 48 * BLOCK, file.toString());
    }

    /** First word and index of each line. */
    private List<String> writeUnder(String injection) throws Exception {
        return child(injection).lines("write", "aio", file.toString(), "4", "" + BLOCK).stream()
                .map(line -> line.split(" "))
                .map(words -> words.length < 2 ? words[0] : words[0] + " " + words[1])
                .toList();
    }

    private ChildJvm child(String injection) {
        return process()
                .under(
                        "strace",
                        "-f",
                        "-qq",
                        "--seccomp-bpf",
                        "-o",
                        directory.resolve("strace.txt").toString())
                .under("-e", "trace=io_setup,io_submit,io_getevents", "-e", "inject=" + injection);
    }

    private void assertWritten(int... values) throws IOException {
        byte[] content = Files.readAllBytes(file);
        for (int i = 0; i < values.length; i++) {
            for (int at = i * BLOCK; at < (i + 1) * BLOCK; at++) {
                assertThat(content[at]).as("block=%d", i).isEqualTo((byte) values[i]);
            }
        }
    }
}
