package io.tallystick.store;

import io.tallystick.store.text.Printable;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;
import java.util.UUID;

/** The identity of an object within its type: 1 to {@value #MAX_BYTES} opaque bytes. An immutable value. */
public final class ObjectId implements Comparable<ObjectId> {
    /** The longest id, bytes. */
    public static final int MAX_BYTES = 64;

    private static final HexFormat HEX = HexFormat.of();
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long MIX = 0x9e3779b97f4a7c15L;

    private final byte[] bytes;
    private final int hash;

    private ObjectId(byte[] bytes) {
        if (bytes.length == 0 || bytes.length > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "object id has length=" + bytes.length + " bytes; it must have 1 to " + MAX_BYTES);
        }
        this.bytes = bytes;
        this.hash = hash(bytes);
    }

    /** The id with a copy of these bytes. */
    public static ObjectId of(byte[] bytes) {
        return new ObjectId(bytes.clone());
    }

    /** The id of 16 bytes with those of {@code uuid}, in the order of its text. */
    public static ObjectId of(UUID uuid) {
        return new ObjectId(ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(uuid.getMostSignificantBits())
                .putLong(uuid.getLeastSignificantBits())
                .array());
    }

    /** The id whose {@link #toString} gave this text. */
    public static ObjectId parse(String hex) {
        Objects.requireNonNull(hex, "hex");
        byte[] bytes;
        try {
            bytes = HEX.parseHex(hex);
        } catch (IllegalArgumentException notHex) {
            throw new IllegalArgumentException(
                    "object id '" + Printable.of(hex) + "' is not an even number of hexadecimal digits", notHex);
        }
        return new ObjectId(bytes);
    }

    /** A copy of the bytes. */
    public byte[] toBytes() {
        return bytes.clone();
    }

    /** How many bytes the id has. */
    public int length() {
        return bytes.length;
    }

    /** Copies the bytes into {@code target}, beginning at {@code offset}. */
    public void copyTo(byte[] target, int offset) {
        System.arraycopy(bytes, 0, target, offset, bytes.length);
    }

    @Override
    public boolean equals(Object other) {
        return this == other
                || (other instanceof ObjectId that && hash == that.hash && Arrays.equals(bytes, that.bytes));
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /** Unsigned lexicographic order of the bytes. */
    @Override
    public int compareTo(ObjectId other) {
        return Arrays.compareUnsigned(bytes, other.bytes);
    }

    /** Lower-case hexadecimal digits; {@link #parse} reads them back. */
    @Override
    public String toString() {
        return HEX.formatHex(bytes);
    }

    // Keys are made on the path of every commit, so this takes eight bytes at a time. Ids of one process differ in few
    // bits; the finalizer of MurmurHash3 spreads them over a hash table.
    private static int hash(byte[] bytes) {
        long hash = bytes.length;
        int offset = 0;
        for (; offset <= bytes.length - Long.BYTES; offset += Long.BYTES) {
            hash = Long.rotateLeft((hash ^ (long) LONGS.get(bytes, offset)) * MIX, 31);
        }
        for (; offset < bytes.length; offset++) {
            hash = Long.rotateLeft((hash ^ bytes[offset]) * MIX, 31);
        }
        hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
        hash = (hash ^ (hash >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return (int) (hash ^ (hash >>> 33));
    }
}
