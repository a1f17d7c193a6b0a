package io.tallystick.store.journal.artemis;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.apache.activemq.artemis.core.journal.impl.JournalImpl;

/**
 * The header of a file, in its first sector: Artemis' header, and ours, whose checksum covers both.
 *
 * @param fileId the id of this life of the file; of two files the one with the higher id is read later
 * @param replacedId the last earlier id under which the file held batches, 0 for none; it proves that those were given
 *     up
 * @param sequence the last batch that was on disk when this header was written
 * @param fileBytes size of the file
 */
record FileHeader(long fileId, long replacedId, long sequence, int fileBytes) {
    /** The kinds of bytes at the beginning of a file. */
    enum Kind {
        /** A header of this store. */
        OURS,
        /** Not a header, or a damaged one. */
        DAMAGED,
        /** A header of another store of this library. */
        OTHER_STORE,
        /** A header of a later format of this library. */
        NEWER,
        /** A header of Artemis, without ours. */
        ARTEMIS_ONLY
    }

    /** Our part and Artemis' part, encoded over the first bytes of the buffer. */
    void encodeTo(ByteBuffer block, byte[] storeId) {
        ByteBuffer artemis = block.duplicate().order(ByteOrder.BIG_ENDIAN);
        artemis.putInt(ArtemisFormat.JOURNAL_VERSION_OFFSET, JournalImpl.FORMAT_VERSION);
        artemis.putInt(ArtemisFormat.USER_VERSION_OFFSET, ArtemisFormat.USER_VERSION);
        artemis.putLong(ArtemisFormat.JOURNAL_FILE_ID_OFFSET, fileId);
        ByteBuffer ours = block.duplicate().order(ArtemisFormat.ORDER);
        ours.putLong(ArtemisFormat.HEADER_MAGIC_OFFSET, ArtemisFormat.HEADER_MAGIC);
        ours.put(ArtemisFormat.HEADER_STORE_ID_OFFSET, storeId);
        ours.putLong(ArtemisFormat.HEADER_FILE_ID_OFFSET, fileId);
        ours.putLong(ArtemisFormat.HEADER_REPLACED_ID_OFFSET, replacedId);
        ours.putLong(ArtemisFormat.HEADER_SEQUENCE_OFFSET, sequence);
        ours.putLong(ArtemisFormat.HEADER_FILE_BYTES_OFFSET, fileBytes);
        ours.putInt(ArtemisFormat.HEADER_VERSION_OFFSET, ArtemisFormat.VERSION);
        ours.putInt(ArtemisFormat.HEADER_CRC_OFFSET, checksum(block));
    }

    /** The kind of header that the buffer begins with. */
    static Kind kindOf(ByteBuffer block, byte[] storeId) {
        ByteBuffer artemis = block.duplicate().order(ByteOrder.BIG_ENDIAN);
        ByteBuffer ours = block.duplicate().order(ArtemisFormat.ORDER);
        if (ours.getLong(ArtemisFormat.HEADER_MAGIC_OFFSET) != ArtemisFormat.HEADER_MAGIC) {
            int version = artemis.getInt(ArtemisFormat.JOURNAL_VERSION_OFFSET);
            boolean artemisOnly = version >= 1
                    && version <= JournalImpl.FORMAT_VERSION
                    && artemis.getInt(ArtemisFormat.USER_VERSION_OFFSET) != ArtemisFormat.USER_VERSION;
            return artemisOnly ? Kind.ARTEMIS_ONLY : Kind.DAMAGED;
        }
        boolean isIntact = ours.getInt(ArtemisFormat.HEADER_CRC_OFFSET) == checksum(block);
        if (ours.getInt(ArtemisFormat.HEADER_VERSION_OFFSET) > ArtemisFormat.VERSION) {
            return Kind.NEWER;
        }
        if (!isIntact) {
            return Kind.DAMAGED;
        }
        byte[] found = new byte[storeId.length];
        ours.get(ArtemisFormat.HEADER_STORE_ID_OFFSET, found);
        return Arrays.equals(found, storeId) ? Kind.OURS : Kind.OTHER_STORE;
    }

    /** The id of the store that a whole header names; empty if this is none. */
    static Optional<byte[]> storeIdOf(ByteBuffer block) {
        ByteBuffer ours = block.duplicate().order(ArtemisFormat.ORDER);
        boolean isWhole = block.remaining() >= ArtemisFormat.HEADER_BYTES
                && ours.getLong(ArtemisFormat.HEADER_MAGIC_OFFSET) == ArtemisFormat.HEADER_MAGIC
                && ours.getInt(ArtemisFormat.HEADER_CRC_OFFSET) == checksum(block);
        if (!isWhole) {
            return Optional.empty();
        }
        byte[] found = new byte[ArtemisFormat.STORE_ID_BYTES];
        ours.get(ArtemisFormat.HEADER_STORE_ID_OFFSET, found);
        return Optional.of(found);
    }

    /** The header of a buffer that begins with one of {@link Kind#OURS}. */
    static FileHeader decode(ByteBuffer block) {
        ByteBuffer ours = block.duplicate().order(ArtemisFormat.ORDER);
        return new FileHeader(
                ours.getLong(ArtemisFormat.HEADER_FILE_ID_OFFSET),
                ours.getLong(ArtemisFormat.HEADER_REPLACED_ID_OFFSET),
                ours.getLong(ArtemisFormat.HEADER_SEQUENCE_OFFSET),
                Math.toIntExact(ours.getLong(ArtemisFormat.HEADER_FILE_BYTES_OFFSET)));
    }

    private static int checksum(ByteBuffer block) {
        CRC32C crc = new CRC32C();
        crc.update(block.duplicate().position(0).limit(ArtemisFormat.HEADER_CRC_OFFSET));
        return (int) crc.getValue();
    }
}
