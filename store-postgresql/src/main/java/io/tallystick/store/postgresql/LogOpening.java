package io.tallystick.store.postgresql;

import io.tallystick.storage.NanoClock;
import io.tallystick.store.LossMarking;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreDescription;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFailedException;
import io.tallystick.store.StoreFencedException;
import io.tallystick.store.StoreStatistics;
import io.tallystick.store.log.LogHome;
import io.tallystick.store.log.LogSettings;
import io.tallystick.store.log.LogStore;
import io.tallystick.store.log.Reconciliation;
import io.tallystick.store.log.ReopeningStore.Reopened;
import io.tallystick.store.log.ReopeningStore.Reopener;
import io.tallystick.store.log.spi.RecordLog;
import io.tallystick.store.log.spi.Version;
import io.tallystick.store.log.spi.WaitStrategy;
import io.tallystick.store.spi.StatisticsRecorder;
import io.tallystick.store.spi.StoreEvents;
import io.tallystick.store.spi.StoreThread;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Opens a log that was taken, and takes and opens it anew after an outage. What a store has for its whole life is here;
 * what changes with each taking of the log is a {@link Tenure}.
 *
 * <p>To take the log anew is what a new process would do, with one difference: the log has to be this owner's still.
 * The new owner has the same text and a later epoch. So the fence does the same for the batches of the outage as for
 * those of a process that was killed: those under way end first, and no later one is let in.
 *
 * <p>By the thread that opens, then by the thread that reopens.
 */
final class LogOpening implements Reopener {
    /** New owners leave so many sequences out: a batch of the owner before is never taken for one of theirs. */
    private static final long SEQUENCE_GAP = 1024;

    private final PostgresOptions options;
    private final NanoClock clock;
    private final Connections connections;
    private final Ownership ownership;
    private final long rangeBytes;
    private final ServerContact contact;
    private final LogFigures figures = new LogFigures();
    private final StatisticsRecorder statistics;
    private final Home home = new Home();
    // What the store that serves, or has served last, has been told is written.
    private Acknowledged acknowledged;
    private volatile String obstacle = "";

    /** A log as this process has taken it, and the threads and figures that go with that. */
    private record Tenure(
            Ownership.Taken taken, LeaseBeat beat, Acknowledged acknowledged, LossMarker marker, StandbyWait standby) {}

    LogOpening(
            PostgresOptions options, NanoClock clock, Connections connections, Ownership ownership, long rangeBytes) {
        this.options = options;
        this.clock = clock;
        this.connections = connections;
        this.ownership = ownership;
        this.rangeBytes = rangeBytes;
        this.contact = new ServerContact(options, clock);
        this.statistics = new StatisticsRecorder(StoreEvents.flightRecorder(options.place()));
    }

    /**
     * Opens the log for the first time.
     *
     * @throws StoreException it must not be opened
     */
    LogStore open(Ownership.Taken taken) throws SQLException {
        Tenure tenure = tenureOf(taken);
        home.tenure = tenure;
        try {
            tenure.beat.start();
            return read(tenure, Optional.empty()).store();
        } catch (RecordLog.NotWrittenException takenMeanwhile) {
            giveUp(tenure, takenMeanwhile);
            throw new StoreFencedException(takenMeanwhile.getMessage(), takenMeanwhile);
        } catch (IOException refused) {
            giveUp(tenure, refused);
            throw refused.getCause() instanceof SQLException trouble ? trouble : new SQLException(refused);
        } catch (SQLException refused) {
            giveUp(tenure, refused);
            throw refused;
        } catch (RuntimeException | Error refused) {
            giveUp(tenure, refused);
            throw refused;
        }
    }

    private Tenure tenureOf(Ownership.Taken taken) {
        Acknowledged written = new Acknowledged(options.lanes());
        // Before the first beat, which may notice a loss. A lock of the table of batches must not delay it.
        written.setEarlier(taken.owner().epoch() > 1);
        LossMarker marker = new LossMarker(
                connections, options, clock, taken.owner(), written, task -> StoreThread.of(task, LossMarker.NAME));
        StandbyWait standby = new StandbyWait(options.place(), taken.applicationName());
        LeaseBeat beat = new LeaseBeat(connections, options, clock, taken, written, marker, standby, contact);
        return new Tenure(taken, beat, written, marker, standby);
    }

    private static void giveUp(Tenure tenure, Throwable why) {
        if (why instanceof IOException noticed) {
            tenure.marker.notice(noticed);
        }
        try {
            tenure.beat.end();
        } catch (SQLException alsoFailed) {
            why.addSuppressed(alsoFailed);
        } finally {
            tenure.marker.close();
        }
    }

    /**
     * Reads the log and opens a store over it.
     *
     * @param failed the store before, which has to know nothing that the log lacks
     */
    private Reopened read(Tenure tenure, Optional<LogStore> failed) throws IOException, SQLException {
        byte[] storeId = PostgresStore.bytesOf(tenure.taken.storeId());
        StoreEvents.Recovery recovery = statistics.events().beginRecovery();
        ConcurrentHashMap<StateKey, Version> index = new ConcurrentHashMap<>();
        Replay.Result replayed;
        long server;
        Connection reading = connections.open(tenure.taken.applicationName());
        try {
            server = Connections.serverOf(reading);
            replayed = new Replay(options, storeId, index, rangeBytes)
                    .read(reading, tenure.taken.logId(), tenure.taken.owner());
        } finally {
            Connections.closeQuietly(reading);
        }
        Optional<Reconciliation> settled = failed.map(store -> store.compareWith(index));
        if (settled.flatMap(Reconciliation::lost).isPresent()) {
            throw LogTaken.lacks(options, settled.get().lost().get().toPrintable());
        }
        long epochBegin = replayed.lastSequence() + SEQUENCE_GAP;
        tenure.acknowledged.setEarlier(
                replayed.lastSequence(), server, tenure.taken.owner().epoch(), epochBegin);
        TimeLimit timeLimit = new TimeLimit(options.patience());
        Lane.Settings lane = new Lane.Settings(
                connections,
                options,
                clock,
                tenure.taken.logId(),
                tenure.taken.owner(),
                epochBegin,
                storeId,
                tenure.taken.applicationName(),
                timeLimit,
                tenure.marker,
                tenure.standby,
                contact,
                figures);
        List<Lane> lanes = new ArrayList<>();
        for (int i = 0; i < options.lanes(); i++) {
            lanes.add(new Lane(lane, i, tenure.acknowledged));
        }
        LogSettings settings = new LogSettings(
                "tallystick-postgresql",
                storeId,
                options.maxStateBytes(),
                WaitStrategy.EXPECTED_END,
                options.completionExecutor(),
                clock,
                statistics,
                new StoreDescription(
                        PostgresStore.NAME,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        options.place(),
                        "",
                        ""));
        PostgresLog log =
                new PostgresLog(options, storeId, lanes, timeLimit, replayed, epochBegin, index, tenure.beat, figures);
        StoreStatistics before = statistics.snapshot(); // the store counts what it finds
        statistics.recordsChanged(-Math.toIntExact(before.records()));
        statistics.bytesChanged(-before.bytes());
        LogStore store = LogStore.open(log, index, home, settings, recovery);
        acknowledged = tenure.acknowledged;
        return new Reopened(store, settled.orElse(null));
    }

    @Override
    public boolean isOutage(Throwable cause) {
        return Lane.isOutage(cause);
    }

    @Override
    public String obstacle() {
        return obstacle;
    }

    @Override
    public String place() {
        return options.place();
    }

    @Override
    public Optional<Reopened> tryReopen(LogStore failed) throws IOException {
        try {
            Reopened reopened = reopen(failed);
            for (int lane = 0; lane < options.lanes(); lane++) {
                contact.found(lane, home.tenure.taken.server());
            }
            return Optional.of(reopened);
        } catch (SQLException outage) {
            obstacle = Reasons.text(outage);
            return Optional.empty();
        } catch (IOException refused) {
            if (refused.getCause() instanceof SQLException outage && !isVerdict(refused)) { // of a lane that connects
                obstacle = Reasons.text(outage);
                return Optional.empty();
            }
            home.tenure.marker.notice(refused);
            throw refused;
        }
    }

    private static boolean isVerdict(IOException refused) {
        return refused instanceof RecordLog.LogLostException || refused instanceof RecordLog.NotWrittenException;
    }

    private Reopened reopen(LogStore failed) throws SQLException, IOException {
        Tenure before = home.tenure;
        Tenure tenure = tenureOf(takeAnew(before));
        before.beat.dismiss();
        home.tenure = tenure;
        before.beat.checkNotLost(); // once more: it may have judged just before it was dismissed
        tenure.beat.start();
        return read(tenure, Optional.of(failed));
    }

    private Ownership.Taken takeAnew(Tenure before) throws SQLException, IOException {
        before.beat.checkNotLost(); // it may have a connection where this thread gets none
        Connection connection = connections.open(before.taken.applicationName());
        boolean isTaken = false;
        try {
            long logId = before.taken.logId();
            acknowledged.check(connection, logId, acknowledged.last(), options);
            before.beat.checkNotLost();
            Optional<Ownership.Taken> taken = ownership.takeAnew(connection, before.taken);
            if (taken.isEmpty()) {
                throw LogTaken.error(options, before.taken.owner(), LogOwner.find(connection, logId));
            }
            isTaken = true;
            return taken.get();
        } catch (SQLException trouble) {
            throw LogTaken.ofMissingTables(connection, options, trouble);
        } finally {
            if (!isTaken) {
                Connections.closeQuietly(connection);
            }
        }
    }

    /** The log of a node in the database. */
    private final class Home implements LogHome {
        // Set by the thread that opens or reopens.
        private volatile Tenure tenure;

        @Override
        public UUID storeId() {
            return tenure.taken.storeId();
        }

        @Override
        public Optional<String> nodeId() {
            return Optional.of(options.nodeId());
        }

        @Override
        public boolean isOwned() {
            return tenure.beat.isOwned();
        }

        @Override
        public LossMarking lossMarking() {
            return tenure.marker.marking();
        }

        @Override
        public Optional<StoreStatistics.Remote> remote() {
            Tenure now = tenure;
            return Optional.of(figures.snapshot(
                    now.beat, now.standby, contact, now.taken.owner().epoch()));
        }

        @Override
        public OptionalLong usableBytes() {
            return OptionalLong.empty();
        }

        @Override
        public String place() {
            return options.place();
        }

        /**
         * {@inheritDoc} What was acknowledged is on disk whatever becomes of this: the next owner may have to wait.
         *
         * @throws StoreFencedException another owner has the log already, which may have been the last to write
         */
        @Override
        public void close() throws IOException {
            try {
                Optional<IOException> lost = tenure.beat.end();
                if (lost.isPresent()) {
                    throw refusal(lost.get());
                }
            } catch (SQLException untold) {
                throw new IOException(
                        "the server could not be told that the log was closed, so the next owner waits for a lease: "
                                + untold.getMessage(),
                        untold);
            } finally {
                tenure.marker.close();
            }
        }

        private StoreException refusal(IOException lost) {
            return lost instanceof RecordLog.NotWrittenException
                    ? new StoreFencedException(lost.getMessage(), lost)
                    : new StoreFailedException(lost.getMessage(), lost);
        }
    }
}
