package io.tallystick.store.journal.artemis;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tallystick.storage.DiskDevice;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** The machine that a test needs. On another machine the test is skipped and says why. */
final class Requirements {
    private Requirements() {}

    /** A native way to the disk that works where temporary files are. */
    static void device(String name) {
        Optional<String> reason = DiskDevice.named(name)
                .map(device -> device.unavailableBecause(Path.of(System.getProperty("java.io.tmpdir"))))
                .orElse(Optional.of("the artifact tallystick-native is not on the class path"));
        assumeTrue(reason.isEmpty(), () -> "skipped: " + name + " does not work here: " + reason.orElseThrow());
    }

    /** strace that may trace and inject. */
    static void strace() throws InterruptedException {
        boolean works;
        try {
            works = new ProcessBuilder("strace", "-f", "-qq", "--seccomp-bpf", "-e", "trace=none", "true")
                            .redirectErrorStream(true)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException notThere) {
            works = false;
        }
        assumeTrue(works, "skipped: strace is not installed or may not trace here");
    }
}
