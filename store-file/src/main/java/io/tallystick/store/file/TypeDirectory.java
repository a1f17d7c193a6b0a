package io.tallystick.store.file;

import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.spi.StateImage;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/** One type: the directory of its files, the index of its keys, and its spare files. */
final class TypeDirectory {
    private final String type;
    private final byte[] typeBytes;
    private final Path path;
    private final SpareFiles spares;
    private final ConcurrentHashMap<ObjectId, Turn> turns = new ConcurrentHashMap<>();

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

    /** Where the state of the id is, if there is one. */
    Path stateFile(ObjectId id) {
        return path.resolve(FileNames.stateOf(id));
    }

    /** Puts in the index what recovery found. */
    void recovered(ObjectId id, Held held) {
        turns.put(id, Turn.settled(held));
    }

    /** Queues for the id's next turn; {@link #settle} must follow. */
    Turn queue(ObjectId id) {
        while (true) {
            Turn last = turns.get(id);
            Turn next = Turn.after(last);
            if (last == null ? turns.putIfAbsent(id, next) == null : turns.replace(id, last, next)) {
                return next;
            }
        }
    }

    /** Ends a turn, which left this; an id without a state is forgotten. */
    void settle(ObjectId id, Turn turn, Held held) {
        turn.settle(held);
        if (held.isNothing()) {
            turns.remove(id, turn);
        }
    }

    /** What readers see of the id now: a {@link StateImage} or a {@link Held}. */
    Object visible(ObjectId id) {
        Turn last = turns.get(id);
        return last == null ? Held.NOTHING : last.visible();
    }

    /** Whether readers see that anything is held. */
    boolean hasVisibleKey() {
        for (Turn last : turns.values()) {
            if (statusOf(last.visible()) != StateStatus.ABSENT) {
                return true;
            }
        }
        return false;
    }

    /** The keys of which readers see that something is held. */
    List<StateKey> visibleKeys() {
        List<StateKey> keys = new ArrayList<>();
        turns.forEach((id, last) -> {
            if (statusOf(last.visible()) != StateStatus.ABSENT) {
                keys.add(keys.isEmpty() ? StateKey.of(type, id) : keys.get(0).withId(id));
            }
        });
        return keys;
    }

    /** The status in what {@link #visible} answered. */
    static StateStatus statusOf(Object visible) {
        return visible instanceof StateImage image ? image.status() : ((Held) visible).status();
    }

    /** Whether the file of this id, with so many bytes in its values, has the size of a spare file. */
    boolean isOneBlock(ObjectId id, long valueBytes) {
        return StateFileFormat.fileBytes(typeBytes.length, id.length(), valueBytes) == StateFileFormat.BLOCK_BYTES;
    }
}
