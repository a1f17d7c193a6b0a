package io.tallystick.store.journal.segment;

import io.tallystick.storage.DiskFile;
import io.tallystick.store.log.spi.Version;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Puts one batch into a buffer, as docs/format/journal-v1.md says, and writes it. A batch that is longer than the
 * buffer is written in several pieces: it is valid when all of them are on disk. Allocates in its constructor only. For
 * one thread at a time.
 */
final class BatchWriter {
    private static final byte[] ZEROS = new byte[4096];

    private final CRC32C crc = new CRC32C();
    private final ByteBuffer buffer;

    /** @param alignment positions and lengths of writes are multiples of this, bytes */
    BatchWriter(int capacity, int alignment) {
        this.buffer = allocate(capacity, alignment);
    }

    void write(SegmentBatch batch, long durableSequence, boolean force) throws IOException {
        DiskFile file = batch.segment().writeFile();
        putHeader(batch, durableSequence);
        long position = batch.position();
        Version append = batch.first();
        for (int i = 0; i < batch.count(); i++) {
            byte[] record = append.record();
            for (int from = 0; from < record.length; ) {
                position = writeIfFull(file, position);
                int length = Math.min(buffer.remaining(), record.length - from);
                buffer.put(record, from, length);
                from += length;
            }
            append = append.next();
        }
        long end = batch.position() + batch.bytes();
        while (position + buffer.position() < end) {
            position = writeIfFull(file, position);
            buffer.put(ZEROS, 0, (int)
                    Math.min(Math.min(ZEROS.length, buffer.remaining()), end - position - buffer.position()));
        }
        file.writeFully(buffer.flip(), position);
        if (force) {
            file.force();
        }
    }

    /** Writes the buffer if it is full; returns its present position in the file. */
    private long writeIfFull(DiskFile file, long position) throws IOException {
        if (buffer.hasRemaining()) {
            return position;
        }
        file.writeFully(buffer.flip(), position);
        buffer.clear();
        return position + buffer.capacity();
    }

    private void putHeader(SegmentBatch batch, long durableSequence) {
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
        Version append = batch.first();
        for (int i = 0; i < batch.count(); i++) {
            byte[] record = append.record();
            crc.update(record, 0, Integer.BYTES); // a record begins with its own checksum
            append = append.next();
        }
        buffer.putInt(SegmentFormat.BATCH_CRC_OFFSET, (int) crc.getValue());
    }

    private static ByteBuffer allocate(int capacity, int alignment) {
        int rounded = Math.toIntExact(SegmentFormat.aligned(capacity, alignment));
        return ByteBuffer.allocateDirect(rounded + alignment)
                .alignedSlice(alignment)
                .slice(0, rounded)
                .order(SegmentFormat.ORDER);
    }
}
