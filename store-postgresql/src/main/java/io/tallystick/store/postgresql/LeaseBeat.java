package io.tallystick.store.postgresql;

import io.tallystick.storage.NanoClock;
import io.tallystick.store.log.spi.RecordLog;
import io.tallystick.store.log.spi.RecordLog.NotWrittenException;
import io.tallystick.store.spi.UninterruptedWait;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Asks the server now and then whether the log is still this owner's. The server lists the time of the question, which
 * is all that {@link Ownership} looks for; a beat writes nothing.
 *
 * <p>The connection is the thread's own from {@link #start} on. A server that gives no answer delays the end of the
 * thread by the time limit of the connection, see {@link Connections}.
 */
final class LeaseBeat {
    private static final String NAME = "tallystick-postgresql-beat";

    private final Connections connections;
    private final PostgresOptions options;
    private final NanoClock clock;
    private final Ownership.Taken taken;
    private final Duration pause;

    // By the thread that opens the log, then by the thread of this class.
    private Connection connection;
    private SQLException leaving;

    private volatile boolean silent;
    private volatile boolean ended;
    private volatile boolean fenced;
    // When the server was asked, and said that the log is ours.
    private volatile long lastOwned;
    private Thread thread;

    LeaseBeat(Connections connections, PostgresOptions options, NanoClock clock, Ownership.Taken taken) {
        this.connections = connections;
        this.options = options;
        this.clock = clock;
        this.taken = taken;
        this.connection = taken.connection();
        this.pause = Ownership.beatOf(options.lease());
        this.lastOwned = clock.nanoTime();
    }

    void start(RecordLog.Rewriter rewriter) {
        Thread beating = new Thread(() -> run(rewriter), NAME);
        beating.setDaemon(true);
        beating.start();
        thread = beating; // now: a thread that cannot start gives no connection up
    }

    /** Whether the server has said within the last lease that the log is this owner's. */
    boolean isOwned() {
        return !fenced
                && !ended
                && clock.nanoTime() - lastOwned < options.lease().toNanos();
    }

    /** The store is closing: it is not told any more that another owner has the log. */
    void fallSilent() {
        silent = true;
    }

    /**
     * Tells the next owner that it need not wait, and ends the thread.
     *
     * @throws SQLException nobody could be told: the next owner waits for a lease
     */
    void end() throws SQLException {
        ended = true;
        if (thread == null) {
            OwnThread.call(NAME, this::leave);
            return;
        }
        LockSupport.unpark(thread);
        UninterruptedWait.join(thread);
        if (leaving != null) {
            throw leaving;
        }
    }

    private void run(RecordLog.Rewriter rewriter) {
        while (!ended && !fenced) {
            try {
                beat(rewriter);
            } catch (SQLException outage) { // writing finds out what it means for the log
                Connections.closeQuietly(connection);
                connection = null;
            }
            if (!ended) {
                LockSupport.parkNanos(this, pause.toNanos());
            }
        }
        try {
            leave();
        } catch (SQLException untold) {
            leaving = untold;
        }
    }

    private Void leave() throws SQLException {
        try {
            if (!fenced) {
                boolean mayBeBroken = connection != null;
                try {
                    tell();
                } catch (SQLException broken) { // perhaps long ago: the last beat was before it
                    if (!mayBeBroken) {
                        throw broken;
                    }
                    Connections.closeQuietly(connection);
                    connection = null;
                    tell();
                }
            }
            return null;
        } finally {
            Connections.closeQuietly(connection);
            connection = null;
        }
    }

    private void tell() throws SQLException {
        if (connection == null) {
            connection = connections.open(taken.applicationName());
        }
        Ownership.leave(connection, taken.logId(), taken.epoch());
    }

    private void beat(RecordLog.Rewriter rewriter) throws SQLException {
        if (connection == null) {
            connection = connections.open(taken.applicationName());
        }
        long asked = clock.nanoTime();
        try (PreparedStatement query =
                connection.prepareStatement("SELECT epoch FROM tallystick_log WHERE log_id = ?")) {
            query.setLong(1, taken.logId());
            try (ResultSet row = query.executeQuery()) {
                if (row.next() && row.getLong(1) == taken.epoch()) {
                    lastOwned = asked;
                } else {
                    fenced = true;
                }
            }
        }
        if (fenced && !silent) {
            rewriter.failStop(new NotWrittenException(
                    "the log in " + options.place() + " was taken over by another process; nothing is written any more."
                            + " Close the store and end this process: the new owner recovers its transactions",
                    true,
                    null));
        }
    }
}
