package io.tallystick.store;

import io.tallystick.store.text.Printable;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * The name of a state: a type and an id within the type. An immutable value.
 *
 * <p>A type name is a path of one or more elements, each after a slash, such as {@code
 * /StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction}. Any Unicode text may stand in an element: names are
 * data, and a store encodes them before they meet a file system. An element must not be empty, and the whole name
 * must have at most {@value #MAX_TYPE_BYTES} bytes of UTF-8.
 */
public final class StateKey {
    /** The longest type name, bytes of UTF-8. */
    public static final int MAX_TYPE_BYTES = 1024;

    private final String type;
    private final ObjectId id;
    private final int hash;

    private StateKey(String type, ObjectId id) {
        this.type = type;
        this.id = id;
        this.hash = 31 * type.hashCode() + id.hashCode();
    }

    /**
     * The key of this type and id.
     *
     * @throws IllegalArgumentException the type name is not a path as described above
     */
    public static StateKey of(String type, ObjectId id) {
        checkType(type);
        return new StateKey(type, Objects.requireNonNull(id, "id"));
    }

    /** The key with this type and another id; cheaper than {@link #of}, because the type is known to be well formed. */
    public StateKey withId(ObjectId otherId) {
        return new StateKey(type, Objects.requireNonNull(otherId, "otherId"));
    }

    /** The key whose {@link #toString} gave this text. */
    public static StateKey parse(String text) {
        Objects.requireNonNull(text, "text");
        int colon = text.lastIndexOf(':');
        if (colon < 0) {
            throw new IllegalArgumentException("state key '" + Printable.of(text)
                    + "' has no colon between type and id; expected /Some/Type:0a1b");
        }
        return of(text.substring(0, colon), ObjectId.parse(text.substring(colon + 1)));
    }

    /**
     * Returns {@code type} if it is a well-formed type name.
     *
     * @throws IllegalArgumentException if it is not, saying why
     */
    public static String checkType(String type) {
        Objects.requireNonNull(type, "type");
        if (type.isEmpty() || type.charAt(0) != '/') {
            throw new IllegalArgumentException("type name '" + Printable.of(type) + "' does not begin with '/'");
        }
        if (type.endsWith("/") || type.contains("//")) {
            throw new IllegalArgumentException("type name '" + Printable.of(type) + "' has an empty element");
        }
        if (type.length() * 3L > MAX_TYPE_BYTES || !isAscii(type)) {
            checkEncodes(type);
        }
        return type;
    }

    private static boolean isAscii(String type) {
        for (int i = 0; i < type.length(); i++) {
            if (type.charAt(i) >= 0x80) {
                return false;
            }
        }
        return true;
    }

    private static void checkEncodes(String type) {
        int bytes;
        try {
            bytes = StandardCharsets.UTF_8
                    .newEncoder()
                    .encode(CharBuffer.wrap(type))
                    .remaining();
        } catch (CharacterCodingException loneSurrogate) {
            throw new IllegalArgumentException(
                    "type name '" + Printable.of(type) + "' has half a surrogate pair and cannot be written as UTF-8",
                    loneSurrogate);
        }
        if (bytes > MAX_TYPE_BYTES) {
            throw new IllegalArgumentException("type name '" + Printable.of(type) + "' has length=" + bytes
                    + " bytes of UTF-8; the maximum is " + MAX_TYPE_BYTES);
        }
    }

    /** The type name. */
    public String type() {
        return type;
    }

    /** The id within the type. */
    public ObjectId id() {
        return id;
    }

    @Override
    public boolean equals(Object other) {
        return this == other
                || (other instanceof StateKey that
                        && hash == that.hash
                        && id.equals(that.id)
                        && type.equals(that.type));
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /** Type, colon, id in hexadecimal digits; {@link #parse} reads it back. Not escaped: see {@link #toPrintable}. */
    @Override
    public String toString() {
        return type + ':' + id;
    }

    /** As {@link #toString}, with control characters escaped and the length bounded, to stand in a message or a log. */
    public String toPrintable() {
        return Printable.of(type) + ':' + id;
    }
}
