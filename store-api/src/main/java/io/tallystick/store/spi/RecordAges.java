package io.tallystick.store.spi;

import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * How long the oldest record has been in a store. Health checks look at the records, so that no write pays for this. A
 * record's age counts from the first look that saw it. {@linkplain BookkeepingTypes Notes of a transaction manager}
 * do not count.
 *
 * <p>The {@value #WATCHED} records that were seen first are watched: a look asks for each of them. A store is listed
 * only when it has records that may not be watched yet. With more than {@value #LISTED} records that is at the first
 * look, and then when none of the watched ones is left, and only as many are listed as are watched. May be used by any
 * number of threads.
 */
public final class RecordAges {
    static final int WATCHED = 1_000;
    static final int LISTED = 10_000;

    // In the order in which they were seen first; guarded by this.
    private final Map<StateKey, Long> firstSeenNanos = new LinkedHashMap<>();

    /** No record was seen yet. */
    public RecordAges() {}

    /**
     * Looks at the records, and returns how long the oldest one has been seen; empty if there is none.
     *
     * @param nowNanos monotonic time, nanoseconds
     * @throws io.tallystick.store.StoreClosedException the store is closed
     */
    public synchronized Optional<Duration> oldest(ObjectStore store, long nowNanos) {
        firstSeenNanos.keySet().removeIf(key -> store.statusOf(key) == StateStatus.ABSENT);
        Map<String, Integer> counts = new TreeMap<>(store.countByType());
        counts.keySet().removeIf(BookkeepingTypes::contains);
        long records = counts.values().stream().mapToLong(count -> count).sum();
        if (shouldList(records)) {
            for (String type : counts.keySet()) {
                watch(store, type, records <= LISTED ? LISTED : WATCHED, nowNanos);
            }
        }
        return firstSeenNanos.values().stream()
                .findFirst()
                .map(first -> Duration.ofNanos(Math.max(0, nowNanos - first)));
    }

    private boolean shouldList(long records) {
        int watched = firstSeenNanos.size();
        return records > watched && (records <= LISTED ? watched < WATCHED : watched == 0);
    }

    private void watch(ObjectStore store, String type, int atMost, long nowNanos) {
        if (firstSeenNanos.size() >= WATCHED) {
            return;
        }
        for (StateKey key : store.keys(type, atMost)) {
            if (firstSeenNanos.size() < WATCHED) {
                firstSeenNanos.putIfAbsent(key, nowNanos);
            }
        }
    }
}
