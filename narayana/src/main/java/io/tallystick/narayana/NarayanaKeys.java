package io.tallystick.narayana;

import com.arjuna.ats.arjuna.common.Uid;
import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Narayana's pair of Uid and type name as a {@link StateKey}. The id is the Uid's 28 bytes. The type name is
 * Narayana's, with one slash before each element: Narayana itself writes it with and without the first one, and its
 * file store does not mind further ones.
 *
 * <p>May be used by any number of threads.
 */
final class NarayanaKeys {
    /** The length of a Uid: two longs of address, three ints of process, time and count; bytes. */
    static final int UID_BYTES = 28;

    // A transaction manager has a few dozen type names. A program with ever new type names still works, uncached.
    private static final int MAX_CACHED_TYPES = 1024;
    private static final ObjectId ANY_ID = ObjectId.of(new byte[1]);

    // A key of each type, by the name as Narayana gave it; withId makes the other keys of the type from it.
    private final ConcurrentHashMap<String, StateKey> keyOfType = new ConcurrentHashMap<>();

    /**
     * The key of this Uid and type name.
     *
     * @throws IllegalArgumentException one of them is null or not valid; the message says which and why
     */
    StateKey key(Uid uid, String typeName) {
        if (uid == null) {
            throw new IllegalArgumentException("the Uid is null");
        }
        byte[] bytes = uid.valid() ? uid.getBytes() : null;
        if (bytes == null) {
            throw new IllegalArgumentException("the Uid " + uid + " is not valid");
        }
        return keyOf(typeName).withId(ObjectId.of(bytes));
    }

    /**
     * The type name as the store has it.
     *
     * @throws IllegalArgumentException it is null or cannot be one
     */
    String type(String typeName) {
        return keyOf(typeName).type();
    }

    /** Whether the type name is null or has no element, such as {@code /}. No state can have such a type. */
    static boolean isRoot(String typeName) {
        return typeName == null || normalized(typeName).isEmpty();
    }

    private StateKey keyOf(String typeName) {
        if (typeName == null) {
            throw new IllegalArgumentException("the type name is null");
        }
        StateKey known = keyOfType.get(typeName);
        if (known != null) {
            return known;
        }
        StateKey made = StateKey.of(normalized(typeName), ANY_ID);
        if (keyOfType.size() < MAX_CACHED_TYPES) {
            keyOfType.put(typeName, made);
        }
        return made;
    }

    private static String normalized(String typeName) {
        StringBuilder path = new StringBuilder(typeName.length() + 1);
        for (String element : typeName.split("/")) {
            if (!element.isEmpty()) {
                path.append('/').append(element);
            }
        }
        return path.toString();
    }
}
