package io.tallystick.durability.settle;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A log whose records are given up, as Narayana's expiry scanner does, or cut so that nothing reads them. */
final class TamperedLog {
    private static final int CUT_BYTES = 40;

    private final HistoryLog log;
    private final Map<StateKey, byte[]> cutRecords = new HashMap<>();

    TamperedLog(HistoryLog log) {
        this.log = log;
    }

    private ObjectStore open() {
        return ObjectStores.open(log.configuration());
    }

    /** Puts the record where recovery does not look. */
    void giveUp(StateKey key) {
        try (ObjectStore store = open()) {
            byte[] record = store.read(key).orElseThrow();
            store.write(givenUp(key), record, Durability.FORCED);
            store.remove(key, Durability.FORCED);
        }
    }

    private static StateKey givenUp(StateKey key) {
        return StateKey.of(RecordsOnDisk.givenUp(key.type()), key.id());
    }

    /** Takes the end of the record away. */
    void cut(StateKey key) {
        try (ObjectStore store = open()) {
            byte[] record = store.read(key).orElseThrow();
            cutRecords.put(key, record);
            store.write(key, Arrays.copyOf(record, record.length - CUT_BYTES), Durability.FORCED);
        }
    }

    /** Whether the record with this Uid, in hexadecimal digits, is cut. */
    boolean isCut(String uid) {
        return cutRecords.keySet().stream().anyMatch(key -> key.id().toString().equals(uid));
    }

    /** Makes each record that was cut whole again, also one that recovery has given up. */
    void mend() {
        if (cutRecords.isEmpty()) {
            return;
        }
        try (ObjectStore store = open()) {
            cutRecords.forEach((key, record) -> {
                for (StateKey each : List.of(key, givenUp(key))) {
                    if (store.read(each).isPresent()) {
                        store.write(each, record, Durability.FORCED);
                    }
                }
            });
        }
        cutRecords.clear();
    }
}
