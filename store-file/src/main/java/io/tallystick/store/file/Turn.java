package io.tallystick.store.file;

import io.tallystick.store.spi.StateImage;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * One operation's turn on one key. The index of a type maps an id to its latest turn; each turn waits for the one before
 * it, so the operations of a key happen one at a time, in the order in which they came, and those of different keys do not
 * know of each other.
 *
 * <p>A turn has three phases, and what readers see is decided by the phase:
 *
 * <ol>
 *   <li><b>waiting</b>: readers see what they see of the turn before;
 *   <li><b>working</b>, from {@link #work}: the key's file may change at any moment, so readers get the image from before,
 *       from memory, until a crash can no longer bring it back;
 *   <li><b>settled</b>, from {@link #settle}: readers see what is held now, in the key's file.
 * </ol>
 */
final class Turn {
    private static final VarHandle SUCCESSOR;

    static {
        try {
            SUCCESSOR = MethodHandles.lookup().findVarHandle(Turn.class, "successor", Object.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    // The turn before, until this one works; null where there is none.
    private volatile Turn before;

    // null while waiting, StateImage while working, Held when settled.
    private volatile Object view;

    // Who has the next turn and waits for this one: a Thread, a Runnable, or null.
    private volatile Object successor;

    private Turn(Turn before, Held view) {
        this.before = before;
        this.view = view;
    }

    /** A turn that comes after another one, or first if that is null. */
    static Turn after(Turn before) {
        return new Turn(before, null);
    }

    /** The turn of an operation of long ago. */
    static Turn settled(Held held) {
        return new Turn(null, held);
    }

    /** Waits for the turn before, however often the thread is interrupted, and returns what that one left. */
    Held await() {
        Turn previous = before;
        if (previous == null) {
            return Held.NOTHING;
        }
        if (!previous.isSettled()) {
            previous.successor = Thread.currentThread();
            boolean interrupted = false;
            while (!previous.isSettled()) {
                LockSupport.park(previous);
                interrupted |= Thread.interrupted();
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return (Held) previous.view;
    }

    /** Runs the task when {@link #await} has nothing to wait for: now, or on the thread that settles the turn before. */
    void whenReady(Runnable task) {
        Turn previous = before;
        if (previous == null) {
            task.run();
            return;
        }
        previous.successor = task;
        if (previous.isSettled() && SUCCESSOR.compareAndSet(previous, task, null)) {
            task.run();
        }
    }

    /** The file may change from now on; readers get this image. */
    void work(StateImage imageBefore) {
        view = imageBefore;
        before = null;
    }

    /** The operation is over, and this is what it left. */
    void settle(Held held) {
        view = held;
        before = null;
        Object next = SUCCESSOR.getAndSet(this, null);
        if (next instanceof Thread thread) {
            LockSupport.unpark(thread);
        } else if (next instanceof Runnable task) {
            task.run();
        }
    }

    /** What readers see now: a {@link StateImage}, or a {@link Held} whose image is in the file. */
    Object visible() {
        Turn turn = this;
        while (true) {
            Object seen = turn.view;
            if (seen != null) {
                return seen;
            }
            Turn previous = turn.before;
            if (previous != null) {
                turn = previous;
            } else if (turn.view == null) {
                return Held.NOTHING;
            }
        }
    }

    private boolean isSettled() {
        return view instanceof Held;
    }
}
