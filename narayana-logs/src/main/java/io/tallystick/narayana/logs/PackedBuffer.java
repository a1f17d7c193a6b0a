package io.tallystick.narayana.logs;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads the bytes of Narayana's {@code OutputBuffer}: eight bytes that begin with {@code #BE}, then big-endian values,
 * each filled up to a multiple of four bytes. Every length is checked against the remaining bytes.
 */
public final class PackedBuffer {
    public static final int ALIGNMENT_BYTES = 4;

    private static final byte[] MARK = {'#', 'B', 'E'};
    private static final int HEADER_BYTES = 8;

    private final ByteBuffer bytes;
    // The number of values that may still be read; it bounds a search over hostile bytes.
    private long budget;

    private PackedBuffer(ByteBuffer bytes, long budget) {
        this.bytes = bytes;
        this.budget = budget;
    }

    /**
     * A reader behind the header.
     *
     * @throws MalformedException there is no such header
     */
    public static PackedBuffer of(byte[] packed) throws MalformedException {
        if (packed.length < HEADER_BYTES || !Arrays.equals(packed, 0, MARK.length, MARK, 0, MARK.length)) {
            throw new MalformedException("it does not begin with the header of Narayana's buffers, #BE");
        }
        return new PackedBuffer(ByteBuffer.wrap(packed).position(HEADER_BYTES), Long.MAX_VALUE);
    }

    /** Where the next value stands, bytes from the beginning. */
    public int offset() {
        return bytes.position();
    }

    public void moveTo(int offset) {
        bytes.position(offset);
    }

    /** Bytes behind the last value that was read. */
    public int remaining() {
        return bytes.remaining();
    }

    /**
     * Nothing is left but headers of empty buffers. Narayana's {@code OutputObjectState(InputObjectState)} appends one
     * to the bytes that it copies, so each record has one that the expiry scanner has moved.
     */
    public boolean isAtEnd() {
        int at = offset();
        while (isHeaderAt(at)) {
            at += HEADER_BYTES;
        }
        return at == bytes.limit();
    }

    private boolean isHeaderAt(int at) {
        return at + HEADER_BYTES <= bytes.limit()
                && Arrays.equals(bytes.array(), at, at + MARK.length, MARK, 0, MARK.length);
    }

    public void limitTo(long values) {
        budget = values;
    }

    public boolean isExhausted() {
        return budget <= 0;
    }

    /** The next int. */
    public int readInt() throws MalformedException {
        require(Integer.BYTES, "an int");
        return bytes.getInt();
    }

    public long readLong() throws MalformedException {
        require(Long.BYTES, "a long");
        return bytes.getLong();
    }

    public boolean readBoolean() throws MalformedException {
        return (readInt() & 0xff) != 0;
    }

    /** The next array of bytes. */
    public byte[] readBytes() throws MalformedException {
        int length = readLength("bytes");
        byte[] read = new byte[length];
        bytes.get(read);
        align(length);
        return read;
    }

    /** The next text; null if null was packed. */
    public String readString() throws MalformedException {
        int length = readLength("a text");
        if (length == 0) {
            return null;
        }
        byte[] read = new byte[length - 1];
        bytes.get(read);
        if (bytes.get() != 0) {
            throw new MalformedException(
                    "the text that ends before offset=" + offset() + " does not end with a zero byte");
        }
        align(length);
        return new String(read, StandardCharsets.UTF_8);
    }

    /** The next Uid, {@value NarayanaUid#BYTES} bytes. */
    public byte[] readUid() throws MalformedException {
        int at = offset();
        byte[] uid = readBytes();
        if (uid.length != NarayanaUid.BYTES) {
            throw new MalformedException("a Uid at offset=" + at + " has length=" + uid.length + " instead of "
                    + NarayanaUid.BYTES + " bytes");
        }
        return uid;
    }

    private int readLength(String what) throws MalformedException {
        int at = offset();
        int length = readInt();
        if (length < 0 || length > remaining()) {
            throw new MalformedException(what + " at offset=" + at + " would have length=" + length + ", but only "
                    + remaining() + " bytes are left");
        }
        return length;
    }

    private void require(int count, String what) throws MalformedException {
        budget--;
        if (budget < 0) {
            throw new MalformedException("too many values");
        }
        if (remaining() < count) {
            throw new MalformedException("it ends at offset=" + offset() + " within " + what);
        }
    }

    private void align(int length) {
        int excess = -length & (ALIGNMENT_BYTES - 1);
        bytes.position(bytes.position() + Math.min(excess, remaining()));
    }
}
