package io.tallystick.narayana.logs;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;

/** Writes what Narayana's {@code OutputBuffer} writes. */
public final class PackedBytes {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    public PackedBytes() {
        bytes.writeBytes(new byte[] {'#', 'B', 'E', 0, 0, 0, 0, 0});
    }

    public PackedBytes number(int value) {
        bytes.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(value).array());
        return this;
    }

    public PackedBytes number(long value) {
        bytes.writeBytes(ByteBuffer.allocate(Long.BYTES).putLong(value).array());
        return this;
    }

    public PackedBytes array(byte... value) {
        number(value.length);
        bytes.writeBytes(value);
        return fill(value.length);
    }

    public PackedBytes text(String value) {
        byte[] text = (value + '\0').getBytes(StandardCharsets.UTF_8);
        number(text.length);
        bytes.writeBytes(text);
        return fill(text.length);
    }

    private PackedBytes fill(int length) {
        bytes.writeBytes(new byte[-length & 3]);
        return this;
    }

    /** A file of Narayana's slot store with this record, and so many bytes behind it. */
    static byte[] slot(byte[] record, int more) {
        CRC32 crc = new CRC32();
        crc.update(record);
        return ByteBuffer.allocate(record.length + 2 * Integer.BYTES + more)
                .putInt(record.length)
                .put(record)
                .putInt((int) crc.getValue())
                .array();
    }

    public byte[] toBytes() {
        return bytes.toByteArray();
    }
}
