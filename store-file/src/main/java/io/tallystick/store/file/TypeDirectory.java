package io.tallystick.store.file;

import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.file.format.FileNames;
import io.tallystick.store.file.format.StateFileFormat;
import io.tallystick.store.spi.TypeCounts;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** One type: the directory of its files, the index of its keys, and its spare files. */
final class TypeDirectory {
    private final String type;
    private final byte[] typeBytes;
    private final Path path;
    private final SpareFiles spares;
    private final ConcurrentHashMap<ObjectId, KeyTicket> tickets = new ConcurrentHashMap<>();
    private final TypeCounts.Count keys = new TypeCounts.Count();

    TypeDirectory(String type, Path path, SpareFiles spares) {
        this.type = type;
        this.typeBytes = type.getBytes(StandardCharsets.UTF_8);
        this.path = path;
        this.spares = spares;
    }

    /** The type's name. */
    String type() {
        return type;
    }

    /** The type's name in UTF-8; not to be changed. */
    byte[] typeBytes() {
        return typeBytes;
    }

    /** The directory, which is known to exist and to be durable. */
    Path path() {
        return path;
    }

    /** Files in the directory that hold no state. */
    SpareFiles spares() {
        return spares;
    }

    /** The path of the id's state, if there is one. */
    Path stateFile(ObjectId id) {
        return path.resolve(FileNames.stateOf(id));
    }

    /** Puts a state that recovery found into the index. */
    void recovered(ObjectId id, StoredState left) {
        tickets.put(id, KeyTicket.settled(left));
        keys.add(1);
    }

    /** A key came to hold something ({@code +1}), or no longer does ({@code -1}). */
    void keysChanged(int difference) {
        keys.add(difference);
    }

    /** The keys that hold something, with the effects of operations in progress. */
    long keyCount() {
        return keys.sum();
    }

    /** Queues an operation on the id; {@link #settle} must follow. */
    KeyTicket queue(ObjectId id) {
        while (true) {
            KeyTicket last = tickets.get(id);
            KeyTicket next = KeyTicket.after(last);
            try {
                if (last == null ? tickets.putIfAbsent(id, next) == null : tickets.replace(id, last, next)) {
                    return next;
                }
            } catch (OutOfMemoryError noMemory) {
                if (tickets.get(id) != next) {
                    throw noMemory;
                }
                return next; // a map inserts first, and then lacks the memory to count or to grow
            }
        }
    }

    /** Ends a ticket with this result; an id without a state is forgotten. */
    void settle(ObjectId id, KeyTicket ticket, StoredState left) {
        try {
            ticket.settle(left);
        } finally {
            forget(id, ticket, left);
        }
    }

    /** As {@link #settle}, but returns the operation that must begin now, or null, instead of beginning it. */
    KeyTicket.@Nullable Successor end(ObjectId id, KeyTicket ticket, StoredState left) {
        KeyTicket.Successor next = ticket.end(left);
        forget(id, ticket, left);
        return next;
    }

    private void forget(ObjectId id, KeyTicket ticket, StoredState left) {
        if (left.isNothing()) {
            tickets.remove(id, ticket);
        }
    }

    /** The state of the id that readers see now. */
    StoredState visible(ObjectId id) {
        KeyTicket last = tickets.get(id);
        return last == null ? StoredState.NOTHING : last.visible();
    }

    /** The ids that have or had a state, while they come and go. */
    Iterator<ObjectId> ids() {
        Map<ObjectId, KeyTicket> comingAndGoing = tickets;
        return comingAndGoing.keySet().iterator();
    }

    /** Whether readers see any state. */
    boolean hasVisibleKey() {
        for (KeyTicket last : tickets.values()) {
            if (!last.visible().isNothing()) {
                return true;
            }
        }
        return false;
    }

    /** The keys whose states readers see, at most this many. */
    List<StateKey> visibleKeys(int atMost) {
        List<StateKey> keys = new ArrayList<>();
        for (Map.Entry<ObjectId, KeyTicket> entry : tickets.entrySet()) {
            if (keys.size() >= atMost) {
                break;
            }
            if (!entry.getValue().visible().isNothing()) {
                ObjectId id = entry.getKey();
                keys.add(keys.isEmpty() ? StateKey.of(type, id) : keys.get(0).withId(id));
            }
        }
        return keys;
    }

    /** The bytes of the file of this id up to the end of its values; zeros follow. */
    long leastFileBytes(ObjectId id, long valueBytes) {
        return (long) StateFileFormat.HEADER_BYTES + typeBytes.length + id.length() + valueBytes;
    }

    /** Whether the file of this id, with this many bytes in its values, has the size of a spare file. */
    boolean isOneBlock(ObjectId id, long valueBytes) {
        return StateFileFormat.fileBytes(typeBytes.length, id.length(), valueBytes) == StateFileFormat.BLOCK_BYTES;
    }
}
