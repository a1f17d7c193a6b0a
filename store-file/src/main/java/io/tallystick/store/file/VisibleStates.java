package io.tallystick.store.file;

import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreException;
import io.tallystick.store.spi.StateImage;
import io.tallystick.store.spi.TypeCounts;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The states as readers see them, while operations change them. */
final class VisibleStates {
    private final TypeDirectories types;
    private final StateFiles files;

    VisibleStates(TypeDirectories types, StateFiles files) {
        this.types = types;
        this.files = files;
    }

    /** The types that have a state. */
    Set<String> types() {
        Set<String> names = new HashSet<>();
        for (TypeDirectory type : types.all()) {
            if (type.hasVisibleKey()) {
                names.add(type.type());
            }
        }
        return names;
    }

    /** The keys of a type that have a state, at most this many. */
    List<StateKey> keys(String typeName, int atMost) {
        TypeDirectory type = types.find(typeName);
        return type == null ? List.of() : type.visibleKeys(atMost);
    }

    /** How many keys each type has, for types with at least one. */
    Map<String, Integer> countByType() {
        Map<String, Integer> counts = new TreeMap<>();
        types.all().forEach(type -> TypeCounts.put(counts, type.type(), type.keyCount()));
        return counts;
    }

    StateStatus statusOf(StateKey key) {
        TypeDirectory type = types.find(key.type());
        return type == null ? StateStatus.ABSENT : type.visible(key.id()).status();
    }

    /**
     * The image of the key, which may change meanwhile.
     *
     * @throws StoreException its file cannot be read, or is damaged
     */
    StateImage imageOf(StateKey key) {
        TypeDirectory type = types.find(key.type());
        while (type != null) {
            StoredState visible = type.visible(key.id());
            StateImage image;
            try {
                image = files.imageOf(type, key, visible);
            } catch (StoreException failed) {
                if (type.visible(key.id()) == visible) {
                    throw failed;
                }
                continue;
            }
            if (visible.isInMemory() || type.visible(key.id()) == visible) {
                return image;
            }
            // The file was changing while it was read.
        }
        return StateImage.ABSENT;
    }
}
