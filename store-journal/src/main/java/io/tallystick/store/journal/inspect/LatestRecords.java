package io.tallystick.store.journal.inspect;

import io.tallystick.store.StateKey;
import io.tallystick.store.log.record.RecordDecoder;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongPredicate;
import java.util.function.Supplier;

/**
 * The latest record of each key, as recovery replays them. A later record of a key replaces an earlier one, and a
 * removal takes the key away.
 */
final class LatestRecords {
    /** A record, and the segment that it was found in. */
    private record Placed(RecordOnDisk record, long segmentId) {}

    private final Map<StateKey, Placed> latest = new HashMap<>();

    /**
     * Applies the next record of the log.
     *
     * @param found makes the record to keep; not called for a removal
     */
    void apply(RecordDecoder.Header header, long segmentId, Supplier<RecordOnDisk> found) {
        if (header.flags() == 0) {
            latest.remove(header.key());
        } else {
            latest.put(header.key(), new Placed(found.get(), segmentId));
        }
    }

    /** Forgets the records of these segments. */
    void forget(LongPredicate segmentIds) {
        latest.values().removeIf(placed -> segmentIds.test(placed.segmentId));
    }

    void clear() {
        latest.clear();
    }

    Collection<RecordOnDisk> all() {
        return latest.values().stream().map(Placed::record).toList();
    }
}
