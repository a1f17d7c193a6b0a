package io.tallystick.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.SecureRandom;

/**
 * Random numbers of the operating system, which nobody can guess.
 *
 * <p>A {@link SecureRandom} takes them from there too, but its classes cost a new process 12 ms. It serves where the
 * system has no such device.
 */
public final class SystemRandom {
    private static final Path DEVICE = Path.of("/dev/urandom");

    private SystemRandom() {}

    /** A number of 64 random bits. */
    public static long nextLong() {
        return nextLong(DEVICE);
    }

    static long nextLong(Path path) {
        Disk disk = new SystemDisk();
        ByteBuffer number = ByteBuffer.allocate(Long.BYTES);
        try {
            // A plain file there would give the same number each time.
            if (SystemRules.HERE.hasUnixDevices() && disk.kindOf(path) == Disk.PathKind.OTHER) {
                try (DiskFile device = disk.open(path, OpenMode.READ)) {
                    device.readFully(number, 0);
                    return number.getLong(0);
                }
            }
        } catch (IOException | SecurityException unreadable) {
            // as if it were missing
        }
        return new SecureRandom().nextLong();
    }
}
