package io.tallystick.store.file;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.Shortage;
import io.tallystick.store.StoreFullException;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A change of names in one directory, which makes a state appear or disappear in one step. {@link SyncRounds} queues
 * it, applies it, and makes it durable by forcing the directory.
 */
abstract sealed class NameChange {
    final TypeDirectory directory;
    final boolean deferred;

    // Both are written while names are applied, and read by the caller later, under or after the same lock.
    private boolean begun;
    private @Nullable StoreFullException refusal;

    // Written before the change is queued, and read by the caller only.
    private boolean isQueued;

    // The next one in the chain of queued, applied or forced changes; guarded by that chain's lock.
    @Nullable NameChange next;

    private NameChange(TypeDirectory directory, boolean deferred) {
        this.directory = directory;
        this.deferred = deferred;
    }

    /** Notes that the change is queued; no round has taken it yet. Does not wait and does not fail. */
    void queued() {
        isQueued = true;
    }

    /** Whether the change was queued, so that a round may take it. For its caller only. */
    final boolean isQueued() {
        return isQueued;
    }

    /** Brings to disk the content that must be there before the names change. */
    void prepare() throws IOException {
        // only a deferred write has content to force
    }

    /** Changes the names; false if there was no room, nothing was changed, and {@link #refusal} says so. */
    final boolean apply(Disk disk) throws IOException {
        begun = true;
        refusal = changeNames(disk);
        return refusal == null;
    }

    /** Returns null, or why nothing was changed. */
    abstract @Nullable StoreFullException changeNames(Disk disk) throws IOException;

    /** Notes that the change is on disk. */
    abstract void onDisk();

    /** Closes the change's file, because the store has failed or the change was refused. */
    abstract void abandon();

    /**
     * Whether {@link #apply} was called, so that the names may have been changed, or readers see the change already.
     */
    boolean mayBeSeen() {
        return begun;
    }

    /** Why nothing was changed, or null. */
    final @Nullable StoreFullException refusal() {
        return refusal;
    }

    /** Makes a written file the state of a key. */
    static final class Install extends NameChange {
        private final Path state;
        private final StoredState before;
        private final WrittenFile written;

        /**
         * A change of the key whose file is {@code state}.
         *
         * @param before the key's state before
         * @param written the file that gets the key's name; forced, unless the change is deferred
         */
        Install(TypeDirectory directory, Path state, StoredState before, WrittenFile written, boolean deferred) {
            super(directory, deferred);
            this.state = state;
            this.before = before;
            this.written = written;
        }

        @Override
        void prepare() throws IOException {
            if (deferred) {
                written.stored().leftOpen(written.force());
            }
        }

        @Override
        @Nullable StoreFullException changeNames(Disk disk) throws IOException {
            OpenFiles.close(before.takeOpenFile()); // Windows may not replace a file that is open
            try {
                disk.rename(written.path(), state);
            } catch (IOException failed) {
                // A directory may have to grow for one more name.
                if (!Shortage.isShortageOfRoom(failed) || disk.kindOf(written.path()) != Disk.PathKind.FILE) {
                    throw failed;
                }
                if (!deferred) {
                    abandon();
                    StateFiles.drop(disk, written.path());
                    return FullDisk.refusal(state, failed);
                }
                // Its caller has returned and cannot be refused. So the directory deletes its spare files.
                directory.spares().dropAll(disk);
                disk.rename(written.path(), state);
            }
            written.stored().isInPlace();
            return null;
        }

        @Override
        void onDisk() {
            // the state is in its place; nothing is left to do
        }

        @Override
        void abandon() {
            OpenFiles.close(written.stored().takeOpenFile());
            written.abandon();
        }
    }

    /** Makes the file of a key a spare file, or deletes it where that is not possible. */
    static sealed class Retire extends NameChange {
        private final Path state;
        private final StoredState before;
        private final boolean canBecomeSpare;
        private @Nullable Path spare;
        private @Nullable DiskFile open;

        /**
         * The end of the state at {@code state}.
         *
         * @param before the key's state before
         * @param canBecomeSpare whether the file has the size of a spare file
         */
        Retire(TypeDirectory directory, Path state, StoredState before, boolean canBecomeSpare, boolean deferred) {
            super(directory, deferred);
            this.state = state;
            this.before = before;
            this.canBecomeSpare = canBecomeSpare;
        }

        @Override
        @Nullable StoreFullException changeNames(Disk disk) throws IOException {
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
                if (!Shortage.isShortageOfRoom(failed) || disk.kindOf(state) != Disk.PathKind.FILE) {
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

    /**
     * A deferred end that readers see as soon as it is queued. From then on the file may be gone at any moment, and its
     * image is not in memory.
     */
    static final class EarlyRetire extends Retire {
        private final KeyTicket ticket;
        private boolean isShown;

        /** As {@link Retire}, of the key that has this ticket. */
        EarlyRetire(TypeDirectory directory, Path state, StoredState before, boolean canBecomeSpare, KeyTicket ticket) {
            super(directory, state, before, canBecomeSpare, true);
            this.ticket = ticket;
        }

        @Override
        void queued() {
            super.queued();
            ticket.work(StoredState.NOTHING);
            isShown = true;
        }

        @Override
        boolean mayBeSeen() {
            return isShown || super.mayBeSeen();
        }
    }
}
