package io.tallystick.durability.stage;

import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** All that a store shows to readers: of each key its status, its committed value and its shadow. */
final class StoreContent {
    private final Map<String, String> shown = new TreeMap<>();

    private StoreContent() {}

    /** Reads the content of the store. An exception of the store is passed on. */
    static StoreContent of(ObjectStore store) {
        StoreContent content = new StoreContent();
        for (String type : store.types()) {
            for (StateKey key : store.keys(type)) {
                StateStatus status = store.statusOf(key);
                content.shown.put(
                        key.toPrintable(),
                        status + " committed=" + shown(store.read(key)) + " shadow=" + shown(store.readShadow(key)));
            }
        }
        return content;
    }

    boolean isEmpty() {
        return shown.isEmpty();
    }

    /** The first key that differs, and how; empty if nothing does. */
    Optional<String> differenceTo(StoreContent other) {
        Map<String, String> all = new TreeMap<>(shown);
        other.shown.forEach(all::putIfAbsent);
        return all.keySet().stream()
                .filter(key -> !shown.getOrDefault(key, "nothing").equals(other.shown.getOrDefault(key, "nothing")))
                .map(key -> "key=" + key + " was " + shown.getOrDefault(key, "nothing") + " and is "
                        + other.shown.getOrDefault(key, "nothing"))
                .findFirst();
    }

    private static String shown(Optional<byte[]> bytes) {
        return bytes.map(value -> value.length + "B#" + Integer.toHexString(Arrays.hashCode(value)))
                .orElse("none");
    }
}
