package io.tallystick.store.postgresql;

import io.tallystick.store.spi.StoreThread;
import io.tallystick.store.spi.UninterruptedWait;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Breaks connections off whose statements take too long. The limit of a socket is for reading only. A server that
 * stands still takes no bytes, and a thread that sends a large batch to it would wait for ever.
 */
final class TimeLimit implements AutoCloseable {
    private static final String NAME = "tallystick-postgresql-limit";

    private final long nanos;
    private final ScheduledThreadPoolExecutor timer;

    TimeLimit(Duration limit) {
        nanos = limit.toNanos();
        timer = new ScheduledThreadPoolExecutor(1, work -> StoreThread.of(work, NAME));
        timer.setRemoveOnCancelPolicy(true);
    }

    /** Breaks the connection off when the time is over, unless what is returned is cancelled before. */
    Future<?> begin(Connection connection) {
        return timer.schedule(() -> breakOffBeside(connection), nanos, TimeUnit.NANOSECONDS);
    }

    /** On a thread of its own: the timer has the connections of all lanes, and a close may take its time. */
    private static void breakOffBeside(Connection connection) {
        try {
            StoreThread.of(() -> breakOff(connection), NAME).start();
        } catch (OutOfMemoryError noThread) {
            breakOff(connection);
        }
    }

    private static void breakOff(Connection connection) {
        try {
            TlsClose.waitForNobody(connection);
            connection.abort(Runnable::run);
        } catch (SQLException broken) { // the thread that sends is free
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
        UninterruptedWait.through(() -> timer.awaitTermination(1, TimeUnit.MINUTES));
    }
}
