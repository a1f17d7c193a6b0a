package io.tallystick.store.spi;

import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * How long the oldest record has been in a store. Health checks look at the records, so that no write pays for this. A
 * record's age counts from the first look that saw it. {@linkplain BookkeepingTypes Notes of a transaction manager}
 * do not count.
 *
 * <p>The {@value #WATCHED} records that were seen first are watched. A store with more than {@value #LISTED} records
 * is not listed again: only the watched ones are looked up. May be used by any number of threads.
 */
public final class RecordAges {
    static final int WATCHED = 1_000;
    static final int LISTED = 100_000;

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
        if (firstSeenNanos.size() < WATCHED && store.statistics().records() <= LISTED) {
            for (String type : store.types()) {
                if (!BookkeepingTypes.contains(type)) {
                    watch(store, type, nowNanos);
                }
            }
        }
        return firstSeenNanos.values().stream()
                .findFirst()
                .map(first -> Duration.ofNanos(Math.max(0, nowNanos - first)));
    }

    private void watch(ObjectStore store, String type, long nowNanos) {
        for (StateKey key : store.keys(type)) {
            if (firstSeenNanos.size() < WATCHED) {
                firstSeenNanos.putIfAbsent(key, nowNanos);
            }
        }
    }
}
