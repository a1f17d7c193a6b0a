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
    private static final byte[] NONE = {};

    private final RecordDecoder decoder;
    private final CRC32C crc = new CRC32C();
    private ByteBuffer window = ByteBuffer.allocate(0);
    private long windowStart;
    // The batch last looked at. Records are decoded from an array; RecordFormat.intAt has the reason.
    private byte[] batch = NONE;

    public SegmentScanner(byte[] storeId) {
        this.decoder = new RecordDecoder(storeId);
    }

    /** Gets the finds of a scan, in the order of the file. */
    public interface Visitor {
        /** A valid batch; its records follow. */
        void batch(ScannedBatch batch);

        /**
         * A record of the batch last announced.
         *
         * @param bytes have the record at {@code offset} while this call runs; others follow in the same array
         */
        void record(long position, RecordDecoder.Header record, byte[] bytes, int offset);

        /** A batch of this life begins here and is not valid: it was torn or damaged. */
        default void broken(long position) {}

        /** There is no valid batch from here to the end of the file. */
        default void end(long gapStart) {}
    }

    void scan(Segment segment, Visitor visitor) throws IOException {
        scan(segment.readFile(), segment.header(), visitor);
    }

    public void scan(DiskFile file, SegmentHeader header, Visitor visitor) throws IOException {
        scan(file, header, header.blockBytes(), visitor);
    }

    /** Scans from this block on. The caller has seen that no {@linkplain #isOfThisLife batch begins} before it. */
    void scan(Segment segment, long from, Visitor visitor) throws IOException {
        scan(segment.readFile(), segment.header(), from, visitor);
    }

    private void scan(DiskFile file, SegmentHeader header, long from, Visitor visitor) throws IOException {
        window.clear().limit(0);
        windowStart = 0;
        long position = from;
        long gapStart = header.blockBytes();
        List<RecordDecoder.Header> records = new ArrayList<>();
        while (position < header.segmentBytes()) {
            int length = validBatchAt(file, header, position, records);
            if (length < 0) {
                if (isOfThisLife(
                        window,
                        load(file, position, SegmentFormat.BATCH_HEADER_BYTES, header.segmentBytes()),
                        header)) {
                    visitor.broken(position);
                }
                position += header.blockBytes();
                continue;
            }
            long end = position + SegmentFormat.aligned(length, header.blockBytes());
            visitor.batch(new ScannedBatch(
                    position,
                    end,
                    gapStart,
                    RecordFormat.longAt(batch, SegmentFormat.BATCH_SEQUENCE_OFFSET),
                    RecordFormat.longAt(batch, SegmentFormat.BATCH_DURABLE_OFFSET)));
            int offset = SegmentFormat.BATCH_HEADER_BYTES;
            for (RecordDecoder.Header record : records) {
                visitor.record(position + offset, record, batch, offset);
                offset += record.length();
            }
            position = end;
            gapStart = end;
        }
        if (batch.length > WINDOW_BYTES) {
            batch = NONE; // rare, and the scanner may live as long as the store
        }
        visitor.end(gapStart);
    }

    /**
     * The bytes of the valid batch at this position, without padding, as the file shows them now; null if there is
     * none. They are valid until the next call.
     */
    ByteBuffer batchAt(Segment segment, long position) throws IOException {
        window.clear().limit(0);
        windowStart = 0;
        int length = validBatchAt(segment.readFile(), segment.header(), position, new ArrayList<>());
        return length < 0 ? null : ByteBuffer.wrap(batch, 0, length);
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

    /** Whether a batch of this segment seems to begin at a position of the file whose bytes are here in the buffer. */
    private static boolean isBatchHeader(ByteBuffer bytes, int at, SegmentHeader header, long position) {
        return bytes.getInt(at + SegmentFormat.BATCH_MAGIC_OFFSET) == SegmentFormat.BATCH_MAGIC
                && bytes.getLong(at + SegmentFormat.BATCH_SALT_OFFSET) == header.salt()
                && bytes.getLong(at + SegmentFormat.BATCH_SEGMENT_ID_OFFSET) == header.segmentId()
                && bytes.getLong(at + SegmentFormat.BATCH_POSITION_OFFSET) == position
                && bytes.getLong(at + SegmentFormat.BATCH_RESERVED_OFFSET) == 0;
    }

    /** Whether a batch of this life of the segment begins at a place in the buffer, be it valid or not. */
    static boolean isOfThisLife(ByteBuffer bytes, int at, SegmentHeader header) {
        return bytes.getLong(at + SegmentFormat.BATCH_SALT_OFFSET) == header.salt();
    }

    /** The length of the valid batch at this position, which then is {@link #batch}; -1 if there is none. */
    private int validBatchAt(DiskFile file, SegmentHeader header, long position, List<RecordDecoder.Header> records)
            throws IOException {
        long left = header.segmentBytes() - position;
        if (left < SegmentFormat.BATCH_HEADER_BYTES) {
            return -1;
        }
        int start = load(file, position, SegmentFormat.BATCH_HEADER_BYTES, header.segmentBytes());
        if (!isBatchHeader(window, start, header, position)) {
            return -1;
        }
        int length = window.getInt(start + SegmentFormat.BATCH_LENGTH_OFFSET);
        int count = window.getInt(start + SegmentFormat.BATCH_COUNT_OFFSET);
        if (length < SegmentFormat.BATCH_HEADER_BYTES || length > left || count < 0) {
            return -1;
        }
        if (length > WINDOW_BYTES) {
            if (!doLengthsAddUp(file, position, length, count)) {
                return -1;
            }
            readLongBatch(file, position, length, start);
        } else {
            start = load(file, position, length, header.segmentBytes());
            makeRoom(length);
            window.get(start, batch, 0, length);
        }
        return hasValidRecords(length, count, records) ? length : -1;
    }

    /** Reads a batch past the window, which has its header at {@code start}. */
    private void readLongBatch(DiskFile file, long position, int length, int start) throws IOException {
        makeRoom(length);
        int part;
        // In parts, because the JDK keeps a buffer as long as the longest read.
        for (int done = 0; done < length; done += part) {
            part = Math.min(WINDOW_BYTES, length - done);
            file.readFully(ByteBuffer.wrap(batch, done, part), position + done);
        }
        // The header that was checked: if the file has changed since, the checksum does not fit.
        window.get(start, batch, 0, SegmentFormat.BATCH_HEADER_BYTES);
    }

    private void makeRoom(int length) {
        if (batch.length < length) {
            int twice = Math.min(2 * batch.length, WINDOW_BYTES);
            batch = NONE; // so that memory need not hold both
            batch = new byte[Math.max(length, twice)];
        }
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

    private boolean hasValidRecords(int length, int count, List<RecordDecoder.Header> records) {
        records.clear();
        crc.reset();
        crc.update(
                batch,
                SegmentFormat.BATCH_SALT_OFFSET,
                SegmentFormat.BATCH_HEADER_BYTES - SegmentFormat.BATCH_SALT_OFFSET);
        int offset = SegmentFormat.BATCH_HEADER_BYTES;
        for (int i = 0; i < count; i++) {
            RecordDecoder.Header record;
            try {
                record = decoder.decodeHeader(batch, offset, length);
            } catch (RecordDecoder.BadRecordException bad) {
                return false;
            }
            crc.update(batch, offset, Integer.BYTES);
            records.add(record);
            offset += record.length();
        }
        return offset == length && (int) crc.getValue() == RecordFormat.intAt(batch, SegmentFormat.BATCH_CRC_OFFSET);
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
