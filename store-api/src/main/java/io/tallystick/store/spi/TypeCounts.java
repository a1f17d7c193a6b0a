package io.tallystick.store.spi;

import io.tallystick.store.RecoveryStore;
import io.tallystick.store.StateKey;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The number of keys of each type, counted while they come and go, for {@link RecoveryStore#countByType}. For any
 * number of threads; a count takes no lock. A type that was met once stays in memory.
 */
public final class TypeCounts {
    private final ConcurrentHashMap<String, Count> counts = new ConcurrentHashMap<>();

    /** All counts are zero. */
    public TypeCounts() {}

    /** This key came to hold something ({@code +1}), or no longer does ({@code -1}). */
    public void changed(StateKey key, int difference) {
        Count count = counts.get(key.type());
        if (count == null) {
            count = counts.computeIfAbsent(key.type(), first -> new Count());
        }
        count.add(difference);
    }

    /** The types that have at least one key, and how many; the caller's to keep. */
    public Map<String, Integer> snapshot() {
        Map<String, Integer> snapshot = new TreeMap<>();
        counts.forEach((type, count) -> put(snapshot, type, count.sum()));
        return snapshot;
    }

    /**
     * The number of keys of one type. Not an adder of the JDK: that allocates where callers meet, and a count that ran
     * out of memory would be wrong for good.
     */
    public static final class Count {
        private static final int STRIPES = 8; // a power of two
        /** Longs of a cache line, and of the one that processors fetch beside it. */
        private static final int CACHE_LINE = 16;

        private final AtomicLongArray stripes = new AtomicLongArray(STRIPES * CACHE_LINE);

        /** Zero. */
        public Count() {}

        /** Adds {@code difference}, which may be negative; allocates nothing. */
        public void add(int difference) {
            int stripe = (int) (Thread.currentThread().getId() & STRIPES - 1);
            stripes.getAndAdd(stripe * CACHE_LINE, difference);
        }

        /** What was added up; beside callers that add it may be off by as much as they add. */
        public long sum() {
            long sum = 0;
            for (int stripe = 0; stripe < STRIPES; stripe++) {
                sum += stripes.get(stripe * CACHE_LINE);
            }
            return sum;
        }
    }

    /** Counts by listing, for a store that keeps no counts. */
    public static Map<String, Integer> listed(RecoveryStore store) {
        Map<String, Integer> listed = new TreeMap<>();
        for (String type : store.types()) {
            put(listed, type, store.keys(type).size());
        }
        return Collections.unmodifiableMap(listed);
    }

    /** Adds the count of a type, unless it has no key: a sum that is read while keys go may be below zero. */
    public static void put(Map<String, Integer> counts, String type, long count) {
        if (count > 0) {
            counts.put(type, Math.toIntExact(count));
        }
    }
}
