package io.tallystick.nativeio;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskDevice;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The device {@code aio}: Linux asynchronous I/O past the page cache, each write durable by itself.
 *
 * <p>It needs the jar {@code org.apache.activemq:activemq-artemis-native:2.0.0}, the system's {@code libaio.so.1} and
 * an x86-64 processor. Its files may be written by several threads at once; each
 * has one request in flight, so the disk sees as many as there are writers.
 */
public final class AioDevice implements DiskDevice {
    /** Called by {@link java.util.ServiceLoader}. */
    public AioDevice() {}

    @Override
    public String name() {
        return "aio";
    }

    @Override
    public Optional<String> unavailableBecause(Path directory) {
        Optional<String> notLoaded = LibaioLibrary.load();
        return notLoaded.isPresent() ? notLoaded : new Probe(new LibaioEngine(), directory).unavailableBecause();
    }

    /**
     * {@inheritDoc}
     *
     * @throws IOException the native library cannot be loaded; the message says why and what to do
     */
    @Override
    public Disk over(Disk disk) throws IOException {
        Optional<String> notLoaded = LibaioLibrary.load();
        if (notLoaded.isPresent()) {
            throw new IOException("device=aio: " + notLoaded.get());
        }
        return new NativeDisk(disk, new LibaioEngine());
    }
}
