package io.tallystick.store.journal;

import io.tallystick.storage.DeniedAccess;
import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskRemedy;
import io.tallystick.storage.NanoClock;
import io.tallystick.storage.PlaceWatch;
import io.tallystick.storage.Shortage;
import io.tallystick.storage.StoreDirectory;
import io.tallystick.storage.StoreDirectoryException;
import io.tallystick.storage.SystemPromise;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreDescription;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.UnsupportedFormatException;
import io.tallystick.store.journal.io.IoChoice;
import io.tallystick.store.journal.io.LogIo;
import io.tallystick.store.log.LogHome;
import io.tallystick.store.log.LogSettings;
import io.tallystick.store.log.LogStore;
import io.tallystick.store.log.spi.RecordLog;
import io.tallystick.store.log.spi.Version;
import io.tallystick.store.spi.StatisticsRecorder;
import io.tallystick.store.spi.StoreEvents;
import io.tallystick.store.text.SizeText;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** Opens journal stores: takes the directory, chooses how bytes reach the disk, and has the engine recover its log. */
public final class JournalStore {
    private JournalStore() {}

    /**
     * Opens the store that the options describe: takes the directory, recovers the log, and starts the writers.
     *
     * @throws StoreException it cannot be opened; nothing that was stored is changed
     * @throws IllegalArgumentException the engine's artifact is not on the class path
     */
    public static LogStore open(JournalOptions options, Disk disk, NanoClock clock) {
        JournalEngine engine = JournalEngines.named(options.engine());
        engine.checkUsable();
        LogIo.checkKnown(options.io(), engine.supportedIo());
        StoreDirectory directory;
        try {
            directory = StoreDirectory.take(
                    disk, options.directory(), engine.kind(), options.isExistingExpected(), options.taker());
        } catch (StoreDirectoryException refused) {
            throw translated(options, refused);
        } catch (IOException trouble) {
            throw unopenable(options, trouble);
        }
        try {
            return open(engine, options, disk, clock, directory);
        } catch (IOException trouble) {
            close(directory, trouble);
            throw unopenable(options, trouble);
        } catch (RuntimeException | Error refused) {
            close(directory, refused);
            throw refused;
        }
    }

    private static LogStore open(
            JournalEngine engine, JournalOptions options, Disk disk, NanoClock clock, StoreDirectory directory)
            throws IOException {
        IoChoice choice = IoChoice.make(options.io(), engine.supportedIo(), disk, directory.path(), clock);
        try {
            return open(engine, options, choice.io(), clock, directory);
        } catch (IOException | StoreIoException failed) {
            // A write that may still land must not meet the files of a second attempt.
            Optional<LogIo> instead = directory.hasUnansweredWrite() ? Optional.empty() : insteadAfter(failed, choice);
            if (instead.isEmpty()) {
                throw failed;
            }
            return open(engine, options, instead.get(), clock, directory);
        }
    }

    private static Optional<LogIo> insteadAfter(Exception failed, IoChoice choice) {
        try {
            return choice.insteadAfter(failed);
        } catch (IOException | StoreIoException noOther) {
            failed.addSuppressed(noOther);
            return Optional.empty();
        }
    }

    private static LogStore open(
            JournalEngine engine, JournalOptions options, LogIo io, NanoClock clock, StoreDirectory directory)
            throws IOException {
        StatisticsRecorder statistics = new StatisticsRecorder(
                StoreEvents.flightRecorder(directory.path().toString()));
        JournalContext context = new JournalContext(
                options,
                new JournalContext.Home(directory.path(), directory.identity().idBytes()),
                io,
                clock,
                statistics);
        LogSettings settings = new LogSettings(
                "tallystick-journal",
                directory.identity().idBytes(),
                options.maxStateBytes(),
                options.waitStrategy(),
                options.completionExecutor(),
                clock,
                statistics,
                new StoreDescription(
                        "journal",
                        Optional.of(engine.name()),
                        Optional.of(io.name()),
                        Optional.of(directory.path()),
                        SystemPromise.remarkAfter(io.trial().remark()),
                        io.trial().details()));
        ConcurrentHashMap<StateKey, Version> index = new ConcurrentHashMap<>();
        StoreEvents.Recovery recovery = statistics.events().beginRecovery();
        RecordLog log = engine.open(context, index);
        bind(directory, log);
        return LogStore.open(log, index, new Home(directory), settings, recovery);
    }

    private static void bind(StoreDirectory directory, RecordLog log) throws IOException {
        boolean isBound = false;
        try {
            directory.bind();
            isBound = true;
        } finally {
            if (!isBound) {
                log.close();
            }
        }
    }

    /** The directory of the store. */
    private record Home(StoreDirectory directory) implements LogHome {
        @Override
        public UUID storeId() {
            return directory.identity().id();
        }

        @Override
        public Optional<String> nodeId() {
            return directory.nodeId();
        }

        @Override
        public boolean isOwned() {
            return directory.hasLockFile();
        }

        @Override
        public Optional<PlaceWatch> watch(PlaceWatch.User store) {
            directory.watch().start("tallystick-journal-place", store);
            return Optional.of(directory.watch());
        }

        @Override
        public OptionalLong usableBytes() {
            return directory.usableBytes();
        }

        @Override
        public String place() {
            return directory.path().toString();
        }

        @Override
        public void close() throws IOException {
            directory.close();
        }
    }

    private static void close(StoreDirectory directory, Throwable why) {
        try {
            directory.close();
        } catch (IOException alsoFailed) {
            why.addSuppressed(alsoFailed);
        }
    }

    private static StoreException translated(JournalOptions options, StoreDirectoryException refused) {
        return switch (refused.reason()) {
            case LOCKED -> new StoreLockedException(refused.getMessage());
            case UNANSWERED -> StoreLockedException.whileAWriteIsOut(refused.getMessage(), refused);
            case FOREIGN -> new UnsupportedFormatException(refused.getMessage());
            case CORRUPT ->
                new CorruptStoreException(
                        refused.damagedFile().orElse(options.directory()),
                        0,
                        refused.getMessage(),
                        "restore it from a backup");
            case COPY -> StoreIoException.ofACopy(refused.getMessage(), refused);
            case LOST -> StoreIoException.ofMarkedLoss(refused.getMessage(), refused);
            case UNUSABLE -> new StoreIoException(refused.getMessage(), refused);
        };
    }

    private static StoreIoException unopenable(JournalOptions options, IOException trouble) {
        String remedy = Shortage.isShortageOfRoom(trouble)
                ? "there is no room for it. A new journal makes " + options.segments() + " files of "
                        + StoreOption.JOURNAL_SEGMENT_SIZE.key() + "=" + SizeText.format(options.segmentBytes())
                        + "; make room, or give a smaller size"
                : DiskRemedy.of(trouble);
        return new StoreIoException(
                "the store in " + options.directory() + " cannot be opened: " + DeniedAccess.textOf(trouble) + "; "
                        + remedy + "; nothing that was stored was changed",
                trouble);
    }
}
