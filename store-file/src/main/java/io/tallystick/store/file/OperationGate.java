package io.tallystick.store.file;

import io.tallystick.store.StoreClosedException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Counts the operations in progress, so that closing can wait for them and refuse those that come later. */
final class OperationGate {
    private static final long CLOSED = 1L << 62;

    private final Path directory;

    // The number of operations in progress, and CLOSED.
    private final AtomicLong state = new AtomicLong();

    private volatile Thread closer;

    OperationGate(Path directory) {
        this.directory = directory;
    }

    /**
     * An operation begins; {@link #leave} must follow.
     *
     * @throws StoreClosedException the store was closed
     */
    void enter() {
        if (state.incrementAndGet() >= CLOSED) {
            leave();
            throw closed();
        }
    }

    /** The operation is over. */
    void leave() {
        if (state.decrementAndGet() == CLOSED) {
            LockSupport.unpark(closer);
        }
    }

    /**
     * Returns if the store is open.
     *
     * @throws StoreClosedException the store was closed
     */
    void checkOpen() {
        if (state.get() >= CLOSED) {
            throw closed();
        }
    }

    /** Lets nobody in any more and waits until the last one has left; false, at once, if that was done before. */
    boolean close() {
        long now;
        do {
            now = state.get();
            if (now >= CLOSED) {
                return false;
            }
        } while (!state.compareAndSet(now, now + CLOSED));
        closer = Thread.currentThread();
        boolean interrupted = false;
        while (state.get() != CLOSED) {
            LockSupport.park(this);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return true;
    }

    private StoreClosedException closed() {
        return new StoreClosedException("directory=" + directory + ": the store was closed; open it again to use it");
    }
}
