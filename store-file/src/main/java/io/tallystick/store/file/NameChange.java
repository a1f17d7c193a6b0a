package io.tallystick.store.file;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.store.StoreFullException;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A change of names in one directory, which makes a state appear or disappear in one step. It is queued, applied, and then
 * made durable by forcing the directory; {@link SyncRounds} does all three.
 */
abstract sealed class NameChange {
    final TypeDirectory directory;
    final boolean deferred;

    // Both are written while names are applied, and read by the caller after that, under or behind the same lock.
    private boolean begun;
    private StoreFullException refusal;

    private NameChange(TypeDirectory directory, boolean deferred) {
        this.directory = directory;
        this.deferred = deferred;
    }

    /** Does what must be on disk before the names are changed. */
    void prepare() throws IOException {
        // nothing, usually
    }

    /** Changes the names; false if there was no room, nothing was changed, and {@link #refusal} says so. */
    final boolean apply(Disk disk) throws IOException {
        begun = true;
        refusal = changeNames(disk);
        return refusal == null;
    }

    /** Returns null, or why nothing was changed. */
    abstract StoreFullException changeNames(Disk disk) throws IOException;

    /** The change is on disk. */
    abstract void onDisk();

    /** The store has failed: lets go of what the change holds. */
    abstract void abandon();

    /** Whether {@link #apply} was called, so that the names may have been changed. */
    final boolean isBegun() {
        return begun;
    }

    /** Why nothing was changed, or null. */
    final StoreFullException refusal() {
        return refusal;
    }

    /** A file that was written becomes the state of a key. */
    static final class Install extends NameChange {
        private final Path state;
        private final Held before;
        private final WrittenFile written;
        private final Held after;

        /**
         * A change of the key whose file is {@code state}.
         *
         * @param before what the key held
         * @param written what is to become that file; forced, unless the change is deferred
         * @param after what the key will hold, told when its file is in place
         */
        Install(TypeDirectory directory, Path state, Held before, WrittenFile written, Held after, boolean deferred) {
            super(directory, deferred);
            this.state = state;
            this.before = before;
            this.written = written;
            this.after = after;
        }

        @Override
        void prepare() throws IOException {
            if (deferred) {
                after.leftOpen(written.force());
            }
        }

        @Override
        StoreFullException changeNames(Disk disk) throws IOException {
            try {
                disk.rename(written.path(), state);
            } catch (IOException failed) {
                // A directory may have to grow for one more name.
                if (!Shortage.isToldBy(failed) || disk.kindOf(written.path()) != Disk.PathKind.FILE) {
                    throw failed;
                }
                if (!deferred) {
                    abandon();
                    StateFiles.drop(disk, written.path());
                    return Shortage.refusal(state, failed);
                }
                // Nobody is left to be refused: room is made in the directory by giving up what it need not hold.
                directory.spares().dropAll(disk);
                disk.rename(written.path(), state);
            }
            after.isInPlace();
            OpenFiles.close(before.takeOpenFile());
            return null;
        }

        @Override
        void onDisk() {
            // the state is there, that is all
        }

        @Override
        void abandon() {
            OpenFiles.close(after.takeOpenFile());
            written.abandon();
        }
    }

    /** The state of a key becomes a spare file, or is deleted where that is not possible. */
    static final class Retire extends NameChange {
        private final Path state;
        private final Held before;
        private final boolean canBecomeSpare;
        private Path spare;
        private DiskFile open;

        /**
         * The end of the state at {@code state}.
         *
         * @param before what the key held
         * @param canBecomeSpare whether the file has the size of a spare file
         */
        Retire(TypeDirectory directory, Path state, Held before, boolean canBecomeSpare, boolean deferred) {
            super(directory, deferred);
            this.state = state;
            this.before = before;
            this.canBecomeSpare = canBecomeSpare;
        }

        @Override
        StoreFullException changeNames(Disk disk) throws IOException {
            open = before.takeOpenFile();
            if (!canBecomeSpare || !directory.spares().reserve()) {
                delete(disk);
                return null;
            }
            Path kept = directory.spares().newPath();
            try {
                disk.rename(state, kept);
                spare = kept;
            } catch (IOException failed) {
                directory.spares().giveUp();
                // Removals go on working on a full disk.
                if (!Shortage.isToldBy(failed) || disk.kindOf(state) != Disk.PathKind.FILE) {
                    throw failed;
                }
                delete(disk);
            }
            return null;
        }

        private void delete(Disk disk) throws IOException {
            abandon();
            disk.delete(state);
        }

        @Override
        void onDisk() {
            if (spare != null) {
                directory.spares().offer(spare, open);
            }
        }

        @Override
        void abandon() {
            OpenFiles.close(open);
        }
    }
}
