package com.example.ledger;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.log.record.RecordDecoder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.zip.CRC32C;

/**
 * The format, and its only reader: opening and inspector share it. A file is a row of batches. Each begins with its
 * sequence (8 bytes), the length of its records (4) and a checksum of these two (4); the checksums of the records cover
 * the rest, and the id of the store. Big-endian.
 */
final class LedgerFile {
    static final String NAME = "ledger.log";
    static final String READY = "ledger.ready"; // there has been a log
    static final int BATCH_HEADER_BYTES = 16;
    private static final int ALIGNMENT = 8; // of records, and so of batches

    /** A record that counts unless a later one has the same key. */
    record Found(RecordDecoder.Header header, long position, byte[] bytes) {}

    /**
     * All records, in the order of the log, and where it ends.
     *
     * @param end where the first batch begins that is not whole
     * @param damage where the damage is, if a later batch is whole: then this one was on disk once
     */
    record Reading(List<Found> records, long sequence, long end, OptionalLong damage) {}

    private LedgerFile() {}

    /** Puts the header of a batch in front of its records. */
    static void putHeader(ByteBuffer target, long sequence, int recordBytes) {
        target.putLong(sequence).putInt(recordBytes).putInt(checksum(sequence, recordBytes));
    }

    static Reading read(Disk disk, Path path, byte[] storeId) throws IOException {
        byte[] bytes;
        try (DiskFile file = disk.open(path, OpenMode.READ)) {
            bytes = new byte[Math.toIntExact(file.size())]; // the whole file: an example
            file.readFully(ByteBuffer.wrap(bytes), 0);
        }
        List<Found> records = new ArrayList<>();
        RecordDecoder decoder = new RecordDecoder(storeId);
        long sequence = 0;
        int at = 0;
        List<Found> batch = batchAt(bytes, at, sequence, decoder);
        while (!batch.isEmpty()) {
            records.addAll(batch);
            sequence = ByteBuffer.wrap(bytes).getLong(at);
            at += BATCH_HEADER_BYTES + ByteBuffer.wrap(bytes).getInt(at + Long.BYTES);
            batch = batchAt(bytes, at, sequence, decoder);
        }
        OptionalLong damage = OptionalLong.empty();
        for (int later = at + ALIGNMENT; later < bytes.length && damage.isEmpty(); later += ALIGNMENT) {
            if (!batchAt(bytes, later, sequence, decoder).isEmpty()) {
                damage = OptionalLong.of(at);
            }
        }
        return new Reading(records, sequence, at, damage);
    }

    /** The records of the batch that begins here; empty if there is none that is whole and later than the last one. */
    private static List<Found> batchAt(byte[] bytes, int at, long lastSequence, RecordDecoder decoder) {
        List<Found> records = new ArrayList<>();
        if (bytes.length - at < BATCH_HEADER_BYTES) {
            return records;
        }
        ByteBuffer header = ByteBuffer.wrap(bytes, at, BATCH_HEADER_BYTES);
        long sequence = header.getLong();
        int recordBytes = header.getInt();
        int begin = at + BATCH_HEADER_BYTES;
        if (header.getInt() != checksum(sequence, recordBytes)
                || sequence <= lastSequence
                || recordBytes > bytes.length - begin) {
            return records;
        }
        try {
            int record = begin;
            while (record < begin + recordBytes) {
                RecordDecoder.Header found = decoder.decodeHeader(bytes, record, begin + recordBytes);
                byte[] copy = new byte[found.length()];
                System.arraycopy(bytes, record, copy, 0, copy.length);
                records.add(new Found(found, record, copy));
                record += found.length();
            }
            return records;
        } catch (RecordDecoder.BadRecordException torn) {
            return List.of();
        }
    }

    private static int checksum(long sequence, int recordBytes) {
        CRC32C crc = new CRC32C();
        crc.update(ByteBuffer.allocate(Long.BYTES + Integer.BYTES)
                .putLong(sequence)
                .putInt(recordBytes)
                .flip());
        return (int) crc.getValue() | 1; // never that of zeros
    }
}
