package io.tallystick.store.file;

import io.tallystick.store.spi.UninterruptedWait;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The place of one operation in the queue of its key. The index of a type maps an id to its latest ticket, and each
 * ticket waits for the one before it. So the operations of a key happen one at a time, in the order in which they came.
 * Operations of different keys do not wait for each other.
 *
 * <p>A ticket has three phases, and the phase decides what readers see:
 *
 * <ol>
 *   <li><b>waiting</b>: readers see the state that the ticket before shows;
 *   <li><b>working</b>, from {@link #work}: the key's file may change at any moment. So readers get the image from
 *       before, from memory, until a crash can no longer bring it back;
 *   <li><b>settled</b>, from {@link #settle}: readers see the operation's result, in the key's file.
 * </ol>
 */
final class KeyTicket implements UninterruptedWait.Condition {
    private static final VarHandle WAITING_OPERATION;

    static {
        try {
            WAITING_OPERATION =
                    MethodHandles.lookup().findVarHandle(KeyTicket.class, "waitingOperation", Successor.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    // The ticket before, until this one works; null where there is none.
    private volatile @Nullable KeyTicket before;

    // The state that readers see; null while waiting. Written before isSettled.
    private volatile @Nullable StoredState shown;

    // Set once, by the operation that has this ticket.
    private volatile boolean isSettled;

    // The operation with the next ticket waits as a thread or without one; both are null where none waits.
    private volatile @Nullable Thread waitingThread;
    private volatile @Nullable Successor waitingOperation;

    /** An operation that waits for the ticket before without a thread. */
    interface Successor {
        /**
         * Begins: the ticket before is settled.
         *
         * @return the next operation if this one is over already, else null; so no stack grows
         */
        @Nullable Successor begin();
    }

    private KeyTicket(@Nullable KeyTicket before) {
        this.before = before;
    }

    /** A ticket behind another one; the first one if that is null. */
    static KeyTicket after(@Nullable KeyTicket before) {
        return new KeyTicket(before);
    }

    /** The ticket of an operation that is over, with its result. */
    static KeyTicket settled(StoredState left) {
        KeyTicket ticket = new KeyTicket(null);
        ticket.shown = left;
        ticket.isSettled = true;
        return ticket;
    }

    /** Waits for the ticket before, through interrupts, and returns its operation's result. */
    StoredState await() {
        KeyTicket previous = before;
        if (previous == null) {
            return StoredState.NOTHING;
        }
        if (!previous.isMet()) {
            previous.waitingThread = Thread.currentThread();
            UninterruptedWait.until(previous);
        }
        return Objects.requireNonNull(previous.shown, "a settled ticket shows a state");
    }

    /**
     * Begins the operation when {@link #await} has nothing to wait for: now, or on the thread that settles the ticket
     * before.
     */
    void whenReady(Successor operation) {
        KeyTicket previous = before;
        if (previous == null) {
            beginAll(operation);
            return;
        }
        previous.waitingOperation = operation;
        if (previous.isMet() && WAITING_OPERATION.compareAndSet(previous, operation, null)) {
            beginAll(operation);
        }
    }

    private static void beginAll(@Nullable Successor first) {
        Successor next = first;
        while (next != null) {
            next = next.begin();
        }
    }

    /** Begins to work: the file may change from now on, and readers get the state before it from memory. */
    void work(StoredState inMemory) {
        shown = inMemory;
        before = null;
    }

    /** Ends the operation with this result. */
    void settle(StoredState left) {
        beginAll(end(left));
    }

    /** As {@link #settle}, but returns the operation that must begin now, or null, instead of beginning it. */
    @Nullable Successor end(StoredState left) {
        shown = left;
        isSettled = true;
        before = null;
        Thread thread = waitingThread;
        if (thread != null) {
            LockSupport.unpark(thread);
        }
        return (Successor) WAITING_OPERATION.getAndSet(this, null);
    }

    /** The state that readers see now; its values are in memory or in the key's file. */
    StoredState visible() {
        KeyTicket ticket = this;
        while (true) {
            StoredState seen = ticket.shown;
            if (seen != null) {
                return seen;
            }
            KeyTicket previous = ticket.before;
            if (previous != null) {
                ticket = previous;
            } else if (ticket.shown == null) {
                return StoredState.NOTHING;
            }
        }
    }

    /** Whether the operation is over. */
    @Override
    public boolean isMet() {
        return isSettled;
    }
}
