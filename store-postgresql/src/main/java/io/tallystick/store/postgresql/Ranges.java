package io.tallystick.store.postgresql;

import java.util.ArrayDeque;
import java.util.Optional;

/**
 * The ranges of a log, the oldest first, and how far the log is trimmed. Guarded by the layout lock.
 *
 * <p>Ranges are deleted strictly from the oldest on. So a removal needs no care: when its range goes, the record that
 * it removed is gone too. A batch carries the order to delete. Only one such batch is under way at a time. With two,
 * the later one could be in the log without the earlier, and a removal would be gone before its record.
 */
final class Ranges {
    /** A range takes batches until it has so many bytes. */
    static final long RANGE_BYTES = 4L << 20;

    /** So many ranges are left alone, and twice what lives. */
    private static final int RANGES_AT_REST = 4;

    private final ArrayDeque<SequenceRange> ranges = new ArrayDeque<>();
    private final long rangeBytes;
    private long bytes;
    private long batches;
    private long trimmedTo;
    private long trimming;
    private long trimmingBatch;

    Ranges(long rangeBytes, long trimmedTo) {
        this.rangeBytes = rangeBytes;
        this.trimmedTo = trimmedTo;
    }

    /** The range that a batch with this sequence goes to; a new one where the last is full. */
    SequenceRange forBatch(long sequence, long batchBytes) {
        SequenceRange active = ranges.peekLast();
        if (active == null || active.bytes() >= rangeBytes) {
            active = new SequenceRange(sequence);
            ranges.addLast(active);
        }
        active.add(sequence, batchBytes);
        bytes += batchBytes;
        batches++;
        return active;
    }

    /** Everything below this sequence is deleted. */
    long trimmedTo() {
        return trimmedTo;
    }

    /** How many batches are not deleted. */
    long batches() {
        return batches;
    }

    /** Of the batches that are not deleted. */
    long bytes() {
        return bytes;
    }

    /** Bytes beyond those that are left alone: it stays above 0 where what lives is not carried forward in time. */
    long lagBytes(long liveBytes) {
        return Math.max(0, bytes - RANGES_AT_REST * rangeBytes - 2 * liveBytes);
    }

    /**
     * The sequence that everything below may be deleted of, by this batch; {@link #trimmedTo} if there is nothing to
     * delete.
     *
     * @param durableSequence all batches up to it are on disk
     */
    long trimWith(long sequence, long durableSequence) {
        if (trimmingBatch != 0) {
            return trimmedTo;
        }
        long end = trimmedTo;
        for (SequenceRange range : ranges) {
            if (range == ranges.peekLast() || range.hasLive() || range.lastSequence() > durableSequence) {
                break;
            }
            end = range.lastSequence() + 1;
        }
        if (end > trimmedTo) {
            trimming = end;
            trimmingBatch = sequence;
        }
        return end;
    }

    /** The batch is on disk, and what it was to delete is deleted. */
    void landed(long sequence) {
        if (sequence != trimmingBatch) {
            return;
        }
        while (ranges.getFirst().lastSequence() < trimming) {
            SequenceRange removed = ranges.removeFirst();
            bytes -= removed.bytes();
            batches -= removed.batches();
        }
        trimmedTo = trimming;
        trimmingBatch = 0;
    }

    /** The oldest range, if its live records should be written again so that it can go. */
    Optional<SequenceRange> toCarry(long liveBytes) {
        SequenceRange oldest = ranges.peekFirst();
        return oldest != null && oldest.hasLive() && oldest != ranges.peekLast() && lagBytes(liveBytes) > 0
                ? Optional.of(oldest)
                : Optional.empty();
    }
}
