package io.tallystick.store.journal.room;

import java.util.concurrent.atomic.AtomicLong;

/** Bytes in the active file and the spare ones that no record has reserved. All threads may take and give. */
public final class Room {
    private final AtomicLong free = new AtomicLong();

    /** No room: a log without files. */
    public Room() {}

    /**
     * Takes room, unless less than {@code floor} would be left. A taker that is refused takes nothing meanwhile either:
     * another one, with a lower floor, would be refused room that is there.
     */
    public boolean tryTake(long bytes, long floor) {
        long now;
        do {
            now = free.get();
            if (now - bytes < floor) {
                return false;
            }
        } while (!free.compareAndSet(now, now - bytes));
        return true;
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
