package io.tallystick.store.journal.segment;

/**
 * A valid batch, as a scan finds it in a segment.
 *
 * @param position where it begins, bytes
 * @param end where the next one may begin, bytes
 * @param gapStart where the invalid blocks just before it begin; {@code position} if there are none
 * @param sequence of the batch
 * @param durableThrough every batch up to this sequence was on disk when this one was written
 */
public record ScannedBatch(long position, long end, long gapStart, long sequence, long durableThrough) {
    /** Whether invalid blocks lie just before it. */
    public boolean isBehindGap() {
        return gapStart < position;
    }
}
