package io.tallystick.store.postgresql;

import io.tallystick.storage.NanoClock;
import io.tallystick.store.LossMarking;
import io.tallystick.store.log.spi.RecordLog.LogLostException;
import io.tallystick.store.log.spi.RecordLog.NotWrittenException;
import io.tallystick.store.spi.FailureLog;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Marks the loss that an owner notices, once, on a thread of its own with a connection of its own. A thread that writes
 * or beats never waits for it.
 */
final class LossMarker {
    private static final System.Logger LOG = System.getLogger(LossMarker.class.getName());
    static final String NAME = "tallystick-postgresql-loss";
    private static final long PAUSE_NANOS = Duration.ofMillis(200).toNanos();
    private static final int CLOSING_MILLIS = 5_000;

    private final Connections connections;
    private final PostgresOptions options;
    private final NanoClock clock;
    private final LogOwner owner;
    private final Acknowledged acknowledged;
    private final ThreadFactory threads;
    private final AtomicReference<LossMarking> marking = new AtomicReference<>(LossMarking.NO_LOSS);
    private volatile Thread thread;

    LossMarker(
            Connections connections,
            PostgresOptions options,
            NanoClock clock,
            LogOwner owner,
            Acknowledged acknowledged,
            ThreadFactory threads) {
        this.connections = connections;
        this.options = options;
        this.clock = clock;
        this.owner = owner;
        this.acknowledged = acknowledged;
        this.threads = threads;
    }

    /** What became of the mark. */
    LossMarking marking() {
        return marking.get();
    }

    /**
     * Hears of an error before anybody is told of it. A loss of acknowledged batches is marked. An owner that is fenced
     * loses nothing, and one that had nothing has nothing to lose: a migration may have deleted its empty log. A
     * staged log is filled anew from its source. Any other error says nothing of the log.
     */
    void notice(IOException error) {
        if (error instanceof LostBatchesException && !options.isStaged() && acknowledged.hasAny()) {
            begin(error.getMessage());
        } else if (error instanceof LogLostException
                || error instanceof NotWrittenException proof && proof.isFenced()) {
            marking.compareAndSet(LossMarking.NO_LOSS, LossMarking.NOT_NEEDED);
        }
    }

    private void begin(String missing) {
        if (!marking.compareAndSet(LossMarking.NO_LOSS, LossMarking.PENDING)) {
            return;
        }
        try {
            Thread started = threads.newThread(() -> run(missing));
            started.start();
            thread = started;
        } catch (RuntimeException | Error noThread) { // such as missing memory; the store has to hear of the loss
            marking.set(LossMarking.IMPOSSIBLE);
            FailureLog.tell(LOG, System.Logger.Level.WARNING, notMarked(noThread), noThread);
        }
    }

    /** Gives the thread some seconds to end, so that a process that closes its store does not cut it off. */
    void close() {
        Thread running = thread;
        if (running != null) {
            try {
                running.join(CLOSING_MILLIS);
            } catch (InterruptedException hasNoTime) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void run(String missing) {
        LossMarking outcome = LossMarking.IMPOSSIBLE;
        try {
            SQLException failed = mark(missing);
            if (failed == null) {
                outcome = LossMarking.MARKED;
                LOG.log(
                        System.Logger.Level.WARNING,
                        "TALLY0328 the loss is marked in the table " + Schema.LOSSES + " of " + options.place()
                                + ": no process opens the log until a person runs 'tallystick accept-loss'");
            } else {
                LOG.log(System.Logger.Level.WARNING, notMarked(failed), failed);
            }
        } finally {
            marking.set(outcome);
        }
    }

    private String notMarked(Throwable why) {
        return "TALLY0329 the loss cannot be marked in " + options.place() + ": " + why.getMessage()
                + "; the next process opens what is there without a question. Keep it from starting"
                + " until you know what is missing";
    }

    /** Returns null when the loss is marked, and otherwise why it is not. */
    private SQLException mark(String missing) {
        long deadline = clock.nanoTime() + options.patience().toNanos();
        while (true) {
            Connection connection = null;
            try {
                connection = connections.open(NAME + " " + options.nodeId());
                LossRows.add(connection, options, missing, owner);
                return null;
            } catch (SQLException trouble) {
                if (Schema.isGone(trouble) || clock.nanoTime() - deadline >= 0) {
                    return trouble;
                }
                LockSupport.parkNanos(this, PAUSE_NANOS);
            } finally {
                Connections.closeQuietly(connection);
            }
        }
    }
}
