package io.tallystick.store.journal.artemis;

import java.util.concurrent.atomic.AtomicLong;

/** Bytes in the active file and the spare ones that nobody has reserved yet. */
final class Room {
    private final AtomicLong free = new AtomicLong();

    /** Takes room, unless that would leave less than {@code floor}. */
    boolean tryTake(long bytes, long floor) {
        if (free.addAndGet(-bytes) >= floor) {
            return true;
        }
        free.addAndGet(bytes);
        return false;
    }

    /** Gives room, or takes it if negative, whatever is left. */
    void give(long bytes) {
        free.addAndGet(bytes);
    }

    long free() {
        return free.get();
    }
}
