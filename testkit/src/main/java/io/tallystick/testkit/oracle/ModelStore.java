package io.tallystick.testkit.oracle;

import io.tallystick.store.StateKey;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The expected content of a store: a plain map without threads or disk, which shares no code with the stores. */
public final class ModelStore {
    private final Map<StateKey, ModelImage> images = new HashMap<>();

    /** Performs the move and returns its answer. */
    public boolean move(ModelMove move, StateKey key, byte[] state) {
        ModelImage before = image(key);
        ModelImage after = move.after(before, state);
        if (after.isAbsent()) {
            images.remove(key);
        } else {
            images.put(key, after);
        }
        return move.answer(before);
    }

    public ModelImage image(StateKey key) {
        return images.getOrDefault(key, ModelImage.ABSENT);
    }

    public Set<String> types() {
        return images.keySet().stream().map(StateKey::type).collect(Collectors.toSet());
    }

    public List<StateKey> keys(String type) {
        return images.keySet().stream().filter(key -> key.type().equals(type)).toList();
    }

    public long records() {
        return images.size();
    }

    public long bytes() {
        return images.values().stream().mapToLong(ModelImage::bytes).sum();
    }
}
