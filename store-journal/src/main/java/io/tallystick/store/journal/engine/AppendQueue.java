package io.tallystick.store.journal.engine;

import java.util.concurrent.atomic.AtomicReference;

/**
 * A lock-free queue that is always taken as a whole: pushes are one compare-and-set on a stack (R. K. Treiber, 1986), and
 * taking swaps the stack for nothing and turns it round. A node remembers whether anything urgent lies at or below it, so
 * one look at the top tells whether somebody waits.
 */
final class AppendQueue {
    /** Lies on top of a queue that takes nothing any more. */
    private static final Append SEAL = Append.barrier();

    private final AtomicReference<Append> top = new AtomicReference<>();

    /** Returns false if the queue is sealed. */
    boolean push(Append append) {
        while (true) {
            Append below = top.get();
            if (below == SEAL) {
                return false;
            }
            append.setNext(below);
            append.setUrgent(!append.isDeferred() || (below != null && below.isUrgent()));
            if (top.compareAndSet(below, append)) {
                return true;
            }
        }
    }

    boolean isEmpty() {
        Append now = top.get();
        return now == null || now == SEAL;
    }

    boolean hasUrgent() {
        Append now = top.get();
        return now != null && now != SEAL && now.isUrgent();
    }

    /** Everything queued, in the order of the pushes; null where there is nothing. */
    Append takeAll() {
        while (true) {
            Append now = top.get();
            if (now == null || now == SEAL) {
                return null;
            }
            if (top.compareAndSet(now, null)) {
                return inOrder(now);
            }
        }
    }

    /** Seals the queue and returns what was in it, in the order of the pushes. */
    Append sealAndTake() {
        Append now = top.getAndSet(SEAL);
        return now == SEAL ? null : inOrder(now);
    }

    /** Seals the queue if nothing is in it; true if it is sealed now. */
    boolean sealIfEmpty() {
        return top.compareAndSet(null, SEAL) || top.get() == SEAL;
    }

    private static Append inOrder(Append newest) {
        Append reversed = null;
        for (Append append = newest; append != null; ) {
            Append older = append.next();
            append.setNext(reversed);
            reversed = append;
            append = older;
        }
        return reversed;
    }
}
