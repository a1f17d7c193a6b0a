package io.tallystick.store.postgresql;

import io.tallystick.storage.NanoClock;
import io.tallystick.store.LossMarking;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreDescription;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFailedException;
import io.tallystick.store.StoreFencedException;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreStatistics;
import io.tallystick.store.log.LogHome;
import io.tallystick.store.log.LogSettings;
import io.tallystick.store.log.LogStore;
import io.tallystick.store.log.spi.RecordLog;
import io.tallystick.store.log.spi.Version;
import io.tallystick.store.log.spi.WaitStrategy;
import io.tallystick.store.spi.StatisticsRecorder;
import io.tallystick.store.spi.StoreEvents;
import io.tallystick.store.spi.StoreThread;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** Opens stores in a database: takes the log of a node, reads it, and starts its lanes. */
final class PostgresStore {
    /** The value of {@code tallystick.store}. */
    static final String NAME = "postgresql";

    /** New owners leave so many sequences out: a batch of the owner before is never taken for one of theirs. */
    private static final long SEQUENCE_GAP = 1024;

    private PostgresStore() {}

    /**
     * Opens the log of a node.
     *
     * @throws StoreException it cannot be opened; nothing that was stored is changed
     */
    static LogStore open(PostgresOptions options, NanoClock clock) {
        return open(options, clock, Ranges.RANGE_BYTES);
    }

    static LogStore open(PostgresOptions options, NanoClock clock, long rangeBytes) {
        try {
            return OwnThread.call("tallystick-postgresql-opening", () -> openHere(options, clock, rangeBytes));
        } catch (SQLException trouble) {
            throw new StoreIoException(
                    "the log in " + options.place() + " cannot be opened: " + trouble.getMessage()
                            + "; check the server; nothing that was stored was changed",
                    trouble);
        }
    }

    private static LogStore openHere(PostgresOptions options, NanoClock clock, long rangeBytes) throws SQLException {
        Connections connections = new Connections(options);
        connections.checkTimes();
        Ownership.Taken taken = new Ownership(options, connections, clock).take();
        Acknowledged acknowledged = new Acknowledged(options.lanes());
        LossMarker marker = new LossMarker(
                connections,
                options,
                clock,
                taken.owner(),
                acknowledged,
                task -> StoreThread.of(task, LossMarker.NAME));
        StandbyWait standby = new StandbyWait(options.place(), taken.applicationName());
        ServerContact contact = new ServerContact(options, clock);
        LeaseBeat beat = new LeaseBeat(connections, options, clock, taken, acknowledged, marker, standby, contact);
        // Before the first beat, which may notice a loss. A lock of the table of batches must not delay it.
        acknowledged.setEarlier(taken.owner().epoch() > 1);
        try {
            beat.start();
            return open(options, clock, connections, taken, beat, acknowledged, marker, standby, contact, rangeBytes);
        } catch (RecordLog.NotWrittenException takenMeanwhile) {
            giveUp(beat, marker, takenMeanwhile);
            throw new StoreFencedException(takenMeanwhile.getMessage(), takenMeanwhile);
        } catch (IOException refused) {
            giveUp(beat, marker, refused);
            throw refused.getCause() instanceof SQLException trouble ? trouble : new SQLException(refused);
        } catch (SQLException refused) {
            giveUp(beat, marker, refused);
            throw refused;
        } catch (RuntimeException | Error refused) {
            giveUp(beat, marker, refused);
            throw refused;
        }
    }

    private static LogStore open(
            PostgresOptions options,
            NanoClock clock,
            Connections connections,
            Ownership.Taken taken,
            LeaseBeat beat,
            Acknowledged acknowledged,
            LossMarker marker,
            StandbyWait standby,
            ServerContact contact,
            long rangeBytes)
            throws IOException, SQLException {
        byte[] storeId = bytesOf(taken.storeId());
        StatisticsRecorder statistics = new StatisticsRecorder(StoreEvents.flightRecorder(options.place()));
        StoreEvents.Recovery recovery = statistics.events().beginRecovery();
        ConcurrentHashMap<StateKey, Version> index = new ConcurrentHashMap<>();
        Replay.Result replayed;
        long server;
        Connection reading = connections.open(taken.applicationName());
        try {
            server = Connections.serverOf(reading);
            replayed = new Replay(options, storeId, index, rangeBytes).read(reading, taken.logId(), taken.owner());
        } finally {
            Connections.closeQuietly(reading);
        }
        long epochBegin = replayed.lastSequence() + SEQUENCE_GAP;
        acknowledged.setEarlier(replayed.lastSequence(), server, taken.owner().epoch(), epochBegin);
        TimeLimit timeLimit = new TimeLimit(options.patience());
        LogFigures figures = new LogFigures();
        Lane.Settings lane = new Lane.Settings(
                connections,
                options,
                clock,
                taken.logId(),
                taken.owner(),
                epochBegin,
                storeId,
                taken.applicationName(),
                timeLimit,
                marker,
                standby,
                contact,
                figures);
        List<Lane> lanes = new ArrayList<>();
        for (int i = 0; i < options.lanes(); i++) {
            lanes.add(new Lane(lane, i, acknowledged));
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
                        NAME, Optional.empty(), Optional.empty(), Optional.empty(), options.place(), "", ""));
        PostgresLog log =
                new PostgresLog(options, storeId, lanes, timeLimit, replayed, epochBegin, index, beat, figures);
        long epoch = taken.owner().epoch();
        Home home = new Home(options, taken, beat, marker, () -> figures.snapshot(beat, standby, contact, epoch));
        return LogStore.open(log, index, home, settings, recovery);
    }

    /** The id that checksums begin with. */
    static byte[] bytesOf(UUID storeId) {
        return ByteBuffer.allocate(16)
                .putLong(storeId.getMostSignificantBits())
                .putLong(storeId.getLeastSignificantBits())
                .array();
    }

    private static void giveUp(LeaseBeat beat, LossMarker marker, Throwable why) {
        if (why instanceof IOException noticed) {
            marker.notice(noticed);
        }
        try {
            beat.end();
        } catch (SQLException alsoFailed) {
            why.addSuppressed(alsoFailed);
        } finally {
            marker.close();
        }
    }

    /** The log of a node in the database. */
    private record Home(
            PostgresOptions options,
            Ownership.Taken taken,
            LeaseBeat beat,
            LossMarker marker,
            Supplier<StoreStatistics.Remote> figures)
            implements LogHome {
        @Override
        public UUID storeId() {
            return taken.storeId();
        }

        @Override
        public Optional<String> nodeId() {
            return Optional.of(options.nodeId());
        }

        @Override
        public boolean isOwned() {
            return beat.isOwned();
        }

        @Override
        public LossMarking lossMarking() {
            return marker.marking();
        }

        @Override
        public Optional<StoreStatistics.Remote> remote() {
            return Optional.of(figures.get());
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
                Optional<IOException> lost = beat.end();
                if (lost.isPresent()) {
                    throw refusal(lost.get());
                }
            } catch (SQLException untold) {
                throw new IOException(
                        "the server could not be told that the log was closed, so the next owner waits for a lease: "
                                + untold.getMessage(),
                        untold);
            } finally {
                marker.close();
            }
        }

        private static StoreException refusal(IOException lost) {
            return lost instanceof RecordLog.NotWrittenException
                    ? new StoreFencedException(lost.getMessage(), lost)
                    : new StoreFailedException(lost.getMessage(), lost);
        }
    }
}
