package io.tallystick.store.journal.room;

import java.util.concurrent.atomic.AtomicLong;

/** Bytes in the active file and the spare ones that no record has reserved. All threads may take and give. */
public final class Room {
    private final AtomicLong free = new AtomicLong();

    /** No room: a log without files. */
    public Room() {}

    /** Takes room, unless less than {@code floor} would be left. */
    public boolean tryTake(long bytes, long floor) {
        if (free.addAndGet(-bytes) >= floor) {
            return true;
        }
        free.addAndGet(bytes);
        return false;
    }

    /** Takes room without a condition: the bytes are laid out already, or the store fails for another reason. */
    public void take(long bytes) {
        free.addAndGet(-bytes);
    }

    /** Gives room: a file became spare, or a record took less than it had reserved. A negative number takes room. */
    public void give(long bytes) {
        free.addAndGet(bytes);
    }

    /** The room that is left, bytes; negative after {@link #take} took more than there was. */
    public long free() {
        return free.get();
    }
}
