package io.tallystick.store.journal.segment;

import java.util.Deque;

/**
 * The segments that recovery found, and the numbers at which the new opening goes on.
 *
 * @param inUse segments that hold batches, oldest first
 * @param highest the numbers that new segments and files follow
 * @param sequences the sequences that the headers of this opening name
 * @param longestRecord the longest live record, bytes
 */
record RecoveredSegments(Deque<Segment> inUse, Highest highest, Sequences sequences, int longestRecord) {
    /**
     * The highest numbers of all files; 0 where there is no file.
     *
     * @param fileNumber the number in the name of a file
     */
    record Highest(long segmentId, int fileNumber) {}

    /**
     * Where a log goes on to write.
     *
     * @param activeOrNull the segment that is being filled; null where the next batch begins one
     * @param position offset of the next batch in that segment, bytes
     * @param nextSequence the sequence of the next batch
     */
    record End(Segment activeOrNull, long position, long nextSequence) {}

    /**
     * The sequences that the headers of an opening name.
     *
     * @param first the first sequence of this opening
     * @param durableBefore each batch of the opening before is on disk up to this sequence
     * @param freedThrough batches up to this sequence are not needed
     */
    record Sequences(long first, long durableBefore, long freedThrough) {}
}
