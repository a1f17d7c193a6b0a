package io.tallystick.nativeio;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the kernel's settings say about a refusal. */
final class KernelLimits {
    private static final Path AIO_USED = Path.of("/proc/sys/fs/aio-nr");
    private static final Path AIO_LIMIT = Path.of("/proc/sys/fs/aio-max-nr");

    private KernelLimits() {}

    /** What to do when {@code io_setup} is refused. */
    static String aioRemedy() {
        return "The machine has " + valueOf(AIO_USED) + " of " + valueOf(AIO_LIMIT)
                + " requests of asynchronous I/O reserved; if they are used up, raise fs.aio-max-nr with sysctl. If it is"
                + " not permitted or not implemented, this container or kernel does not offer it";
    }

    private static String valueOf(Path setting) {
        try {
            return Files.readString(setting).trim();
        } catch (IOException unreadable) {
            return "an unknown number";
        }
    }
}
