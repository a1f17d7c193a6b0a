package io.tallystick.nativeio;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tallystick.storage.Disk;
import io.tallystick.storage.SystemDisk;
import java.nio.file.Path;
import java.util.Optional;

/** What a test needs of the machine; without it the test is skipped and says why. */
final class Requirements {
    private Requirements() {}

    /** A disk with AIO through the native library, which must work in the directory. */
    static Disk libaio(Path directory) {
        assumeNone(LibaioLibrary.load());
        return diskOn(new LibaioEngine(), directory);
    }

    /** A disk with AIO by system calls, which must work in the directory. */
    static Disk foreignAio(Path directory) {
        assumeNone(ForeignEngines.unavailableBecause());
        return diskOn(ForeignEngines.aio(), directory);
    }

    /** A disk with io_uring, which must work in the directory. */
    static Disk uring(Path directory) {
        assumeNone(ForeignEngines.unavailableBecause());
        return diskOn(ForeignEngines.uring(), directory);
    }

    private static Disk diskOn(Engine engine, Path directory) {
        assumeNone(new Probe(engine, directory).unavailableBecause());
        return new NativeDisk(new SystemDisk(), engine);
    }

    private static void assumeNone(Optional<String> reason) {
        assumeTrue(reason.isEmpty(), () -> "skipped: " + reason.orElseThrow());
    }

    /** strace that may trace and inject. */
    static void strace() throws InterruptedException {
        assumeTrue(
                Commands.succeed("strace", "-f", "-qq", "--seccomp-bpf", "-e", "trace=none", "true"),
                "skipped: strace is not installed or may not trace here");
    }

    /** A way to limit the size of the files that a process may write. */
    static void prlimit() throws InterruptedException {
        assumeTrue(Commands.succeed("prlimit", "--fsize=1000000", "true"), "skipped: prlimit is not installed");
    }
}
