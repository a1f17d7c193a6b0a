package io.tallystick.store.file.format;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * The bytes of a state file: a header of {@value #HEADER_BYTES} bytes, type, id, committed value, shadow value, and
 * zeros up to whole blocks. Numbers are little-endian. docs/format/file-v1.md is the authority; a test compares its
 * table with these constants.
 */
public final class StateFileFormat {
    public static final byte[] MAGIC = "TALLYFIL".getBytes(StandardCharsets.US_ASCII);
    public static final int VERSION = 1;

    static final int MAGIC_OFFSET = 0;
    public static final int VERSION_OFFSET = 8;
    static final int FLAGS_OFFSET = 10;
    static final int ID_LENGTH_OFFSET = 11;
    static final int TYPE_LENGTH_OFFSET = 12;
    static final int RESERVED_OFFSET = 14;
    public static final int STORE_OFFSET = 16;
    static final int OPENING_OFFSET = 32;
    static final int SEQUENCE_OFFSET = 40;
    static final int COMMITTED_LENGTH_OFFSET = 48;
    static final int SHADOW_LENGTH_OFFSET = 52;
    static final int BODY_CHECKSUM_OFFSET = 56;
    public static final int HEADER_CHECKSUM_OFFSET = 60;
    public static final int HEADER_BYTES = 64;

    public static final int STORE_BYTES = 16;
    /** The size of a file is a multiple of this, so that rewriting one changes neither its size nor its blocks. */
    public static final int BLOCK_BYTES = 4096;

    public static final int HAS_COMMITTED = 1;
    public static final int HAS_SHADOW = 2;
    public static final int IS_HIDDEN = 4;
    static final int ALL_FLAGS = HAS_COMMITTED | HAS_SHADOW | IS_HIDDEN;

    private StateFileFormat() {}

    /** Bytes of a file whose header is followed by {@code bodyBytes}. */
    static long fileBytes(long bodyBytes) {
        return (HEADER_BYTES + bodyBytes + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
    }

    /** Bytes of the file of a key. */
    public static long fileBytes(int typeBytes, int idBytes, long valueBytes) {
        return fileBytes((long) typeBytes + idBytes + valueBytes);
    }

    public static int checksum(byte[] bytes, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, length);
        return (int) crc.getValue();
    }
}
