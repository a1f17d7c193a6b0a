package io.tallystick.testkit;

import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** What a store should hold, as plain as can be: no threads, no disk, nothing shared with the stores' code. */
final class ModelStore {
    private final Map<StateKey, Entry> entries = new HashMap<>();

    private static final class Entry {
        private byte[] committed;
        private byte[] shadow;
        private boolean hidden;
    }

    void write(StateKey key, byte[] state) {
        entries.computeIfAbsent(key, absent -> new Entry()).committed = state;
    }

    void writeShadow(StateKey key, byte[] state) {
        entries.computeIfAbsent(key, absent -> new Entry()).shadow = state;
    }

    boolean remove(StateKey key) {
        Entry entry = entries.get(key);
        if (entry == null || entry.committed == null) {
            return false;
        }
        entry.committed = null;
        dropIfEmpty(key, entry);
        return true;
    }

    boolean commitShadow(StateKey key) {
        Entry entry = entries.get(key);
        if (entry == null || entry.shadow == null) {
            return false;
        }
        entry.committed = entry.shadow;
        entry.shadow = null;
        return true;
    }

    boolean discardShadow(StateKey key) {
        Entry entry = entries.get(key);
        if (entry == null || entry.shadow == null) {
            return false;
        }
        entry.shadow = null;
        dropIfEmpty(key, entry);
        return true;
    }

    boolean hide(StateKey key) {
        return setHidden(key, true);
    }

    boolean reveal(StateKey key) {
        return setHidden(key, false);
    }

    byte[] read(StateKey key) {
        Entry entry = entries.get(key);
        return entry == null || entry.hidden ? null : entry.committed;
    }

    byte[] readShadow(StateKey key) {
        Entry entry = entries.get(key);
        return entry == null || entry.hidden ? null : entry.shadow;
    }

    StateStatus statusOf(StateKey key) {
        Entry entry = entries.get(key);
        if (entry == null) {
            return StateStatus.ABSENT;
        }
        if (entry.shadow != null) {
            return entry.hidden ? StateStatus.SHADOW_HIDDEN : StateStatus.SHADOW;
        }
        return entry.hidden ? StateStatus.COMMITTED_HIDDEN : StateStatus.COMMITTED;
    }

    Set<String> types() {
        return entries.keySet().stream().map(StateKey::type).collect(Collectors.toSet());
    }

    List<StateKey> keys(String type) {
        return entries.keySet().stream().filter(key -> key.type().equals(type)).toList();
    }

    long records() {
        return entries.size();
    }

    long bytes() {
        return entries.values().stream()
                .mapToLong(entry -> (entry.committed == null ? 0 : entry.committed.length)
                        + (entry.shadow == null ? 0 : entry.shadow.length))
                .sum();
    }

    private boolean setHidden(StateKey key, boolean hidden) {
        Entry entry = entries.get(key);
        if (entry == null) {
            return false;
        }
        entry.hidden = hidden;
        return true;
    }

    private void dropIfEmpty(StateKey key, Entry entry) {
        if (entry.committed == null && entry.shadow == null) {
            entries.remove(key);
        }
    }
}
