package io.tallystick.store.journal.segmented;

import io.tallystick.storage.DiskFile;
import io.tallystick.store.journal.engine.Append;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Puts one batch into a buffer, as docs/format/journal-v1.md says, and writes it in one go. For one thread at a time. */
final class BatchWriter {
    private final int alignment;
    private final CRC32C crc = new CRC32C();
    private ByteBuffer buffer;

    BatchWriter(int capacity, int alignment) {
        this.alignment = alignment;
        this.buffer = allocate(capacity);
    }

    void write(SegmentBatch batch, long durableSequence, boolean force) throws IOException {
        encode(batch, durableSequence);
        DiskFile file = batch.segment().writeFile();
        file.writeFully(buffer, batch.position());
        if (force) {
            file.force();
        }
    }

    private void encode(SegmentBatch batch, long durableSequence) {
        int padded = Math.toIntExact(batch.bytes());
        if (padded > buffer.capacity()) {
            buffer = allocate(padded);
        }
        buffer.clear().position(SegmentFormat.BATCH_HEADER_BYTES);
        crc.reset();
        SegmentHeader segment = batch.segment().header();
        buffer.putInt(SegmentFormat.BATCH_MAGIC_OFFSET, SegmentFormat.BATCH_MAGIC)
                .putLong(SegmentFormat.BATCH_SALT_OFFSET, segment.salt())
                .putLong(SegmentFormat.BATCH_SEGMENT_ID_OFFSET, segment.segmentId())
                .putLong(SegmentFormat.BATCH_SEQUENCE_OFFSET, batch.sequence())
                .putLong(SegmentFormat.BATCH_DURABLE_OFFSET, durableSequence)
                .putLong(SegmentFormat.BATCH_POSITION_OFFSET, batch.position())
                .putInt(SegmentFormat.BATCH_LENGTH_OFFSET, batch.length())
                .putInt(SegmentFormat.BATCH_COUNT_OFFSET, batch.count())
                .putLong(SegmentFormat.BATCH_RESERVED_OFFSET, 0);
        crc.update(
                buffer.duplicate().limit(SegmentFormat.BATCH_HEADER_BYTES).position(SegmentFormat.BATCH_SALT_OFFSET));
        Append append = batch.first();
        for (int i = 0; i < batch.count(); i++) {
            byte[] record = append.record();
            crc.update(record, 0, Integer.BYTES); // a record begins with its own checksum
            buffer.put(record);
            append = append.next();
        }
        buffer.putInt(SegmentFormat.BATCH_CRC_OFFSET, (int) crc.getValue());
        while (buffer.position() < padded) {
            if (padded - buffer.position() >= Long.BYTES) {
                buffer.putLong(0);
            } else {
                buffer.put((byte) 0);
            }
        }
        buffer.flip();
    }

    private ByteBuffer allocate(int capacity) {
        int rounded = Math.toIntExact(SegmentFormat.aligned(capacity, alignment));
        return ByteBuffer.allocateDirect(rounded + alignment)
                .alignedSlice(alignment)
                .slice(0, rounded)
                .order(SegmentFormat.ORDER);
    }
}
