package io.tallystick.store.postgresql;

import io.tallystick.store.log.spi.RecordHome;

/**
 * Batches with neighbouring sequences, which are deleted together. Guarded by the layout lock of the group commit.
 */
final class SequenceRange implements RecordHome {
    private final long firstSequence;
    private long lastSequence;
    private long bytes;
    private long batches;
    private int liveRecords;

    SequenceRange(long firstSequence) {
        this.firstSequence = firstSequence;
        this.lastSequence = firstSequence - 1;
    }

    long firstSequence() {
        return firstSequence;
    }

    /** Of the last batch that was laid out here. */
    long lastSequence() {
        return lastSequence;
    }

    /** Of all batches. */
    long bytes() {
        return bytes;
    }

    /** How many batches were laid out here. */
    long batches() {
        return batches;
    }

    boolean hasLive() {
        return liveRecords > 0;
    }

    /** A batch was laid out here. */
    void add(long sequence, long batchBytes) {
        lastSequence = sequence;
        bytes += batchBytes;
        batches++;
    }

    void becameLive() {
        liveRecords++;
    }

    void becameDead() {
        liveRecords--;
    }
}
