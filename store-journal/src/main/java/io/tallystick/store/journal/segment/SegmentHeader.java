package io.tallystick.store.journal.segment;

import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.UnsupportedFormatException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The header block of one life of a segment file. It is on disk before the first batch of that life is acknowledged.
 *
 * <p>The components mirror the fields of the block one to one, so no records group them.
 *
 * @param segmentId never used twice in a store
 * @param salt random; tells batches of this life from left-overs of an earlier one
 * @param segmentBytes size of the file
 * @param blockBytes batches begin at multiples of this
 * @param previousId the segment that is filled before this one, 0 for the very first
 * @param oldestId the oldest segment that recovery needed when this header was written
 * @param firstSequence the first sequence of the opening that wrote this header
 * @param durableBefore every batch of earlier openings up to this sequence was on disk when that opening began
 * @param freedThrough batches up to this sequence are not needed and may be gone
 */
public record SegmentHeader(
        long segmentId,
        long salt,
        long segmentBytes,
        int blockBytes,
        long previousId,
        long oldestId,
        long firstSequence,
        long durableBefore,
        long freedThrough) {

    /** Ids and sequences beyond this make no sense; numbers up to it can be incremented without overflow. */
    private static final long MAX_COUNT = Long.MAX_VALUE / 2;

    private static final String REMEDY = "restore the directory from a backup; nothing was changed";

    void encodeTo(ByteBuffer block, byte[] storeId) {
        block.order(SegmentFormat.ORDER);
        block.putLong(SegmentFormat.SEGMENT_MAGIC_OFFSET, SegmentFormat.SEGMENT_MAGIC);
        block.putInt(SegmentFormat.VERSION_OFFSET, SegmentFormat.VERSION);
        block.putInt(SegmentFormat.BLOCK_BYTES_OFFSET, blockBytes);
        block.put(SegmentFormat.STORE_ID_OFFSET, storeId);
        block.putLong(SegmentFormat.SEGMENT_ID_OFFSET, segmentId);
        block.putLong(SegmentFormat.SALT_OFFSET, salt);
        block.putLong(SegmentFormat.SEGMENT_BYTES_OFFSET, segmentBytes);
        block.putLong(SegmentFormat.PREVIOUS_ID_OFFSET, previousId);
        block.putLong(SegmentFormat.OLDEST_ID_OFFSET, oldestId);
        block.putLong(SegmentFormat.FIRST_SEQUENCE_OFFSET, firstSequence);
        block.putLong(SegmentFormat.DURABLE_BEFORE_OFFSET, durableBefore);
        block.putLong(SegmentFormat.FREED_THROUGH_OFFSET, freedThrough);
        block.putInt(SegmentFormat.SEGMENT_CRC_OFFSET, checksum(block));
    }

    /**
     * Reads a header.
     *
     * @param fileBytes size of the file it was read from
     * @throws CorruptStoreException it is damaged
     * @throws UnsupportedFormatException it is of another store or of a newer format
     */
    public static SegmentHeader decode(ByteBuffer block, byte[] storeId, Path file, long fileBytes) {
        block.order(SegmentFormat.ORDER);
        check(block.remaining() >= SegmentFormat.SEGMENT_HEADER_BYTES, file, fileBytes, "it ends within its header");
        check(
                block.getLong(SegmentFormat.SEGMENT_MAGIC_OFFSET) == SegmentFormat.SEGMENT_MAGIC,
                file,
                SegmentFormat.SEGMENT_MAGIC_OFFSET,
                "it does not begin as a segment does");
        check(
                block.getInt(SegmentFormat.SEGMENT_CRC_OFFSET) == checksum(block),
                file,
                SegmentFormat.SEGMENT_CRC_OFFSET,
                "the checksum of its header does not fit");
        int version = block.getInt(SegmentFormat.VERSION_OFFSET);
        if (version != SegmentFormat.VERSION) {
            throw new UnsupportedFormatException("file=" + file + " has format version " + version
                    + "; this library reads version " + SegmentFormat.VERSION + ": use the library that wrote it");
        }
        if (!isOf(storeId, block)) {
            throw new UnsupportedFormatException("file=" + file
                    + " belongs to another store; take it out of the directory, or put the right file back");
        }
        SegmentHeader header = fields(block);
        header.checkSense(file, fileBytes);
        return header;
    }

    private static boolean isOf(byte[] storeId, ByteBuffer block) {
        return Arrays.equals(storeIdIn(block), storeId);
    }

    private static byte[] storeIdIn(ByteBuffer block) {
        byte[] found = new byte[SegmentFormat.STORE_ID_BYTES];
        block.get(SegmentFormat.STORE_ID_OFFSET, found);
        return found;
    }

    private static SegmentHeader fields(ByteBuffer block) {
        return new SegmentHeader(
                block.getLong(SegmentFormat.SEGMENT_ID_OFFSET),
                block.getLong(SegmentFormat.SALT_OFFSET),
                block.getLong(SegmentFormat.SEGMENT_BYTES_OFFSET),
                block.getInt(SegmentFormat.BLOCK_BYTES_OFFSET),
                block.getLong(SegmentFormat.PREVIOUS_ID_OFFSET),
                block.getLong(SegmentFormat.OLDEST_ID_OFFSET),
                block.getLong(SegmentFormat.FIRST_SEQUENCE_OFFSET),
                block.getLong(SegmentFormat.DURABLE_BEFORE_OFFSET),
                block.getLong(SegmentFormat.FREED_THROUGH_OFFSET));
    }

    /** The id of the store that a whole header of this format names; empty if this is none. */
    public static Optional<byte[]> storeIdOf(ByteBuffer block) {
        block.order(SegmentFormat.ORDER);
        boolean isWhole = block.remaining() >= SegmentFormat.SEGMENT_HEADER_BYTES
                && block.getLong(SegmentFormat.SEGMENT_MAGIC_OFFSET) == SegmentFormat.SEGMENT_MAGIC
                && block.getInt(SegmentFormat.SEGMENT_CRC_OFFSET) == checksum(block)
                && block.getInt(SegmentFormat.VERSION_OFFSET) == SegmentFormat.VERSION;
        return isWhole ? Optional.of(storeIdIn(block)) : Optional.empty();
    }

    /**
     * The header of a file that was cut, or has a foreign end, with the size that is left; empty if it is damaged.
     */
    public static Optional<SegmentHeader> ofCutFile(ByteBuffer block, byte[] storeId, Path file, long fileBytes) {
        if (storeIdOf(block).filter(found -> Arrays.equals(found, storeId)).isEmpty()) {
            return Optional.empty();
        }
        SegmentHeader said = fields(block);
        long bytes =
                said.blockBytes <= 0 ? 0 : Math.min(said.segmentBytes, fileBytes) / said.blockBytes * said.blockBytes;
        SegmentHeader cut = new SegmentHeader(
                said.segmentId,
                said.salt,
                bytes,
                said.blockBytes,
                said.previousId,
                said.oldestId,
                said.firstSequence,
                said.durableBefore,
                said.freedThrough);
        try {
            cut.checkSense(file, bytes);
            return Optional.of(cut);
        } catch (CorruptStoreException senseless) {
            return Optional.empty();
        }
    }

    /** The same life, of the opening that began with this sequence. */
    public SegmentHeader ofOpening(long openingSequence) {
        return new SegmentHeader(
                segmentId,
                salt,
                segmentBytes,
                blockBytes,
                previousId,
                oldestId,
                openingSequence,
                durableBefore,
                freedThrough);
    }

    /** The same life of a file with blocks of this size. */
    SegmentHeader withBlocks(int bytes) {
        return new SegmentHeader(
                segmentId, salt, segmentBytes, bytes, previousId, oldestId, firstSequence, durableBefore, freedThrough);
    }

    /**
     * The header that makes the copies in a spare count.
     *
     * @param copySalt the salt of the batches
     * @param need names the oldest segment and the batches that are needed then
     */
    SegmentHeader ofCopies(long copySalt, SegmentHeader need) {
        return new SegmentHeader(
                segmentId,
                copySalt,
                segmentBytes,
                blockBytes,
                previousId,
                need.oldestId,
                firstSequence,
                durableBefore,
                need.freedThrough);
    }

    private void checkSense(Path file, long fileBytes) {
        check(
                segmentBytes == fileBytes,
                file,
                Math.min(segmentBytes, fileBytes),
                "it has " + fileBytes + " bytes, but its header says " + segmentBytes);
        check(
                blockBytes >= SegmentFormat.LEAST_BLOCK_BYTES
                        && Integer.bitCount(blockBytes) == 1
                        && segmentBytes % blockBytes == 0,
                file,
                SegmentFormat.BLOCK_BYTES_OFFSET,
                "its block size " + blockBytes + " makes no sense");
        check(
                segmentId > 0
                        && segmentId <= MAX_COUNT
                        && previousId >= 0
                        && previousId < segmentId
                        && oldestId > 0
                        && oldestId <= segmentId,
                file,
                SegmentFormat.SEGMENT_ID_OFFSET,
                "its segment ids make no sense");
        check(
                firstSequence > 0
                        && firstSequence <= MAX_COUNT
                        && durableBefore >= 0
                        && durableBefore < firstSequence
                        && freedThrough >= 0
                        && freedThrough <= MAX_COUNT,
                file,
                SegmentFormat.FIRST_SEQUENCE_OFFSET,
                "its sequences make no sense");
    }

    private static int checksum(ByteBuffer block) {
        CRC32C crc = new CRC32C();
        crc.update(block.duplicate().position(0).limit(SegmentFormat.SEGMENT_CRC_OFFSET));
        return (int) crc.getValue();
    }

    private static void check(boolean holds, Path file, long offset, String reason) {
        if (!holds) {
            throw new CorruptStoreException(file, offset, reason, REMEDY);
        }
    }
}
