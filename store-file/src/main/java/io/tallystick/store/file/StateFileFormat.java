package io.tallystick.store.file;

import io.tallystick.store.StateKey;
import io.tallystick.store.spi.StateImage;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * The bytes of a state file: a header of {@value #HEADER_BYTES} bytes, the type, the id, the committed value, the shadow
 * value, and zeros up to a whole number of blocks. Numbers are little-endian. docs/format/file-v1.md is the authority; a
 * test compares its table with these constants.
 */
final class StateFileFormat {
    static final byte[] MAGIC = "TALLYFIL".getBytes(StandardCharsets.US_ASCII);
    static final int VERSION = 1;

    static final int MAGIC_OFFSET = 0;
    static final int VERSION_OFFSET = 8;
    static final int FLAGS_OFFSET = 10;
    static final int ID_LENGTH_OFFSET = 11;
    static final int TYPE_LENGTH_OFFSET = 12;
    static final int RESERVED_OFFSET = 14;
    static final int STORE_OFFSET = 16;
    static final int OPENING_OFFSET = 32;
    static final int SEQUENCE_OFFSET = 40;
    static final int COMMITTED_LENGTH_OFFSET = 48;
    static final int SHADOW_LENGTH_OFFSET = 52;
    static final int BODY_CHECKSUM_OFFSET = 56;
    static final int HEADER_CHECKSUM_OFFSET = 60;
    static final int HEADER_BYTES = 64;

    static final int STORE_BYTES = 16;
    /** The size of a file is a multiple of this, so that rewriting one changes neither its size nor its blocks. */
    static final int BLOCK_BYTES = 4096;

    static final int HAS_COMMITTED = 1;
    static final int HAS_SHADOW = 2;
    static final int IS_HIDDEN = 4;
    static final int ALL_FLAGS = HAS_COMMITTED | HAS_SHADOW | IS_HIDDEN;

    private StateFileFormat() {}

    /** Bytes of a file whose header is followed by {@code bodyBytes}. */
    static long fileBytes(long bodyBytes) {
        return (HEADER_BYTES + bodyBytes + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
    }

    /** Bytes of the file of a key. */
    static long fileBytes(int typeBytes, int idBytes, long valueBytes) {
        return fileBytes((long) typeBytes + idBytes + valueBytes);
    }

    /**
     * The whole file of a key, ready to be written.
     *
     * @param type the key's type in UTF-8
     * @param store unique id of the store, {@value #STORE_BYTES} bytes
     */
    static ByteBuffer encode(StateKey key, byte[] type, StateImage image, byte[] store, long opening, long sequence) {
        int idBytes = key.id().length();
        byte[] file = new byte[Math.toIntExact(fileBytes(type.length, idBytes, image.bytes()))];
        int at = HEADER_BYTES;
        System.arraycopy(type, 0, file, at, type.length);
        at += type.length;
        key.id().copyTo(file, at);
        at += idBytes;
        at += put(image.committed(), file, at);
        at += put(image.shadow(), file, at);

        ByteBuffer header = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        header.put(MAGIC_OFFSET, MAGIC);
        header.putShort(VERSION_OFFSET, (short) VERSION);
        header.put(FLAGS_OFFSET, (byte) flags(image));
        header.put(ID_LENGTH_OFFSET, (byte) idBytes);
        header.putShort(TYPE_LENGTH_OFFSET, (short) type.length);
        header.put(STORE_OFFSET, store);
        header.putLong(OPENING_OFFSET, opening);
        header.putLong(SEQUENCE_OFFSET, sequence);
        header.putInt(COMMITTED_LENGTH_OFFSET, length(image.committed()));
        header.putInt(SHADOW_LENGTH_OFFSET, length(image.shadow()));
        header.putInt(BODY_CHECKSUM_OFFSET, checksum(file, HEADER_BYTES, at - HEADER_BYTES));
        header.putInt(HEADER_CHECKSUM_OFFSET, checksum(file, 0, HEADER_CHECKSUM_OFFSET));
        return header;
    }

    static int checksum(byte[] bytes, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, length);
        return (int) crc.getValue();
    }

    private static int flags(StateImage image) {
        return (image.committed() == null ? 0 : HAS_COMMITTED)
                | (image.shadow() == null ? 0 : HAS_SHADOW)
                | (image.isHidden() ? IS_HIDDEN : 0);
    }

    private static int length(byte[] value) {
        return value == null ? 0 : value.length;
    }

    private static int put(byte[] value, byte[] file, int at) {
        if (value == null) {
            return 0;
        }
        System.arraycopy(value, 0, file, at, value.length);
        return value.length;
    }
}
