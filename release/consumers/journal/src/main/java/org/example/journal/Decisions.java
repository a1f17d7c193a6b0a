package org.example.journal;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Writes a decision, and finds it again when the store is opened the next time. */
public final class Decisions {
    private static final StateKey KEY = StateKey.of("/Decision", ObjectId.of(new byte[] {1}));

    private Decisions() {}

    public static void write(Path directory, String decision) {
        try (ObjectStore store = open(directory)) {
            store.write(KEY, decision.getBytes(StandardCharsets.UTF_8), Durability.FORCED);
        }
    }

    public static String read(Path directory) {
        try (ObjectStore store = open(directory)) {
            return new String(store.read(KEY).orElseThrow(), StandardCharsets.UTF_8);
        }
    }

    private static ObjectStore open(Path directory) {
        return ObjectStores.open(StoreConfiguration.builder()
                .store("journal")
                .directory(directory)
                .build());
    }
}
