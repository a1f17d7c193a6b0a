package io.tallystick.narayana;

import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StoreConfiguration;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Stream;

/** The stores that the adaptor is tested over, as the settings that select them. */
enum StoreKind {
    INMEMORY(Map.of("tallystick.store", "inmemory")),
    SEGMENTED_CHANNEL(journal("segmented", "channel")),
    SEGMENTED_DIRECT(journal("segmented", "direct"));

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
                "tallystick.journal.io",
                io,
                "tallystick.journal.segment-size",
                "1MiB",
                "tallystick.journal.max-record-size",
                "64KiB");
    }

    /** Those that a second process finds again. */
    static Stream<StoreKind> durable() {
        return Arrays.stream(values()).filter(StoreKind::isDurable);
    }

    boolean isDurable() {
        return this != INMEMORY;
    }

    Map<String, String> settings() {
        return settings;
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
