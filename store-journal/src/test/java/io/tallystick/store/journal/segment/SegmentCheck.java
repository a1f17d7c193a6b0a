package io.tallystick.store.journal.segment;

import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.UnsupportedFormatException;
import io.tallystick.store.log.record.RecordDecoder;
import io.tallystick.testkit.disk.ArrayFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Reads any bytes as a segment. They are refused with an error that names the file, or the scan goes from the first
 * block to the last: its batches follow one another within the file, and so do the records of each. Nothing else is
 * thrown.
 */
final class SegmentCheck {
    private final SegmentScanner scanner = new SegmentScanner(SoundJournalInputs.STORE_ID);

    /**
     * The target of the fuzzer {@code testkit/fuzz segment}. The bits of the first byte decide which checksums are made
     * to fit: those of the header and of the batches, and those of the records in them.
     */
    public static void fuzzerTestOneInput(byte[] input) throws IOException {
        if (input.length == 0) {
            return;
        }
        byte[] segment = new byte[input.length - 1];
        System.arraycopy(input, 1, segment, 0, segment.length);
        if ((input[0] & 1) != 0) {
            sign(segment, (input[0] & 2) == 0);
        }
        new SegmentCheck().isSegment(segment);
    }

    /** Makes the checksums of the header and of all batches fit, and those of their first records as well if wanted. */
    static void sign(byte[] segment, boolean withRecords) {
        for (int batch : JournalFiles.batches(segment, SoundJournalInputs.BLOCK_BYTES)) {
            if (withRecords) {
                JournalFiles.signRecord(segment, batch + SegmentFormat.BATCH_HEADER_BYTES, SoundJournalInputs.STORE_ID);
            }
            JournalFiles.signBatch(segment, batch);
        }
        if (segment.length >= SegmentFormat.SEGMENT_HEADER_BYTES) {
            JournalFiles.signHeader(segment);
        }
    }

    /**
     * Whether the bytes begin as a segment does.
     *
     * @throws AssertionError the scan found what cannot be, or the refusal does not name the file
     */
    boolean isSegment(byte[] input) throws IOException {
        ArrayFile file = new ArrayFile(SoundJournalInputs.FILE, input);
        try {
            SegmentHeader header = SegmentHeader.decode(
                    ByteBuffer.wrap(input), SoundJournalInputs.STORE_ID, SoundJournalInputs.FILE, input.length);
            scanner.scan(new Segment(SoundJournalInputs.FILE, header, file, file), new Scan(header));
            return true;
        } catch (CorruptStoreException | UnsupportedFormatException refused) {
            check(
                    refused.getMessage().contains(SoundJournalInputs.FILE.toString()),
                    "it does not name the file: " + refused);
            return false;
        }
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    private static final class Scan implements SegmentScanner.Visitor {
        private final SegmentHeader header;
        private long end;
        private long recordEnd;

        Scan(SegmentHeader header) {
            this.header = header;
            this.end = header.blockBytes();
        }

        @Override
        public void batch(ScannedBatch batch) {
            long position = batch.position();
            check(position >= end && batch.gapStart() >= end && batch.gapStart() <= position, batch.toString());
            check(position % header.blockBytes() == 0 && batch.end() <= header.segmentBytes(), batch.toString());
            end = batch.end();
            recordEnd = position + SegmentFormat.BATCH_HEADER_BYTES;
        }

        @Override
        public void record(long position, RecordDecoder.Header record, byte[] bytes, int offset) {
            check(position == recordEnd, "record at " + position);
            recordEnd += record.length();
            check(recordEnd <= end, "record reaches to " + recordEnd);
            RecordDecoder.imageOf(bytes, offset, record);
        }
    }
}
