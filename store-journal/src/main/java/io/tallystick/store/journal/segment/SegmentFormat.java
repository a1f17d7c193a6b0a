package io.tallystick.store.journal.segment;

import io.tallystick.store.log.record.RecordFormat;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Layout of a segment file, little-endian; docs/format/journal-v1.md has the same tables and is the authority.
 *
 * <pre>
 * segment = header block, batch*, never-written or left-over blocks
 *
 * header block                                   batch header, at a block boundary
 *   0  u64  magic                                  0  u32  magic
 *   8  u32  format version                         4  u32  CRC32C over bytes 8 to 63 and the CRCs of the records
 *  12  u32  block size, bytes                      8  u64  salt of the segment
 *  16  16   id of the store                       16  u64  id of the segment
 *  32  u64  id of the segment                     24  u64  sequence of the batch
 *  40  u64  salt                                  32  u64  every batch up to this sequence is on disk
 *  48  u64  size of the file, bytes               40  u64  offset of this header in the file
 *  56  u64  id of the segment before              48  u32  length, header included, padding not
 *  64  u64  id of the oldest segment in use       52  u32  number of records
 *  72  u64  first sequence of this opening        56  u64  zero
 *  80  u64  durable sequence before this opening  64  ...  records, then zeros up to the next block
 *  88  u64  every batch up to this sequence was freed
 *  96  28   zero
 * 124  u32  CRC32C over bytes 0 to 123
 * </pre>
 */
public final class SegmentFormat {
    public static final ByteOrder ORDER = RecordFormat.ORDER;
    static final int VERSION = 1;

    /** "TALLYSEG", read as a little-endian number. */
    static final long SEGMENT_MAGIC = 0x4745_5359_4c4c_4154L;
    /** "TBAT". */
    static final int BATCH_MAGIC = 0x5441_4254;

    /** No block is smaller, and every block is a multiple of it. */
    static final int LEAST_BLOCK_BYTES = 512;

    public static final int SEGMENT_HEADER_BYTES = 128;
    static final int SEGMENT_MAGIC_OFFSET = 0;
    public static final int VERSION_OFFSET = 8;
    static final int BLOCK_BYTES_OFFSET = 12;
    public static final int STORE_ID_OFFSET = 16;
    static final int STORE_ID_BYTES = 16;
    static final int SEGMENT_ID_OFFSET = 32;
    static final int SALT_OFFSET = 40;
    static final int SEGMENT_BYTES_OFFSET = 48;
    static final int PREVIOUS_ID_OFFSET = 56;
    static final int OLDEST_ID_OFFSET = 64;
    static final int FIRST_SEQUENCE_OFFSET = 72;
    static final int DURABLE_BEFORE_OFFSET = 80;
    static final int FREED_THROUGH_OFFSET = 88;
    static final int SEGMENT_CRC_OFFSET = 124;

    public static final int BATCH_HEADER_BYTES = 64;
    static final int BATCH_MAGIC_OFFSET = 0;
    static final int BATCH_CRC_OFFSET = 4;
    public static final int BATCH_SALT_OFFSET = 8;
    public static final int BATCH_SEGMENT_ID_OFFSET = 16;
    public static final int BATCH_SEQUENCE_OFFSET = 24;
    static final int BATCH_DURABLE_OFFSET = 32;
    public static final int BATCH_POSITION_OFFSET = 40;
    public static final int BATCH_LENGTH_OFFSET = 48;
    static final int BATCH_COUNT_OFFSET = 52;
    static final int BATCH_RESERVED_OFFSET = 56;

    /** The name of a segment file that is being made. */
    public static final String UNFINISHED_SUFFIX = ".new";

    private static final String PREFIX = "segment-";
    private static final String SUFFIX = ".seg";
    private static final int NAME_DIGITS = 6;
    // Earlier releases wrote .log, which log rotation looks for, and digits of the locale. Where the encoding of file
    // names knows no such digits, the system shows replacement characters.
    private static final Pattern NAME =
            Pattern.compile(PREFIX + "(?:(\\p{Nd}{6,9})|[\\p{Nd}\\x{FFFD}]+)\\.(?:seg|log)");

    private SegmentFormat() {}

    /** The least multiple of {@code block} that is not below {@code bytes}; {@code block} is a power of two. */
    public static long aligned(long bytes, int block) {
        return (bytes + block - 1) & -block;
    }

    /** The name that a segment file gets; the same in every locale. */
    static String fileName(int number) {
        // By hand, because each opening asks for names: the first format loads a hundred classes in a new JVM.
        String digits = Integer.toString(number);
        return PREFIX + "0".repeat(Math.max(0, NAME_DIGITS - digits.length())) + digits + SUFFIX;
    }

    /** The number in the name of a segment file, 0 where it cannot be read; -1 for another file. */
    public static int fileNumber(Path file) {
        Matcher matcher = NAME.matcher(file.getFileName().toString());
        if (!matcher.matches()) {
            return -1;
        }
        return matcher.group(1) == null ? 0 : Integer.parseInt(matcher.group(1)); // takes digits of every script
    }

    /** Whether the file is a segment that is being made, or was never finished. It holds nothing. */
    public static boolean isUnfinished(Path file) {
        String name = file.getFileName().toString();
        return name.startsWith(PREFIX) && name.endsWith(UNFINISHED_SUFFIX);
    }
}
