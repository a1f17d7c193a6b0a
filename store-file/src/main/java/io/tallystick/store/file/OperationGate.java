package io.tallystick.store.file;

import io.tallystick.store.StoreClosedException;
import io.tallystick.store.spi.StackRoom;
import io.tallystick.store.spi.UninterruptedWait;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Counts the operations in progress, so that closing can wait for them and refuse those that come later. */
final class OperationGate {
    private static final long CLOSED = 1L << 62;

    private final Path directory;

    // The number of operations in progress, and CLOSED.
    private final AtomicLong state = new AtomicLong();

    private final UninterruptedWait.Condition allHaveLeft = () -> state.get() == CLOSED;

    private volatile @Nullable Thread closer;

    OperationGate(Path directory) {
        this.directory = directory;
    }

    /**
     * Lets an operation begin; {@link #leave} must follow.
     *
     * @throws StoreClosedException the store was closed
     */
    void enter() {
        if (state.incrementAndGet() >= CLOSED) {
            leave();
            throw closed();
        }
    }

    /**
     * Lets an operation begin that changes something; {@link #leave} must follow.
     *
     * @throws StoreClosedException the store was closed
     * @throws StackOverflowError the caller has too little room on its stack for a change; none has begun
     */
    void enterToChange() {
        StackRoom.check();
        enter();
    }

    /** Ends an operation. */
    void leave() {
        if (state.decrementAndGet() == CLOSED) {
            LockSupport.unpark(closer);
        }
    }

    /**
     * Checks that the store is open.
     *
     * @throws StoreClosedException the store was closed
     */
    void checkOpen() {
        if (state.get() >= CLOSED) {
            throw closed();
        }
    }

    /**
     * Refuses every operation from now on, and waits until the last one is over; false, at once, if it was closed
     * before.
     */
    boolean close() {
        long now;
        do {
            now = state.get();
            if (now >= CLOSED) {
                return false;
            }
        } while (!state.compareAndSet(now, now + CLOSED));
        closer = Thread.currentThread();
        UninterruptedWait.until(allHaveLeft);
        return true;
    }

    private StoreClosedException closed() {
        return new StoreClosedException("directory=" + directory + ": the store was closed; open it again to use it");
    }
}
