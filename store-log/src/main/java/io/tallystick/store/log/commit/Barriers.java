package io.tallystick.store.log.commit;

import org.jspecify.annotations.Nullable;

/**
 * Barriers that wait, in the order in which they were queued. A barrier's position says how many appends must be on
 * disk before it succeeds. Example: 10 appends were taken, then a barrier, then 3 appends; the barrier's position is
 * 10. All methods are called under the layout lock of the group commit, and take no memory.
 */
final class Barriers {
    private @Nullable PendingAppend first;
    private @Nullable PendingAppend last;
    private int lastKept;

    /**
     * Keeps the barriers of a chain, and returns the chain without them; null if nothing is left.
     *
     * @param taken how many appends were taken before the chain
     */
    @Nullable PendingAppend takeOutOf(@Nullable PendingAppend chain, long taken) {
        lastKept = 0;
        PendingAppend firstLeft = null;
        PendingAppend lastLeft = null;
        long before = taken;
        for (PendingAppend append = chain; append != null; ) {
            PendingAppend next = append.next();
            if (append.isBarrier()) {
                append.place(null, before);
                add(append);
                lastKept++;
            } else {
                before++;
                if (lastLeft == null) {
                    firstLeft = append;
                } else {
                    lastLeft.setNext(append);
                }
                lastLeft = append;
            }
            append = next;
        }
        if (lastLeft != null) {
            lastLeft.setNext(null);
        }
        return firstLeft;
    }

    /** How many barriers were in the chain of the last {@link #takeOutOf}. Each has a caller that waits. */
    int lastKept() {
        return lastKept;
    }

    private void add(PendingAppend barrier) {
        barrier.setNext(null);
        if (last == null) {
            first = barrier;
        } else {
            last.setNext(barrier);
        }
        last = barrier;
    }

    /**
     * Releases the barriers that wait for at most this many appends. Returns them as a chain; null if there is none.
     */
    @Nullable PendingAppend release(long durable) {
        PendingAppend lastReleased = null;
        PendingAppend waiting = first;
        while (waiting != null && waiting.position() <= durable) {
            lastReleased = waiting;
            waiting = waiting.next();
        }
        if (lastReleased == null) {
            return null;
        }
        lastReleased.setNext(null);
        PendingAppend released = first;
        beginWith(waiting);
        return released;
    }

    /** The barrier that was queued first; null if none waits. */
    @Nullable PendingAppend first() {
        return first;
    }

    /** Forgets the barriers before this one of the chain, or all if it is null. */
    void beginWith(@Nullable PendingAppend barrier) {
        first = barrier;
        if (barrier == null) {
            last = null;
        }
    }
}
