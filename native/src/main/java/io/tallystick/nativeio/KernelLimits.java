package io.tallystick.nativeio;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Explains a refusal of the kernel by its settings. */
final class KernelLimits {
    private static final Path AIO_USED = Path.of("/proc/sys/fs/aio-nr");
    private static final Path AIO_LIMIT = Path.of("/proc/sys/fs/aio-max-nr");

    private static final Path URING_DISABLED = Path.of("/proc/sys/kernel/io_uring_disabled");

    private KernelLimits() {}

    /** The remedy when {@code io_setup} is refused. */
    static String aioRemedy() {
        return "The machine has " + valueOf(AIO_USED) + " of " + valueOf(AIO_LIMIT)
                + " requests of asynchronous I/O reserved; if they are used up, raise fs.aio-max-nr with sysctl. If it"
                + " is not permitted or not implemented, this container or kernel does not offer it";
    }

    /** The remedy when {@code io_uring_setup} is refused. */
    static String uringRemedy() {
        return "The setting kernel.io_uring_disabled is " + valueOf(URING_DISABLED)
                + " (0 permits it to all users, 1 to a group, 2 to no user; unknown before Linux 6.6). Change it with"
                + " sysctl, or permit io_uring in the container's seccomp profile, or raise the limit on locked memory,"
                + " or use tallystick.journal.io=aio or direct";
    }

    private static String valueOf(Path setting) {
        try {
            return Files.readString(setting).trim();
        } catch (IOException unreadable) {
            return "an unknown number";
        }
    }
}
