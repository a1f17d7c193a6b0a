package io.tallystick.store.journal.segment;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.storage.StoreIdentity;
import io.tallystick.store.log.record.RecordFormat;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/** What a forger of segments needs. */
final class JournalFiles {
    private JournalFiles() {}

    /** Makes the file or replaces its content. */
    static void put(SimulatedDisk disk, Path path, byte[] content) throws IOException {
        if (disk.kindOf(path) == Disk.PathKind.MISSING) {
            try (DiskFile file = disk.open(path, OpenMode.CREATE_NEW)) {
                file.force();
            }
            disk.forceDirectory(path.getParent());
        }
        disk.replaceContents(path, content);
    }

    static byte[] storeId(SimulatedDisk disk, Path directory) throws IOException {
        String text = new String(disk.contents(directory.resolve(StoreIdentity.FILE_NAME)), StandardCharsets.US_ASCII);
        Matcher matcher = Pattern.compile("id=([0-9a-f-]{36})").matcher(text);
        if (!matcher.find()) {
            throw new AssertionError("no id in " + text);
        }
        return HexFormat.of().parseHex(matcher.group(1).replace("-", ""));
    }

    /** Where something stands that begins as a batch does. */
    static List<Integer> batches(byte[] segment, int blockBytes) {
        ByteBuffer bytes = ByteBuffer.wrap(segment).order(SegmentFormat.ORDER);
        List<Integer> batches = new ArrayList<>();
        for (int at = blockBytes; at + blockBytes <= segment.length; at += blockBytes) {
            if (bytes.getInt(at) == SegmentFormat.BATCH_MAGIC) {
                batches.add(at);
            }
        }
        return batches;
    }

    static void signHeader(byte[] segment) {
        CRC32C crc = new CRC32C();
        crc.update(segment, 0, SegmentFormat.SEGMENT_CRC_OFFSET);
        ByteBuffer.wrap(segment).order(SegmentFormat.ORDER).putInt(SegmentFormat.SEGMENT_CRC_OFFSET, (int)
                crc.getValue());
    }

    /** Signs the record as far as it says that it reaches, if that lies within the segment. */
    static void signRecord(byte[] segment, int record, byte[] storeId) {
        ByteBuffer bytes = ByteBuffer.wrap(segment).order(SegmentFormat.ORDER);
        int length = bytes.getInt(record + RecordFormat.LENGTH_OFFSET);
        if (length >= RecordFormat.HEADER_BYTES && length <= segment.length - record) {
            CRC32C crc = new CRC32C();
            crc.update(storeId);
            crc.update(segment, record + RecordFormat.LENGTH_OFFSET, length - RecordFormat.LENGTH_OFFSET);
            bytes.putInt(record, (int) crc.getValue());
        }
    }

    /** Signs the batch with as many records as it says, as far as they lie within the segment. */
    static void signBatch(byte[] segment, int batch) {
        ByteBuffer bytes = ByteBuffer.wrap(segment).order(SegmentFormat.ORDER);
        CRC32C crc = new CRC32C();
        crc.update(
                segment,
                batch + SegmentFormat.BATCH_SALT_OFFSET,
                SegmentFormat.BATCH_HEADER_BYTES - SegmentFormat.BATCH_SALT_OFFSET);
        long record = batch + SegmentFormat.BATCH_HEADER_BYTES;
        for (int i = 0; i < bytes.getInt(batch + SegmentFormat.BATCH_COUNT_OFFSET); i++) {
            if (record + RecordFormat.HEADER_BYTES > segment.length) {
                break;
            }
            int length = bytes.getInt((int) record + RecordFormat.LENGTH_OFFSET);
            if (length < RecordFormat.HEADER_BYTES) {
                break;
            }
            crc.update(segment, (int) record, Integer.BYTES);
            record += length;
        }
        bytes.putInt(batch + SegmentFormat.BATCH_CRC_OFFSET, (int) crc.getValue());
    }
}
