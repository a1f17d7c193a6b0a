package io.tallystick.store.spi;

import io.tallystick.store.StoreStatistics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts what a store does. Counters are striped, so hundreds of threads may count at once; the latency histogram is
 * meant for the few threads that wait for the disk.
 *
 * <p>The histogram has 16 linear buckets per power of two, the layout that HdrHistogram made known. A percentile is
 * exact to 1/16 of its value: one near 160 us to 10 us.
 */
public final class StatisticsRecorder {
    private static final int SUB_BUCKET_BITS = 4;
    private static final int SUB_BUCKETS = 1 << SUB_BUCKET_BITS;
    private static final int BUCKETS = (Long.SIZE - SUB_BUCKET_BITS) * SUB_BUCKETS;

    private final LongAdder records = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final LongAdder writes = new LongAdder();
    private final LongAdder removes = new LongAdder();
    private final LongAdder reads = new LongAdder();
    private final LongAdder bytesWritten = new LongAdder();
    private final LongAdder recordsForced = new LongAdder();
    private final AtomicLongArray forceBuckets = new AtomicLongArray(BUCKETS);
    private final LongAdder forceNanos = new LongAdder();
    private final AtomicLong maxForceNanos = new AtomicLong();
    private volatile boolean hasForced;
    private volatile long lastForcedAtNanos;

    private final StoreEvents events;

    /** All counts are zero, and no listener hears of single events. */
    public StatisticsRecorder() {
        this(StoreEvents.NONE);
    }

    /** All counts are zero, and this recorder hears of single events. */
    public StatisticsRecorder(StoreEvents events) {
        this.events = Objects.requireNonNull(events, "events");
    }

    /** Where to tell of single events, which are not counted. */
    public StoreEvents events() {
        return events;
    }

    /** A key came to hold something ({@code +1}) or no longer does ({@code -1}). */
    public void recordsChanged(int difference) {
        records.add(difference);
    }

    /** State bytes held became more or fewer. */
    public void bytesChanged(long difference) {
        bytes.add(difference);
    }

    /** Records and bytes as they change when {@code before} gives way to {@code after}. */
    public void imageChanged(StateImage before, StateImage after) {
        int difference = (after.isAbsent() ? 0 : 1) - (before.isAbsent() ? 0 : 1);
        if (difference != 0) {
            records.add(difference);
        }
        bytes.add(after.bytes() - before.bytes());
    }

    /**
     * Adds, unless there is no memory for a stripe: a count that is wrong by one must not end the operation that it
     * counts.
     */
    private static void add(LongAdder count, long more) {
        try {
            count.add(more);
        } catch (OutOfMemoryError uncounted) { // see above
        }
    }

    /** A value was written. */
    public void written() {
        add(writes, 1);
    }

    /** A value was removed. */
    public void removed() {
        add(removes, 1);
    }

    /** A value was read and found. */
    public void read() {
        add(reads, 1);
    }

    /** Bytes were handed to the disk. */
    public void bytesWritten(long count) {
        add(bytesWritten, count);
    }

    /** One force made {@code recordCount} records durable and took {@code nanos}. */
    public void forced(long recordCount, long nanos) {
        add(recordsForced, recordCount);
        long elapsed = Math.max(0, nanos);
        forceBuckets.incrementAndGet(bucketOf(elapsed));
        add(forceNanos, elapsed);
        if (elapsed > maxForceNanos.get()) {
            maxForceNanos.accumulateAndGet(elapsed, Math::max);
        }
    }

    /**
     * As {@link #forced}, and remembers when.
     *
     * @param begunNanos monotonic time when it began, nanoseconds
     * @param endedNanos monotonic time when it had succeeded, nanoseconds
     */
    public void forcedBetween(long recordCount, long begunNanos, long endedNanos) {
        forced(recordCount, endedNanos - begunNanos);
        lastForcedAtNanos = endedNanos;
        if (!hasForced) {
            hasForced = true;
        }
    }

    /**
     * How long ago the last force ended; empty before the first.
     *
     * @param nowNanos monotonic time, nanoseconds
     */
    public Optional<Duration> sinceLastForce(long nowNanos) {
        return hasForced ? Optional.of(Duration.ofNanos(Math.max(0, nowNanos - lastForcedAtNanos))) : Optional.empty();
    }

    /** The counts so far. */
    public StoreStatistics snapshot() {
        long[] counts = new long[BUCKETS];
        long total = 0;
        for (int i = 0; i < BUCKETS; i++) {
            counts[i] = forceBuckets.get(i);
            total += counts[i];
        }
        return new StoreStatistics(
                records.sum(),
                bytes.sum(),
                writes.sum(),
                removes.sum(),
                reads.sum(),
                bytesWritten.sum(),
                total,
                recordsForced.sum(),
                latency(counts, total));
    }

    private StoreStatistics.Latency latency(long[] counts, long total) {
        if (total == 0) {
            return StoreStatistics.Latency.NONE;
        }
        long max = maxForceNanos.get();
        return new StoreStatistics.Latency(
                total,
                (double) forceNanos.sum() / total,
                percentile(counts, total, 0.5, max),
                percentile(counts, total, 0.99, max),
                percentile(counts, total, 0.999, max),
                max,
                filled(counts));
    }

    private static List<StoreStatistics.Bucket> filled(long[] counts) {
        List<StoreStatistics.Bucket> buckets = new ArrayList<>();
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] > 0) {
                buckets.add(new StoreStatistics.Bucket(highestOf(i), counts[i]));
            }
        }
        return buckets;
    }

    private static long percentile(long[] counts, long total, double share, long max) {
        long wanted = (long) Math.ceil(share * total);
        long seen = 0;
        for (int i = 0; i < counts.length; i++) {
            seen += counts[i];
            if (seen >= wanted) {
                return Math.min(highestOf(i), max);
            }
        }
        return max;
    }

    // Values below SUB_BUCKETS have a bucket each; above, the bits below the highest one choose the sub-bucket.
    static int bucketOf(long value) {
        if (value < SUB_BUCKETS) {
            return (int) value;
        }
        int shift = Long.SIZE - 1 - SUB_BUCKET_BITS - Long.numberOfLeadingZeros(value);
        return (shift + 1) * SUB_BUCKETS + (int) (value >>> shift) - SUB_BUCKETS;
    }

    static long highestOf(int bucket) {
        if (bucket < SUB_BUCKETS) {
            return bucket;
        }
        int shift = bucket / SUB_BUCKETS - 1;
        long lowest = (long) (bucket % SUB_BUCKETS + SUB_BUCKETS) << shift;
        return lowest + (1L << shift) - 1;
    }
}
