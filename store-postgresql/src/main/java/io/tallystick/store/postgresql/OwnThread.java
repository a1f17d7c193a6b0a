package io.tallystick.store.postgresql;

import io.tallystick.store.spi.StoreThread;
import io.tallystick.store.spi.UninterruptedWait;
import java.sql.SQLException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Runs what talks to the server on a platform thread that nobody else knows. An interrupt of the caller would break the
 * connection off, and the socket of a virtual thread closes when the thread is interrupted.
 */
final class OwnThread {
    private OwnThread() {}

    /** A task that runs there. */
    interface Work<T> {
        T run() throws SQLException;
    }

    /** Runs the work on a thread of this name, and returns its result. Keeps the interrupt flag of the caller. */
    static <T> T call(String name, Work<T> work) throws SQLException {
        FutureTask<T> task = new FutureTask<>(work::run);
        Thread thread = StoreThread.of(task, name);
        thread.start();
        UninterruptedWait.join(thread);
        boolean interrupted = Thread.interrupted();
        try {
            return task.get();
        } catch (ExecutionException failed) {
            throw unwrapped(failed.getCause());
        } catch (InterruptedException impossible) {
            throw new IllegalStateException(impossible); // the task is over, so nothing waits for it
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static SQLException unwrapped(Throwable cause) {
        if (cause instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof SQLException trouble ? trouble : new SQLException(cause);
    }
}
