package io.tallystick.store.journal.segment;

import io.tallystick.storage.DiskFile;
import io.tallystick.store.log.record.RecordDecoder;
import io.tallystick.store.log.record.RecordFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * Reads the batches of one life of a segment, from the first block to the last. A block where no valid batch begins is
 * skipped. The caller decides from the sequences around it whether a batch is missing there.
 */
public final class SegmentScanner {
    private static final int WINDOW_BYTES = 1024 * 1024;

    private final RecordDecoder decoder;
    private final CRC32C crc = new CRC32C();
    private ByteBuffer window = ByteBuffer.allocate(0);
    private long windowStart;

    public SegmentScanner(byte[] storeId) {
        this.decoder = new RecordDecoder(storeId);
    }

    /** Gets the finds of a scan, in the order of the file. */
    public interface Visitor {
        /** A valid batch; its records follow. */
        void batch(ScannedBatch batch);

        /** A record of the batch last announced. */
        void record(long position, RecordDecoder.Header record, ByteBuffer bytes, int offset);

        /** There is no valid batch from here to the end of the file. */
        default void end(long gapStart) {}
    }

    void scan(Segment segment, Visitor visitor) throws IOException {
        scan(segment.readFile(), segment.header(), visitor);
    }

    public void scan(DiskFile file, SegmentHeader header, Visitor visitor) throws IOException {
        window.clear().limit(0);
        windowStart = 0;
        long position = header.blockBytes();
        long gapStart = position;
        List<RecordDecoder.Header> records = new ArrayList<>();
        while (position < header.segmentBytes()) {
            int length = validBatchAt(file, header, position, records);
            if (length < 0) {
                position += header.blockBytes();
                continue;
            }
            int start = (int) (position - windowStart);
            long end = position + SegmentFormat.aligned(length, header.blockBytes());
            visitor.batch(new ScannedBatch(
                    position,
                    end,
                    gapStart,
                    window.getLong(start + SegmentFormat.BATCH_SEQUENCE_OFFSET),
                    window.getLong(start + SegmentFormat.BATCH_DURABLE_OFFSET)));
            int offset = SegmentFormat.BATCH_HEADER_BYTES;
            for (RecordDecoder.Header record : records) {
                visitor.record(position + offset, record, window, start + offset);
                offset += record.length();
            }
            position = end;
            gapStart = end;
        }
        visitor.end(gapStart);
    }

    /**
     * The latest life of a file whose header is damaged. Its batches tell id and salt, the file tells the size; all
     * else is zero. Empty if there is no valid batch in the file.
     */
    public Optional<SegmentHeader> latestLife(DiskFile file, long fileBytes) throws IOException {
        window.clear().limit(0);
        windowStart = 0;
        long bytes = fileBytes / SegmentFormat.LEAST_BLOCK_BYTES * SegmentFormat.LEAST_BLOCK_BYTES;
        Optional<SegmentHeader> latest = Optional.empty();
        List<RecordDecoder.Header> records = new ArrayList<>();
        for (long position = SegmentFormat.LEAST_BLOCK_BYTES;
                position < bytes;
                position += SegmentFormat.LEAST_BLOCK_BYTES) {
            int start = load(file, position, SegmentFormat.BATCH_HEADER_BYTES, bytes);
            if (window.getInt(start + SegmentFormat.BATCH_MAGIC_OFFSET) == SegmentFormat.BATCH_MAGIC) {
                long id = window.getLong(start + SegmentFormat.BATCH_SEGMENT_ID_OFFSET);
                long salt = window.getLong(start + SegmentFormat.BATCH_SALT_OFFSET);
                SegmentHeader life = new SegmentHeader(id, salt, bytes, SegmentFormat.LEAST_BLOCK_BYTES, 0, 0, 0, 0, 0);
                boolean isLater = latest.isEmpty() || id > latest.get().segmentId();
                if (isLater && validBatchAt(file, life, position, records) >= 0) {
                    latest = Optional.of(life);
                }
            }
        }
        return latest;
    }

    /** The length of the valid batch at this position, with its records in the window; -1 if there is none. */
    private int validBatchAt(DiskFile file, SegmentHeader header, long position, List<RecordDecoder.Header> records)
            throws IOException {
        long left = header.segmentBytes() - position;
        if (left < SegmentFormat.BATCH_HEADER_BYTES) {
            return -1;
        }
        int start = load(file, position, SegmentFormat.BATCH_HEADER_BYTES, header.segmentBytes());
        if (window.getInt(start + SegmentFormat.BATCH_MAGIC_OFFSET) != SegmentFormat.BATCH_MAGIC
                || window.getLong(start + SegmentFormat.BATCH_SALT_OFFSET) != header.salt()
                || window.getLong(start + SegmentFormat.BATCH_SEGMENT_ID_OFFSET) != header.segmentId()
                || window.getLong(start + SegmentFormat.BATCH_POSITION_OFFSET) != position
                || window.getLong(start + SegmentFormat.BATCH_RESERVED_OFFSET) != 0) {
            return -1;
        }
        int length = window.getInt(start + SegmentFormat.BATCH_LENGTH_OFFSET);
        int count = window.getInt(start + SegmentFormat.BATCH_COUNT_OFFSET);
        if (length < SegmentFormat.BATCH_HEADER_BYTES || length > left || count < 0) {
            return -1;
        }
        if (length > WINDOW_BYTES && !doLengthsAddUp(file, position, length, count)) {
            return -1;
        }
        start = load(file, position, length, header.segmentBytes());
        return hasValidRecords(start, length, count, records) ? length : -1;
    }

    /**
     * Whether the lengths of the records add up to the batch's. Asked before a large buffer is made for a number that
     * may be damaged.
     */
    private static boolean doLengthsAddUp(DiskFile file, long position, int length, int count) throws IOException {
        ByteBuffer four = ByteBuffer.allocate(Integer.BYTES).order(SegmentFormat.ORDER);
        long offset = SegmentFormat.BATCH_HEADER_BYTES;
        for (int i = 0; i < count; i++) {
            if (length - offset < RecordFormat.HEADER_BYTES) {
                return false;
            }
            file.readFully(four.clear(), position + offset + RecordFormat.LENGTH_OFFSET);
            int recordLength = four.getInt(0);
            if (recordLength < RecordFormat.HEADER_BYTES) {
                return false;
            }
            offset += recordLength;
        }
        return offset == length;
    }

    private boolean hasValidRecords(int start, int length, int count, List<RecordDecoder.Header> records) {
        records.clear();
        crc.reset();
        crc.update(window.duplicate()
                .limit(start + SegmentFormat.BATCH_HEADER_BYTES)
                .position(start + SegmentFormat.BATCH_SALT_OFFSET));
        int offset = start + SegmentFormat.BATCH_HEADER_BYTES;
        int limit = start + length;
        for (int i = 0; i < count; i++) {
            RecordDecoder.Header record;
            try {
                record = decoder.decodeHeader(window, offset, limit);
            } catch (RecordDecoder.BadRecordException bad) {
                return false;
            }
            crc.update(window.duplicate().limit(offset + Integer.BYTES).position(offset));
            records.add(record);
            offset += record.length();
        }
        return offset == limit && (int) crc.getValue() == window.getInt(start + SegmentFormat.BATCH_CRC_OFFSET);
    }

    /** Loads these bytes of the file into the window, and returns their offset there. */
    private int load(DiskFile file, long position, int length, long fileBytes) throws IOException {
        if (position >= windowStart && position + length <= windowStart + window.limit()) {
            return (int) (position - windowStart);
        }
        // Bytes in the window are kept and not read again: they are often most of a batch.
        boolean goesOn = position >= windowStart && position < windowStart + window.limit();
        window.position(goesOn ? (int) (position - windowStart) : window.limit());
        int wanted = Math.max(length, (int) Math.min(WINDOW_BYTES, fileBytes - position));
        if (wanted > window.capacity()) {
            window = ByteBuffer.allocateDirect(wanted).put(window).order(SegmentFormat.ORDER);
        } else {
            window.compact();
        }
        window.limit((int) Math.min(window.capacity(), fileBytes - position));
        file.readFully(window, position + window.position());
        window.flip();
        windowStart = position;
        return 0;
    }
}
