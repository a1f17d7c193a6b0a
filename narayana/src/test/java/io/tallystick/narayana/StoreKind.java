package io.tallystick.narayana;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tallystick.storage.DiskDevice;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StoreConfiguration;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The stores that the adaptor is tested over, as the settings that select them. */
enum StoreKind {
    INMEMORY(Map.of("tallystick.store", "inmemory")),
    FILE(Map.of("tallystick.store", "file")),
    SEGMENTED_CHANNEL(journal("segmented", "channel")),
    SEGMENTED_DIRECT(journal("segmented", "direct")),
    SEGMENTED_AIO(journal("segmented", "aio")),
    SEGMENTED_URING(journal("segmented", "uring")),
    ARTEMIS_CHANNEL(journal("artemis", "channel")),
    ARTEMIS_AIO(journal("artemis", "aio"));

    private static final String IO = "tallystick.journal.io";

    private final Map<String, String> settings;

    StoreKind(Map<String, String> settings) {
        this.settings = settings;
    }

    // Small files: every test makes its own.
    private static Map<String, String> journal(String engine, String io) {
        return Map.of(
                "tallystick.store",
                "journal",
                "tallystick.journal.engine",
                engine,
                IO,
                io,
                "tallystick.journal.segment-size",
                "1MiB",
                "tallystick.max-state-size",
                "64KiB");
    }

    /** Those that a second process finds again. */
    static Stream<StoreKind> durable() {
        return Arrays.stream(values()).filter(StoreKind::isDurable);
    }

    /** One of each store and engine, writing in the plainest way. */
    static Stream<StoreKind> plain() {
        return Stream.of(INMEMORY, FILE, SEGMENTED_CHANNEL, ARTEMIS_CHANNEL);
    }

    static Stream<StoreKind> plainAndDurable() {
        return plain().filter(StoreKind::isDurable);
    }

    static Stream<StoreKind> otherDurable() {
        return durable().filter(kind -> plain().noneMatch(kind::equals));
    }

    boolean isDurable() {
        return this != INMEMORY;
    }

    Map<String, String> settings() {
        return settings;
    }

    /** Skips the test, saying why, where this way to the disk does not work. */
    void assumeAvailable(Path directory) {
        String io = settings.getOrDefault(IO, "channel");
        if (io.equals("aio") || io.equals("uring")) {
            Optional<DiskDevice> device = DiskDevice.named(io);
            assumeTrue(device.isPresent(), () -> "skipped: no device " + io + " on the class path");
            Optional<String> reason = device.orElseThrow().unavailableBecause(directory);
            assumeTrue(reason.isEmpty(), () -> "skipped: " + io + " does not work here: " + reason.orElse(""));
        }
    }

    StoreConfiguration.Builder configure(Path directory) {
        StoreConfiguration.Builder builder = StoreConfiguration.builder().directory(directory);
        settings.forEach(builder::set);
        return builder;
    }

    ObjectStore open(Path directory) {
        return ObjectStores.open(configure(directory).build());
    }
}
