package io.tallystick.store.log.record;

import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.spi.StateImage;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Decodes records of one store and trusts nothing in them: every length is checked before anything is allocated. Not
 * for several threads at once.
 */
public final class RecordDecoder {
    private static final int CACHED_TYPES = 256;

    private final byte[] storeId;
    private final CRC32C crc = new CRC32C();
    // A key of each type met: a type is decoded and checked only once.
    private final Map<ByteBuffer, StateKey> keysOfTypes = new HashMap<>();
    private byte[] lastType = {};
    private @Nullable StateKey lastKey;

    /** A decoder for the store with this id of 16 bytes. */
    public RecordDecoder(byte[] storeId) {
        this.storeId = storeId.clone();
    }

    /** A decoder that will first meet a record with a key of the same type as this one. */
    public RecordDecoder(byte[] storeId, StateKey expected) {
        this(storeId);
        lastType = expected.type().getBytes(StandardCharsets.UTF_8);
        lastKey = expected;
    }

    /** The bytes are no record of this store; the message says why. */
    public static final class BadRecordException extends Exception {
        private static final long serialVersionUID = 1L;

        BadRecordException(String reason) {
            super(reason);
        }
    }

    /**
     * The fields of a record, without the bytes of the values.
     *
     * @param key the key
     * @param flags {@link RecordFormat#FLAG_COMMITTED} and the others
     * @param length bytes of the record, padding included
     * @param bodyOffset where in the record the committed value begins, bytes
     * @param committedLength bytes of the committed value
     * @param shadowLength bytes of the shadow value
     */
    public record Header(StateKey key, int flags, int length, int bodyOffset, int committedLength, int shadowLength) {}

    /**
     * Checks the record that begins at {@code offset} and returns its header.
     *
     * @param limit the offset that no record may reach beyond
     * @throws BadRecordException it is no whole, undamaged record of this store
     */
    public Header decodeHeader(byte[] source, int offset, int limit) throws BadRecordException {
        check(limit - offset >= RecordFormat.HEADER_BYTES, "it ends within its header");
        int length = RecordFormat.intAt(source, offset + RecordFormat.LENGTH_OFFSET);
        if (length < RecordFormat.HEADER_BYTES || length > limit - offset || length % RecordFormat.ALIGNMENT != 0) {
            // Not by check(): the text would be made for each record, which takes as long as all else here.
            throw new BadRecordException(
                    "its length " + length + " does not fit into the " + (limit - offset) + " bytes there are");
        }
        crc.reset();
        crc.update(storeId);
        crc.update(source, offset + RecordFormat.LENGTH_OFFSET, length - RecordFormat.LENGTH_OFFSET);
        int found = RecordFormat.intAt(source, offset + RecordFormat.CRC_OFFSET);
        check((int) crc.getValue() == found, "its checksum does not fit");
        check(source[offset + RecordFormat.KIND_OFFSET] == RecordFormat.KIND_IMAGE, "its kind is unknown");
        int flags = source[offset + RecordFormat.FLAGS_OFFSET] & 0xff;
        int typeLength = RecordFormat.shortAt(source, offset + RecordFormat.TYPE_LENGTH_OFFSET);
        int idLength = RecordFormat.shortAt(source, offset + RecordFormat.ID_LENGTH_OFFSET);
        int committedLength = RecordFormat.intAt(source, offset + RecordFormat.COMMITTED_LENGTH_OFFSET);
        int shadowLength = RecordFormat.intAt(source, offset + RecordFormat.SHADOW_LENGTH_OFFSET);
        check((flags & ~RecordFormat.ALL_FLAGS) == 0, "its flags are unknown");
        check(committedLength >= 0 && shadowLength >= 0, "a length is negative");
        check(committedLength == 0 || (flags & RecordFormat.FLAG_COMMITTED) != 0, "it has bytes of no committed value");
        check(shadowLength == 0 || (flags & RecordFormat.FLAG_SHADOW) != 0, "it has bytes of no shadow value");
        check(flags != RecordFormat.FLAG_HIDDEN, "it hides nothing");
        long bodyOffset = (long) RecordFormat.HEADER_BYTES + typeLength + idLength;
        long end = bodyOffset + committedLength + shadowLength;
        check(end <= length && length - end < RecordFormat.ALIGNMENT, "its lengths do not add up");
        StateKey key = keyAt(source, offset + RecordFormat.HEADER_BYTES, typeLength, idLength);
        return new Header(key, flags, length, (int) bodyOffset, committedLength, shadowLength);
    }

    /**
     * The key that a damaged record at {@code offset} seems to have; empty if it shows none. Only for people to read:
     * no checksum covers it.
     *
     * @param limit the offset that no record may reach beyond
     */
    public Optional<StateKey> claimedKey(byte[] source, int offset, int limit) {
        if (limit - offset < RecordFormat.HEADER_BYTES) {
            return Optional.empty();
        }
        int typeLength = RecordFormat.shortAt(source, offset + RecordFormat.TYPE_LENGTH_OFFSET);
        int idLength = RecordFormat.shortAt(source, offset + RecordFormat.ID_LENGTH_OFFSET);
        if (typeLength > StateKey.MAX_TYPE_BYTES
                || idLength > ObjectId.MAX_BYTES
                || limit - offset - RecordFormat.HEADER_BYTES < typeLength + idLength) {
            return Optional.empty();
        }
        try {
            return Optional.of(keyAt(source, offset + RecordFormat.HEADER_BYTES, typeLength, idLength));
        } catch (BadRecordException malformed) {
            return Optional.empty();
        }
    }

    /** The values of a record that {@link #decodeHeader} has checked at this offset. */
    public static StateImage imageOf(byte[] source, int offset, Header header) {
        int body = offset + header.bodyOffset();
        byte[] committed = null;
        byte[] shadow = null;
        if ((header.flags() & RecordFormat.FLAG_COMMITTED) != 0) {
            committed = copy(source, body, header.committedLength());
        }
        if ((header.flags() & RecordFormat.FLAG_SHADOW) != 0) {
            shadow = copy(source, body + header.committedLength(), header.shadowLength());
        }
        return StateImage.of(committed, shadow, (header.flags() & RecordFormat.FLAG_HIDDEN) != 0);
    }

    private StateKey keyAt(byte[] source, int offset, int typeLength, int idLength) throws BadRecordException {
        byte[] type = copy(source, offset, typeLength);
        byte[] id = copy(source, offset + typeLength, idLength);
        try {
            // Mostly the type is that of the record before.
            if (lastKey == null || !Arrays.equals(type, lastType)) {
                lastKey = keyOfType(type, ObjectId.of(id));
                lastType = type;
            }
            return lastKey.withId(ObjectId.of(id));
        } catch (IllegalArgumentException | CharacterCodingException malformed) {
            throw new BadRecordException("its key is malformed");
        }
    }

    // Not Arrays.copyOfRange, which fills up with zeros where the source ends.
    private static byte[] copy(byte[] source, int offset, int length) {
        byte[] copy = new byte[length];
        System.arraycopy(source, offset, copy, 0, length);
        return copy;
    }

    private StateKey keyOfType(byte[] encoded, ObjectId anyId) throws CharacterCodingException {
        ByteBuffer lookUp = ByteBuffer.wrap(encoded);
        StateKey known = keysOfTypes.get(lookUp);
        if (known == null) {
            String type = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(encoded))
                    .toString();
            known = StateKey.of(type, anyId);
            if (keysOfTypes.size() < CACHED_TYPES) {
                keysOfTypes.put(lookUp, known);
            }
        }
        return known;
    }

    private static void check(boolean holds, String reason) throws BadRecordException {
        if (!holds) {
            throw new BadRecordException(reason);
        }
    }
}
