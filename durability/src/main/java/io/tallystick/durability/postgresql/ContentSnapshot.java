package io.tallystick.durability.postgresql;

import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** All that a store showed to readers at one moment, as a store that can only be read. */
final class ContentSnapshot {
    private final Map<StateKey, Content> contents = new HashMap<>();
    private final Map<String, List<StateKey>> keys = new HashMap<>();

    private record Content(StateStatus status, Optional<byte[]> committed, Optional<byte[]> shadow) {
        private static final Content NOTHING = new Content(StateStatus.ABSENT, Optional.empty(), Optional.empty());
    }

    private ContentSnapshot() {}

    /** Nothing must change in the store meanwhile. */
    static ContentSnapshot of(ObjectStore store) {
        ContentSnapshot snapshot = new ContentSnapshot();
        for (String type : store.types()) {
            snapshot.keys.put(type, store.keys(type));
            for (StateKey key : snapshot.keys.get(type)) {
                snapshot.contents.put(key, new Content(store.statusOf(key), store.read(key), store.readShadow(key)));
            }
        }
        return snapshot;
    }

    /** Answers what a check after a crash asks. */
    ObjectStore store() {
        return (ObjectStore) Proxy.newProxyInstance(
                ObjectStore.class.getClassLoader(),
                new Class<?>[] {ObjectStore.class},
                (self, method, arguments) -> switch (method.getName()) {
                    case "types" -> Set.copyOf(keys.keySet());
                    case "keys" -> keys.getOrDefault((String) arguments[0], List.of());
                    case "statusOf" -> of((StateKey) arguments[0]).status;
                    case "read" -> of((StateKey) arguments[0]).committed;
                    case "readShadow" -> of((StateKey) arguments[0]).shadow;
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    private Content of(StateKey key) {
        return contents.getOrDefault(key, Content.NOTHING);
    }
}
