package io.tallystick.store.postgresql;

import io.tallystick.store.spi.StoreThread;
import io.tallystick.store.spi.UninterruptedWait;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

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

    /** Breaks the connection off when the time is over, unless the request has ended before. */
    Request begin(Connection connection) {
        Request request = new Request(connection);
        request.timer = timer.schedule(request::expire, nanos, TimeUnit.NANOSECONDS);
        return request;
    }

    /** A request that must end in time. Either it ends, or its connection is broken off. */
    static final class Request {
        private final AtomicBoolean isDecided = new AtomicBoolean();
        private final Connection connection;
        private Future<?> timer; // of the thread that has begun it

        private Request(Connection connection) {
            this.connection = connection;
        }

        /**
         * The request has ended.
         *
         * @return whether its connection goes on; false if it is being broken off
         */
        boolean end() {
            timer.cancel(false);
            return isDecided.compareAndSet(false, true);
        }

        private void expire() {
            if (isDecided.compareAndSet(false, true)) {
                breakOffBeside(connection);
            }
        }
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
        } catch (RuntimeException | Error inTheWay) { // then the connection is aborted without it
        }
        abort(connection);
    }

    private static void abort(Connection connection) {
        try {
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
