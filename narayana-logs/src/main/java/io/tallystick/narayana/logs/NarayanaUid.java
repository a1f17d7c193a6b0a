package io.tallystick.narayana.logs;

import io.tallystick.store.ObjectId;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Narayana's Uid: two longs of address, and process, second and count as ints; {@value #BYTES} bytes, big-endian. As
 * text it is five signed hexadecimal numbers. Between them are colons in a database and in messages, and underlines in
 * the name of a file.
 */
public final class NarayanaUid {
    /** The length of a Uid. */
    public static final int BYTES = 28;

    private static final int PARTS = 5;
    private static final int LONG_PARTS = 2;

    private NarayanaUid() {}

    /** The id of this text; empty if the text is not a Uid, or is the null Uid, which names no object. */
    public static Optional<ObjectId> parse(String text, char separator) {
        String[] parts = text.split(String.valueOf(separator), -1);
        if (parts.length != PARTS) {
            return Optional.empty();
        }
        ByteBuffer bytes = ByteBuffer.allocate(BYTES);
        boolean isNull = true;
        for (int i = 0; i < PARTS; i++) {
            Optional<Long> number = number(parts[i], i < LONG_PARTS);
            if (number.isEmpty()) {
                return Optional.empty();
            }
            isNull &= number.get() == 0;
            if (i < LONG_PARTS) {
                bytes.putLong(number.get());
            } else {
                bytes.putInt(number.get().intValue());
            }
        }
        return isNull ? Optional.empty() : Optional.of(ObjectId.of(bytes.array()));
    }

    // Other spellings of the same number do not count: Narayana would not find a file of such a name.
    private static Optional<Long> number(String text, boolean isLong) {
        try {
            long value = Long.parseLong(text, 16);
            boolean fits = isLong || value == (int) value;
            return fits && Long.toString(value, 16).equals(text) ? Optional.of(value) : Optional.empty();
        } catch (NumberFormatException notANumber) {
            return Optional.empty();
        }
    }

    /**
     * The text, with colons, of the Uid that stands at this place; the caller knows that {@value #BYTES} bytes are
     * there.
     */
    public static String text(byte[] bytes, int offset) {
        ByteBuffer from = ByteBuffer.wrap(bytes, offset, BYTES);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < PARTS; i++) {
            text.append(i == 0 ? "" : ":").append(Long.toString(i < LONG_PARTS ? from.getLong() : from.getInt(), 16));
        }
        return text.toString();
    }

    /** The text, with colons, of the id; its hexadecimal digits if it is not a Uid. */
    public static String text(ObjectId id) {
        return id.length() == BYTES ? text(id.toBytes(), 0) : id.toString();
    }
}
