package io.tallystick.nativeio;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskDevice;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The device {@code uring}: io_uring past the page cache, each write durable by itself.
 *
 * <p>It needs JDK 22 or later, native access, and Linux 5.11 or later on x86-64 or 64-bit ARM. The system must permit
 * io_uring, which many containers do not. Several threads may write a file at once, each on a ring of its own.
 */
public final class UringDevice implements DiskDevice {
    /** Called by {@link java.util.ServiceLoader}. */
    public UringDevice() {}

    @Override
    public String name() {
        return "uring";
    }

    @Override
    public Optional<String> unavailableBecause(Path directory) {
        Optional<String> missing = ForeignEngines.unavailableBecause();
        return missing.isPresent() ? missing : new Probe(ForeignEngines.uring(), directory).unavailableBecause();
    }

    @Override
    public Optional<String> unavailableAnywhereBecause() {
        return ForeignEngines.unavailableBecause();
    }

    /**
     * {@inheritDoc}
     *
     * @throws IOException there is no way to the system calls; the message says why and what to do
     */
    @Override
    public Disk over(Disk disk) throws IOException {
        Optional<String> missing = ForeignEngines.unavailableBecause();
        if (missing.isPresent()) {
            throw new IOException("device=uring: " + missing.get());
        }
        return new NativeDisk(disk, ForeignEngines.uring());
    }
}
