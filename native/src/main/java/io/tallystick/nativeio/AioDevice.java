package io.tallystick.nativeio;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskDevice;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The device {@code aio}: Linux asynchronous I/O past the page cache, each write durable by itself.
 *
 * <p>On JDK 22 and later it makes the system calls itself, on x86-64 and 64-bit ARM, and needs native access and
 * nothing else. On earlier JDKs it needs the jar {@code org.apache.activemq:activemq-artemis-native:2.0.0}, the
 * system's {@code libaio.so.1} and an x86-64 processor. That jar starts SLF4J, which complains on standard error if it
 * has no provider. Then this device is used only if it is configured by its name. Several threads may write a file at
 * once. Each has one request in flight, so the disk sees as many as there are writers.
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
        Optional<String> noEngine = noEngineBecause();
        return noEngine.isPresent() ? noEngine : new Probe(engine(), directory).unavailableBecause();
    }

    @Override
    public Optional<String> onlyByNameBecause() {
        return ForeignEngines.unavailableBecause().isEmpty() ? Optional.empty() : LibaioLibrary.speaksBecause();
    }

    /**
     * {@inheritDoc}
     *
     * @throws IOException there is no way to the system calls; the message says why and what to do
     */
    @Override
    public Disk over(Disk disk) throws IOException {
        Optional<String> noEngine = noEngineBecause();
        if (noEngine.isPresent()) {
            throw new IOException("device=aio: " + noEngine.get());
        }
        return new NativeDisk(disk, engine());
    }

    private static Optional<String> noEngineBecause() {
        Optional<String> noCalls = ForeignEngines.unavailableBecause();
        return noCalls.isEmpty()
                ? Optional.empty()
                : LibaioLibrary.load()
                        .map(noLibrary -> noLibrary + ". Nor can it do without that library: " + noCalls.get());
    }

    private static Engine engine() {
        return ForeignEngines.unavailableBecause().isEmpty() ? ForeignEngines.aio() : new LibaioEngine();
    }
}
