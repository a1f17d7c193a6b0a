package io.tallystick.store.log.commit;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A lock-free queue that is always taken as a whole. A push is one compare-and-set on a stack (R. K. Treiber, 1986).
 * Taking empties the stack and turns it round. A node remembers how many at or below it are to be on disk soon, how
 * many bytes are deferred below it, and whether a thread waits for any. So one look at the top tells how much waits.
 */
final class AppendQueue {
    /** The top of a queue that takes nothing any more. */
    private static final PendingAppend SEAL = PendingAppend.barrier();

    private final AtomicReference<PendingAppend> top = new AtomicReference<>();

    /** Returns false if the queue is sealed. */
    boolean push(PendingAppend append) {
        while (true) {
            PendingAppend below = top.get();
            if (below == SEAL) {
                return false;
            }
            append.setNext(below);
            append.setCommitters((below == null ? 0 : below.committers()) + (append.isDeferred() ? 0 : 1));
            append.setDeferredBefore(below == null ? 0 : below.deferredUpToThis());
            append.setAwaited(append.isOfWaitingThread() || (below != null && below.isAwaited()));
            if (top.compareAndSet(below, append)) {
                return true;
            }
        }
    }

    /** How many queued appends are to be on disk soon. */
    int committers() {
        PendingAppend now = top.get();
        return now == null ? 0 : now.committers(); // none in a seal
    }

    boolean isEmpty() {
        PendingAppend now = top.get();
        return now == null || now == SEAL;
    }

    boolean hasUrgent() {
        return committers() > 0;
    }

    /** Whether a thread waits for something in the queue. */
    boolean hasAwaited() {
        PendingAppend now = top.get();
        return now != null && now != SEAL && now.isAwaited();
    }

    /** Everything queued, in the order of the pushes; null where there is nothing. */
    @Nullable PendingAppend takeAll() {
        while (true) {
            PendingAppend now = top.get();
            if (now == null || now == SEAL) {
                return null;
            }
            if (top.compareAndSet(now, null)) {
                return inOrder(now);
            }
        }
    }

    /** Seals the queue and returns its appends, in the order of the pushes; null where there is nothing. */
    @Nullable PendingAppend sealAndTake() {
        PendingAppend now = top.getAndSet(SEAL);
        return now == SEAL ? null : inOrder(now);
    }

    /** Seals the queue if nothing is in it; true if it is sealed now. */
    boolean sealIfEmpty() {
        return top.compareAndSet(null, SEAL) || top.get() == SEAL;
    }

    private static @Nullable PendingAppend inOrder(PendingAppend newest) {
        PendingAppend reversed = null;
        for (PendingAppend append = newest; append != null; ) {
            PendingAppend older = append.next();
            append.setNext(reversed);
            reversed = append;
            append = older;
        }
        return reversed;
    }
}
