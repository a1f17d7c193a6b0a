package io.tallystick.store.journal.segment;

import io.tallystick.store.log.spi.RecordLog;
import io.tallystick.store.log.spi.Version;

/** A batch with its place in a segment. */
final class SegmentBatch extends RecordLog.Batch {
    private final Place place;

    SegmentBatch(long sequence, Version first, int count, Version rest, Place place) {
        super(sequence, first, count, place.paddedLength(), rest);
        this.place = place;
    }

    /**
     * A place for a batch.
     *
     * @param position offset of the batch header in the file, bytes
     * @param length header and records, bytes
     */
    record Place(Segment segment, long position, int length) {
        private long paddedLength() {
            return SegmentFormat.aligned(length, segment.header().blockBytes());
        }
    }

    Segment segment() {
        return place.segment;
    }

    /** Offset of the batch header in the file, bytes. */
    long position() {
        return place.position;
    }

    /** Header and records, bytes; {@link #bytes} has the padding too. */
    int length() {
        return place.length;
    }
}
