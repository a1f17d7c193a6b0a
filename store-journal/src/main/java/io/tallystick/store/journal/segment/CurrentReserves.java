package io.tallystick.store.journal.segment;

import io.tallystick.store.journal.room.Reserves;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The {@link Reserves} of a segmented log for its present number of segments and longest record. Writers read them
 * without a lock; they change under the lock of the pool.
 */
final class CurrentReserves {
    /** Carried records lie in one segment, and leave the one that the next opening needs to begin. */
    private static final Reserves.SpareFiles SPARE_SEGMENTS = new Reserves.SpareFiles(1, 2, 0);

    private final ReentrantLock lock;
    private final Reserves reserves;
    private final AtomicLong longestRecord;
    private volatile int segments;
    // Bytes that a removal, and a write, must leave.
    private volatile long forRemovals;
    private volatile long forWrites;

    /** @param lock the lock of the pool */
    CurrentReserves(ReentrantLock lock, SegmentPlan plan, long longestRecord, int segments) {
        this.lock = lock;
        long batchBytes = SegmentFormat.BATCH_HEADER_BYTES + (long) plan.blockBytes();
        this.reserves = new Reserves(
                plan.segmentBytes(),
                new Reserves.Costs(RecordRelocation.PORTION_BYTES, batchBytes, 0, 0),
                SPARE_SEGMENTS);
        this.longestRecord = new AtomicLong(longestRecord);
        segmentsAre(segments);
    }

    /** Under the lock only. */
    void segmentsAre(int count) {
        segments = count;
        derive();
    }

    private void derive() {
        long waste = waste();
        forRemovals = reserves.forRemovals(segments, waste, 0);
        forWrites = reserves.forWrites(segments, waste, 0);
    }

    private long waste() {
        return reserves.waste(segments, longestRecord.get());
    }

    /** Notes the length of a record that has got its room. Takes the lock if no record was as long. */
    void note(int recordLength) {
        if (recordLength <= longestRecord.get()) {
            return;
        }
        lock.lock();
        try {
            longestRecord.accumulateAndGet(recordLength, Math::max);
            derive();
        } finally {
            lock.unlock();
        }
    }

    /** Bytes that a record of this length must leave: a longer one than any before raises the reserves. */
    long floor(boolean removal, int recordLength) {
        if (recordLength > longestRecord.get()) {
            long waste = reserves.waste(segments, recordLength);
            return removal ? reserves.forRemovals(segments, waste, 0) : reserves.forWrites(segments, waste, 0);
        }
        return removal ? forRemovals : forWrites;
    }

    /** Bytes that a removal must leave. */
    long forRemovals() {
        return forRemovals;
    }

    /** Bytes that a record must leave when the housekeeper carries it along. */
    long whileCarrying() {
        return reserves.whileCarrying(waste());
    }

    /**
     * The least room there is after all live records were moved once, bytes.
     *
     * @param dead usable bytes of all segments that no live record takes
     */
    long afterCarryingAll(long dead) {
        return reserves.afterCarryingAll(dead, segments, waste(), 0);
    }
}
