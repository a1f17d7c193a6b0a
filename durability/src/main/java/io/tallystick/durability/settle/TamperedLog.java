package io.tallystick.durability.settle;

import io.tallystick.durability.subject.ConfiguredSubject;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A log whose records are given up, as Narayana's expiry scanner does, or cut so that nothing reads them. */
final class TamperedLog {
    private static final int CUT_BYTES = 40;

    private final ConfiguredSubject configured;
    private final Path store;
    private final Map<StateKey, byte[]> cutRecords = new HashMap<>();

    TamperedLog(ConfiguredSubject configured, Path store) {
        this.configured = configured;
        this.store = store;
    }

    private ObjectStore open() {
        return ObjectStores.open(configured.configuration(store).toBuilder()
                .set(StoreOption.NODE_ID, SettleStage.NODE)
                .build());
    }

    /** Puts the record where recovery does not look. */
    void giveUp(StateKey key) {
        try (ObjectStore log = open()) {
            byte[] record = log.read(key).orElseThrow();
            log.write(givenUp(key), record, Durability.FORCED);
            log.remove(key, Durability.FORCED);
        }
    }

    private static StateKey givenUp(StateKey key) {
        return StateKey.of(RecordsOnDisk.givenUp(key.type()), key.id());
    }

    /** Takes the end of the record away. */
    void cut(StateKey key) {
        try (ObjectStore log = open()) {
            byte[] record = log.read(key).orElseThrow();
            cutRecords.put(key, record);
            log.write(key, Arrays.copyOf(record, record.length - CUT_BYTES), Durability.FORCED);
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
        try (ObjectStore log = open()) {
            cutRecords.forEach((key, record) -> {
                for (StateKey each : List.of(key, givenUp(key))) {
                    if (log.read(each).isPresent()) {
                        log.write(each, record, Durability.FORCED);
                    }
                }
            });
        }
        cutRecords.clear();
    }
}
