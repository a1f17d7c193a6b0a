package io.tallystick.store.file;

import io.tallystick.storage.DeniedAccess;
import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskRemedy;
import io.tallystick.storage.NanoClock;
import io.tallystick.storage.Shortage;
import io.tallystick.storage.StoreDirectory;
import io.tallystick.storage.StoreDirectoryException;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.StoreStatistics;
import io.tallystick.store.UnsupportedFormatException;
import io.tallystick.store.file.format.FileNames;
import io.tallystick.store.file.format.StateFileEncoder;
import io.tallystick.store.spi.StatisticsRecorder;
import io.tallystick.store.spi.StoreEvents;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;

/**
 * Opens a store: takes its directory, recovers its states, and puts together the parts that live as long as it does.
 */
final class FileStoreOpening {
    private final FileStoreOptions options;
    private final Disk disk;
    private final NanoClock clock;

    FileStoreOpening(FileStoreOptions options, Disk disk, NanoClock clock) {
        this.options = options;
        this.disk = disk;
        this.clock = clock;
    }

    /**
     * Opens the store.
     *
     * @throws StoreException it cannot be opened; nothing that was stored is changed
     */
    FileStore open() {
        StoreDirectory directory;
        try {
            directory = StoreDirectory.take(
                    disk, options.directory(), FileStore.KIND, options.isExistingExpected(), options.taker());
        } catch (StoreDirectoryException refused) {
            throw translated(refused);
        } catch (IOException failed) {
            throw unopenable(options.directory(), failed);
        }
        try {
            return recovered(directory);
        } catch (IOException failed) {
            giveUp(directory, failed);
            throw unopenable(directory.path(), failed);
        } catch (RuntimeException | Error failed) {
            giveUp(directory, failed);
            throw failed;
        }
    }

    private FileStore recovered(StoreDirectory directory) throws IOException {
        StoreContext context = context(directory.path());
        DirectoryForces forces = new DirectoryForces(disk);
        Path root = directory.path().resolve(FileNames.ROOT);
        TypeDirectories types = new TypeDirectories(disk, forces, context.failStop(), root, context.openFiles());
        long lastSequence = recover(directory, types, context.statistics());
        directory.bind();
        StateFileEncoder encoder = new StateFileEncoder(directory.identity().idBytes(), new SecureRandom().nextLong());
        StateFiles files = new StateFiles(context, encoder, lastSequence);
        SyncRounds rounds = new SyncRounds(
                disk, forces, clock, context.failStop(), context.statistics(), options.maxQueuedChanges());
        StateChanges changes = new StateChanges(context, directory.path(), types, files, rounds);
        FileStore store = new FileStore(options, directory, context, new VisibleStates(types, files), changes);
        directory.watch().start("tallystick-file-place", new WatchedStates(root, types, context.failStop()));
        rounds.checkBy(directory.watch());
        return store;
    }

    private StoreContext context(Path directory) {
        StoreEvents events = StoreEvents.flightRecorder(directory.toString());
        return new StoreContext(
                disk, clock, new FailStop(directory, events), new StatisticsRecorder(events), new OpenFiles());
    }

    /** Fills the index, and returns the highest sequence in any file. */
    private long recover(StoreDirectory directory, TypeDirectories types, StatisticsRecorder statistics)
            throws IOException {
        StoreEvents.Recovery recovering = statistics.events().beginRecovery();
        Path root = directory.path().resolve(FileNames.ROOT);
        Recovery recovery = new Recovery(disk, root, directory.identity().idBytes(), types, statistics);
        recovery.recover();
        StoreStatistics recovered = statistics.snapshot();
        recovering.ended(recovered.records(), recovered.bytes());
        return recovery.lastSequence();
    }

    private StoreException translated(StoreDirectoryException refused) {
        return switch (refused.reason()) {
            case LOCKED -> new StoreLockedException(refused.getMessage(), refused);
            case UNANSWERED -> StoreLockedException.whileAWriteIsOut(refused.getMessage(), refused);
            case FOREIGN -> new UnsupportedFormatException(refused.getMessage(), refused);
            case CORRUPT ->
                new CorruptStoreException(
                        refused.damagedFile().orElse(options.directory()),
                        0,
                        refused.getMessage(),
                        "nothing was changed");
            case COPY -> StoreIoException.ofACopy(refused.getMessage(), refused);
            case LOST -> StoreIoException.ofMarkedLoss(refused.getMessage(), refused);
            case UNUSABLE -> new StoreIoException(refused.getMessage(), refused);
        };
    }

    private static StoreIoException unopenable(Path directory, IOException failed) {
        return new StoreIoException(
                "directory=" + directory + ": the store cannot be opened (" + DeniedAccess.textOf(failed)
                        + "); "
                        + (Shortage.isShortageOfRoom(failed) ? "make room on the disk" : DiskRemedy.of(failed))
                        + "; nothing that was stored is changed",
                failed);
    }

    private static void giveUp(StoreDirectory directory, Throwable why) {
        try {
            directory.close();
        } catch (IOException alsoFailed) {
            why.addSuppressed(alsoFailed);
        }
    }
}
