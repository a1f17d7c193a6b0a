package io.tallystick.store.log.record;

import io.tallystick.store.StateStatus;
import java.nio.ByteOrder;

/**
 * Layout of one record, little-endian. docs/format/journal-v1.md has the same table and is the authority.
 *
 * <pre>
 *   0  u32  CRC32C over bytes 4 to the end of the record, begun with the 16 bytes of the store's id
 *   4  u32  length of the whole record, padding included
 *   8  u8   kind: 1 image
 *   9  u8   flags: 1 committed value, 2 shadow value, 4 hidden; none set: the key holds nothing any more
 *  10  u16  length of the type name
 *  12  u16  length of the object id
 *  14  u16  zero
 *  16  u32  length of the committed value
 *  20  u32  length of the shadow value
 *  24  ...  type name (UTF-8), object id, committed value, shadow value, zeros up to a multiple of 8
 * </pre>
 */
public final class RecordFormat {
    /** Byte order of every number on disk. */
    public static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;

    /** Records begin and end at multiples of this, bytes. */
    public static final int ALIGNMENT = 8;

    /** Bytes before the type name. */
    public static final int HEADER_BYTES = 24;

    /** A whole image of one key. */
    public static final byte KIND_IMAGE = 1;

    /** The image has a committed value. */
    public static final int FLAG_COMMITTED = 1;
    /** The image has a shadow value. */
    public static final int FLAG_SHADOW = 2;
    /** The key is hidden. */
    public static final int FLAG_HIDDEN = 4;

    static final int CRC_OFFSET = 0;
    /** Where in a record its length stands. */
    public static final int LENGTH_OFFSET = 4;

    static final int KIND_OFFSET = 8;
    static final int FLAGS_OFFSET = 9;
    static final int TYPE_LENGTH_OFFSET = 10;
    static final int ID_LENGTH_OFFSET = 12;
    static final int RESERVED_OFFSET = 14;
    static final int COMMITTED_LENGTH_OFFSET = 16;
    static final int SHADOW_LENGTH_OFFSET = 20;
    static final int ALL_FLAGS = FLAG_COMMITTED | FLAG_SHADOW | FLAG_HIDDEN;

    private RecordFormat() {}

    /** The status of a key whose latest image has these flags. */
    public static StateStatus statusOf(int flags) {
        boolean hidden = (flags & FLAG_HIDDEN) != 0;
        if ((flags & FLAG_SHADOW) != 0) {
            return hidden ? StateStatus.SHADOW_HIDDEN : StateStatus.SHADOW;
        }
        if ((flags & FLAG_COMMITTED) != 0) {
            return hidden ? StateStatus.COMMITTED_HIDDEN : StateStatus.COMMITTED;
        }
        return StateStatus.ABSENT;
    }

    // By hand: recovery decodes thousands of records before its code is compiled. A buffer takes six calls a number.

    /** The number of eight bytes that begins here. */
    public static long longAt(byte[] bytes, int offset) {
        return (intAt(bytes, offset) & 0xffff_ffffL) | (long) intAt(bytes, offset + Integer.BYTES) << Integer.SIZE;
    }

    /** The number of four bytes that begins here. */
    public static int intAt(byte[] bytes, int offset) {
        return (bytes[offset] & 0xff)
                | (bytes[offset + 1] & 0xff) << 8
                | (bytes[offset + 2] & 0xff) << 16
                | bytes[offset + 3] << 24;
    }

    /** The number of two bytes that begins here, 0 to 65,535. */
    public static int shortAt(byte[] bytes, int offset) {
        return (bytes[offset] & 0xff) | (bytes[offset + 1] & 0xff) << 8;
    }

    /** The least multiple of {@link #ALIGNMENT} that is not below {@code bytes}. */
    public static int aligned(int bytes) {
        return (bytes + ALIGNMENT - 1) & -ALIGNMENT;
    }
}
