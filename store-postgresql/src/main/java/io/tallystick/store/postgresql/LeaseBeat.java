package io.tallystick.store.postgresql;

import io.tallystick.storage.NanoClock;
import io.tallystick.store.log.spi.RecordLog;
import io.tallystick.store.spi.StoreThread;
import io.tallystick.store.spi.UninterruptedWait;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Asks the server now and then whether the log is still this owner's, and whether it still has what was acknowledged.
 * The server lists the time of the question, which is all that {@link Ownership} looks for; a beat writes nothing.
 *
 * <p>A beat waits for no lock of the table of batches. Where another session holds one, a later beat looks.
 *
 * <p>The connection is the thread's own from {@link #start} on. A server that gives no answer is given up after a part
 * of the lease, and looked for at once ({@link TimeOuts}). It delays the end of the thread by the time-out of a lane.
 */
final class LeaseBeat {
    private static final System.Logger LOG = System.getLogger(LeaseBeat.class.getName());
    private static final String NAME = "tallystick-postgresql-beat";

    private static final int TRIES_IN_BEAT = 4;

    /** Of the lanes: what is written by this class waits for a standby, as a batch does. */
    private final Connections connections;
    /** Of the beats. */
    private final Connections beats;

    private final PostgresOptions options;
    private final NanoClock clock;
    private final Ownership.Taken taken;
    private final Acknowledged acknowledged;
    private final LossMarker marker;
    private final StandbyWait standby;
    private final ServerContact contact;
    private final SettingsWatch settings;
    private final Duration pause;

    // By the thread that opens the log, then by the thread of this class.
    private Connection connection;
    private long server;
    // What a connection has to show before it is known what this server has acknowledged.
    private Long[] expected = new Long[0];
    private SQLException leaving;
    private boolean hasLeft;
    private boolean isReported;

    // Set under the lock of this.
    private volatile boolean dismissed;
    private volatile boolean ended;
    // Why the log is not this owner's any more.
    private volatile IOException lost;
    // Null as long as the store is opening.
    private volatile RecordLog.Rewriter store;
    // When the server was asked, and said that the log is ours.
    private volatile long lastOwned;
    private Thread thread;

    /**
     * @param acknowledged what the server must have
     * @param marker hears of a loss before the store does
     * @param standby tells of commits that wait for one
     * @param contact tells when the server is lost and found
     */
    LeaseBeat(
            Connections connections,
            PostgresOptions options,
            NanoClock clock,
            Ownership.Taken taken,
            Acknowledged acknowledged,
            LossMarker marker,
            StandbyWait standby,
            ServerContact contact) {
        this.connections = connections;
        this.beats = new Connections(options, TimeOuts.ofBeat(options));
        this.options = options;
        this.clock = clock;
        this.taken = taken;
        this.acknowledged = acknowledged;
        this.marker = marker;
        this.standby = standby;
        this.contact = contact;
        this.settings = new SettingsWatch(options);
        this.connection = taken.connection();
        this.server = taken.server();
        this.pause = Ownership.beatOf(options.lease());
        this.lastOwned = clock.nanoTime();
    }

    /** Begins to beat. Reading a large log takes longer than a lease, so that comes after this. */
    void start() throws SQLException {
        setTimeOut(beats);
        Thread beating = StoreThread.of(this::run, NAME);
        beating.start();
        thread = beating; // now: a thread that cannot start gives no connection up
    }

    /** This store fails stop when the log is not this owner's any more, or is not already. */
    void watch(RecordLog.Rewriter rewriter) {
        store = rewriter;
        failIfLost();
    }

    /** Whether the server has said within the last lease that the log is this owner's. */
    boolean isOwned() {
        return lost == null
                && !ended
                && clock.nanoTime() - lastOwned < options.lease().toNanos();
    }

    /** How long ago the server was asked, and said that the log is this owner's. */
    Duration sinceOwned() {
        return Duration.ofNanos(Math.max(0, clock.nanoTime() - lastOwned));
    }

    /**
     * This process is about to take its log anew.
     *
     * @throws IOException this beat has found the log to be lost: a loss stays one
     */
    void checkNotLost() throws IOException {
        IOException found = lost;
        if (found != null) {
            throw found;
        }
    }

    /** The process has taken its log anew, and another beat beats. Ends this one soon, and it judges no more. */
    void dismiss() {
        synchronized (this) {
            dismissed = true;
        }
        ended = true;
        if (thread == null) {
            disconnect();
        } else {
            LockSupport.unpark(thread);
        }
    }

    /**
     * Tells the next owner that it need not wait, and ends the thread. The store is not told any more that another
     * owner has the log.
     *
     * @return why the log was not this owner's any more; empty if it was its own to the end
     * @throws SQLException nobody could be told: the next owner waits for a lease
     */
    Optional<IOException> end() throws SQLException {
        ended = true;
        if (thread == null) {
            OwnThread.call(NAME, this::leave);
            return Optional.ofNullable(lost);
        }
        LockSupport.unpark(thread);
        UninterruptedWait.join(thread);
        if (leaving != null) {
            throw leaving;
        }
        if (!hasLeft) {
            throw new SQLException("the next owner was not told");
        }
        return Optional.ofNullable(lost);
    }

    private void run() {
        boolean isFine = true;
        while (!ended && lost == null) {
            long nanos = pause.toNanos();
            try {
                beat();
                isFine = true;
                contact.found(ServerContact.BEAT, server);
            } catch (SQLException outage) { // writing finds out what it means for the log
                // Another primary may be there already, and a process that looks for signs of life there.
                nanos = isFine ? 0 : Math.max(nanos / TRIES_IN_BEAT, Lane.pauseAfter(outage));
                isFine = false;
                disconnect();
                if (!ended) {
                    contact.lost(ServerContact.BEAT, outage);
                }
            } catch (RuntimeException | Error unexpected) {
                disconnect();
                report(unexpected);
            }
            if (!ended && nanos > 0) {
                LockSupport.parkNanos(this, nanos);
                Thread.interrupted(); // with the flag set it would not pause any more
            }
        }
        if (dismissed) {
            disconnect();
            return;
        }
        try {
            leave();
            hasLeft = true;
        } catch (SQLException untold) {
            leaving = untold;
        } catch (RuntimeException | Error untold) {
            report(untold);
        }
    }

    /** An owner that lives goes on beating, whatever became of its connection. */
    private void disconnect() {
        try {
            Connections.closeQuietly(connection);
        } catch (RuntimeException | Error broken) { // the server ends its side by itself
        }
        connection = null;
    }

    /** Once: the thread goes on, and may meet it at each beat. */
    private void report(Throwable unexpected) {
        if (!isReported) {
            isReported = true;
            try {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "TALLY0332 the sign of life of the log in " + options.place()
                                + " met an error, and goes on. Look for its cause: a node that cannot beat is taken for"
                                + " dead after a lease",
                        unexpected);
            } catch (RuntimeException | Error untold) { // the beat is worth more than its trouble
            }
        }
    }

    private Void leave() throws SQLException {
        try {
            if (lost == null) {
                boolean mayBeBroken = connection != null;
                try {
                    if (!tell()) {
                        IOException noLonger =
                                LogTaken.error(options, taken.owner(), LogOwner.find(connection, taken.logId()));
                        lost = noLonger;
                        marker.notice(noLonger);
                    }
                } catch (SQLException broken) { // perhaps long ago: the last beat was before it
                    if (!mayBeBroken) {
                        throw broken;
                    }
                    Connections.closeQuietly(connection);
                    connection = null;
                    tell(); // if the log is another's now, the first telling may have let that one in
                }
            }
            return null;
        } finally {
            Connections.closeQuietly(connection);
            connection = null;
        }
    }

    /** Returns whether the log was still this owner's. */
    private boolean tell() throws SQLException {
        if (connection == null) {
            connection = connections.open(taken.applicationName());
        } else {
            setTimeOut(connections);
        }
        return Ownership.leave(connection, taken);
    }

    private void setTimeOut(Connections of) throws SQLException {
        connection.setNetworkTimeout(
                Runnable::run, Math.toIntExact(of.timeOuts().read().toMillis()));
    }

    private void beat() throws SQLException {
        try {
            if (connection == null) {
                expected = acknowledged.last(); // before connecting: the lanes go on, perhaps elsewhere
                connection = beats.open(taken.applicationName());
                contact.connected();
                server = Connections.serverOf(connection);
            }
            long asked = clock.nanoTime();
            look();
            lastOwned = asked;
            standby.look(connection);
            settings.look(connection);
        } catch (IOException noLonger) {
            judge(noLonger);
        }
    }

    /** What this beat has asked may be answered after its process has taken the log anew. */
    private void judge(IOException noLonger) {
        synchronized (this) {
            if (dismissed) {
                return;
            }
            lost = noLonger;
        }
        failIfLost();
    }

    /** @throws IOException the log is not this owner's any more, or it lacks what was acknowledged */
    private void look() throws SQLException, IOException {
        try {
            Optional<LogOwner> owner = LogOwner.find(connection, taken.logId());
            boolean isTakenAnew =
                    owner.filter(there -> there.isLaterThan(taken.owner())).isPresent();
            if (!isTakenAnew && !owner.equals(Optional.of(taken.owner()))) {
                throw LogTaken.error(options, taken.owner(), owner);
            }
            Long[] here = acknowledged.lastOn(server); // before looking: the lanes go on
            Long[] known = Stream.of(expected, here).flatMap(Stream::of).toArray(Long[]::new);
            if (acknowledged.checkAtOnce(connection, taken.logId(), known, options) && here.length > 0) {
                expected = new Long[0];
            }
        } catch (SQLException trouble) {
            throw LogTaken.ofMissingTables(connection, options, trouble);
        }
    }

    private void failIfLost() {
        IOException why = lost;
        if (why == null) {
            return;
        }
        try {
            marker.notice(why); // here: the thread that opens the store may be the one that fails it
        } finally {
            RecordLog.Rewriter failing = store;
            if (failing != null && !ended) {
                failing.failStop(why);
            }
        }
    }
}
