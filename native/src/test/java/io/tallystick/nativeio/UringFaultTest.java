package io.tallystick.nativeio;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** System calls of io_uring that fail or lie under a process that writes. */
@Timeout(90)
class UringFaultTest {
    private static final int BLOCK = 4096;

    @TempDir(factory = OnLocalDisk.class)
    Path directory;

    private Path file;

    @BeforeEach
    void prepare() throws IOException {
        Requirements.uring(directory);
        file = Files.write(directory.toAbsolutePath().resolve("data"), new byte[64 * BLOCK]);
    }

    @Test
    void aRefusedSubmissionFailsThatWriteOnly() throws Exception {
        Requirements.strace();
        assertThat(writeUnder("io_uring_enter:error=EAGAIN:when=2"))
                .containsExactly("ACK 0", "ERR 1", "ACK 2", "ACK 3", "DONE");
        assertWritten(1, 0, 3, 4);
    }

    /** The call answers that it took the write and did nothing. */
    @Test
    void aSubmissionThatNeverHappenedFailsTheWrite() throws Exception {
        Requirements.strace();
        assertThat(writeUnder("io_uring_enter:retval=1:when=2"))
                .containsExactly("ACK 0", "ERR 1", "ACK 2", "ACK 3", "DONE");
        assertWritten(1, 0, 3, 4);
    }

    @Test
    void aCallCutShortBySignalsGoesOn() throws Exception {
        Requirements.strace();
        assertThat(writeUnder("io_uring_enter:error=EINTR:when=2..5"))
                .containsExactly("ACK 0", "ACK 1", "ACK 2", "ACK 3", "DONE");
        assertWritten(1, 2, 3, 4);
    }

    @Test
    void aForbiddenRingFailsTheOpeningAndNamesTheSetting() throws Exception {
        Requirements.strace();
        List<String> lines =
                child("io_uring_setup:error=EPERM:when=1").lines("write", "uring", file.toString(), "2", "" + BLOCK);
        assertThat(lines.get(0))
                .startsWith("ERR open ")
                .contains("io_uring_setup", "kernel.io_uring_disabled", "seccomp");
        assertThat(lines.subList(1, 4)).containsExactly("ACK 0 " + BLOCK, "ACK 1 " + BLOCK, "DONE");
    }

    @Test
    void aForbiddenRingIsAReasonNotToUseIt() throws Exception {
        Requirements.strace();
        assertThat(child("io_uring_setup:error=ENOSYS").lines("probe", "uring", directory.toString()))
                .singleElement()
                .asString()
                .startsWith("UNAVAILABLE ")
                .contains("io_uring_setup", "journal.io=aio");
    }

    /** The kernel cuts a write off at the limit on file sizes and reports success for what fits. */
    @Test
    void aShortWriteReportsItsCountAndTheNextOneFails() throws Exception {
        Requirements.prlimit();
        List<String> lines = WriterProcess.inAJvm(directory)
                .under("prlimit", "--fsize=" + 44 * BLOCK)
                .lines("write", "uring", file.toString(), "4", "" + 16 * BLOCK);
        assertThat(lines).hasSize(5).endsWith("DONE");
        assertThat(lines.subList(0, 2)).containsExactly("ACK 0 " + 16 * BLOCK, "ACK 1 " + 16 * BLOCK);
        assertThat(lines.get(2)).isEqualTo("ACK 2 " + 12 * BLOCK);
        assertThat(lines.get(3)).startsWith("ERR 3 ").contains("offset=" + 48 * BLOCK, file.toString());
    }

    /** First word and index of each line. */
    private List<String> writeUnder(String injection) throws Exception {
        return child(injection).lines("write", "uring", file.toString(), "4", "" + BLOCK).stream()
                .map(line -> line.split(" "))
                .map(words -> words.length < 2 ? words[0] : words[0] + " " + words[1])
                .toList();
    }

    private ChildJvm child(String injection) {
        return WriterProcess.inAJvm(directory)
                .under(
                        "strace",
                        "-f",
                        "-qq",
                        "--seccomp-bpf",
                        "-o",
                        directory.resolve("strace.txt").toString())
                .under("-e", "trace=io_uring_setup,io_uring_enter", "-e", "inject=" + injection);
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
