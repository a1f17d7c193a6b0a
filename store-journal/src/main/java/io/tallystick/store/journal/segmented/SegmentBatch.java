package io.tallystick.store.journal.segmented;

import io.tallystick.store.journal.engine.Append;
import io.tallystick.store.journal.engine.RecordLog;

/** A batch with its place in a segment. */
final class SegmentBatch extends RecordLog.Batch {
    private final Segment segment;
    private final long position;
    private final int length;

    SegmentBatch(long sequence, Append first, int count, Append rest, Segment segment, long position, int length) {
        super(
                sequence,
                first,
                count,
                SegmentFormat.aligned(length, segment.header().blockBytes()),
                rest);
        this.segment = segment;
        this.position = position;
        this.length = length;
    }

    Segment segment() {
        return segment;
    }

    /** Offset of the batch header in the file, bytes. */
    long position() {
        return position;
    }

    /** Header and records, bytes; {@link #bytes} has the padding too. */
    int length() {
        return length;
    }
}
