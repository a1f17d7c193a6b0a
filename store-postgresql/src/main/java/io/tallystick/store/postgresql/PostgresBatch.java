package io.tallystick.store.postgresql;

import io.tallystick.store.log.spi.RecordLog;
import io.tallystick.store.log.spi.Version;

/** A batch: a row. */
final class PostgresBatch extends RecordLog.Batch {
    private final int recordBytes;
    private final long durableSequence;
    private final long trimFrom;
    private final long trimTo;

    PostgresBatch(
            long sequence, Version first, int count, int recordBytes, Version rest, long durableSequence, Trim trim) {
        super(sequence, first, count, BatchBody.HEADER_BYTES + (long) recordBytes, rest);
        this.recordBytes = recordBytes;
        this.durableSequence = durableSequence;
        this.trimFrom = trim.from();
        this.trimTo = trim.to();
    }

    /** Sequences that go with a batch: from {@code from} on, those below {@code to}. */
    record Trim(long from, long to) {}

    /** Of all records. */
    int recordBytes() {
        return recordBytes;
    }

    /** All batches up to this one were on disk when this one was laid out. */
    long durableSequence() {
        return durableSequence;
    }

    long trimFrom() {
        return trimFrom;
    }

    long trimTo() {
        return trimTo;
    }
}
