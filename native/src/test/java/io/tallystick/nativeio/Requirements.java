package io.tallystick.nativeio;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskDevice;
import io.tallystick.storage.SystemDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** What a test needs of the machine; without it the test is skipped and says why. */
final class Requirements {
    private Requirements() {}

    /** A disk with the device, which must work in the directory. */
    static Disk diskWith(String device, Path directory) throws IOException {
        DiskDevice found = DiskDevice.named(device).orElseThrow();
        Optional<String> reason = found.unavailableBecause(directory);
        assumeTrue(reason.isEmpty(), () -> "skipped: " + reason.orElseThrow());
        return found.over(new SystemDisk());
    }

    /** strace that may trace and inject. */
    static void strace() throws InterruptedException {
        assumeTrue(
                works("strace", "-f", "-qq", "--seccomp-bpf", "-e", "trace=none", "true"),
                "skipped: strace is not installed or may not trace here");
    }

    /** A way to limit the size of the files that a process may write. */
    static void prlimit() throws InterruptedException {
        assumeTrue(works("prlimit", "--fsize=1000000", "true"), "skipped: prlimit is not installed");
    }

    private static boolean works(String... command) throws InterruptedException {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor(20, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException notInstalled) {
            return false;
        }
    }
}
