package io.tallystick.store.journal.artemis;

import io.tallystick.storage.Shortage;
import io.tallystick.store.journal.artemis.room.Shortfall;
import java.io.IOException;

/**
 * Keeps {@value #SPARES} files empty, one of them open, and adds the room in them to the {@link JournalRoom}.
 *
 * <p>A file that cannot be made is no failure of the store, because it holds no batch. On a full disk this is the usual
 * case. Writes stop before they use up the last spare files.
 *
 * <p>On the housekeeper's thread only, except where a method says otherwise.
 */
final class SpareFiles {
    static final int SPARES = 4;

    private static final long MOST_SPACE_MARGIN_BYTES = 1024 * 1024;

    private final DiskFileFactory factory;
    private final JournalFiles files;
    private final DataFiles dataFiles;
    private final JournalRoom room;
    private final FailureLatch failure;

    private boolean making;
    private Throwable refusal;
    private long counted;

    /** Says that there is too little room for another file, so that the housekeeper began none. */
    private static final class NoRoomException extends IOException {
        private static final long serialVersionUID = 1L;

        NoRoomException(String message) {
            super(message);
        }
    }

    SpareFiles(ArtemisLog.Parts parts) {
        this.factory = parts.factory();
        this.files = parts.files();
        this.dataFiles = parts.dataFiles();
        this.room = parts.room();
        this.failure = parts.failure();
    }

    /** Runs a task by which the journal makes or opens a spare file. */
    void run(Runnable task) {
        making = true;
        refusal = null;
        try {
            task.run();
        } finally {
            making = false;
        }
        if (refusal != null) {
            deleteUnfinished(refusal);
        }
        if (files.isLoaded()) {
            count();
        }
    }

    /** Hears an error from the journal; false if no spare file is being made, so that the store has failed. */
    boolean heard(Throwable trouble) {
        if (making) {
            refusal = trouble;
        }
        return making;
    }

    /** Makes spare files until this much room is free; returns the shortfall. */
    Shortfall make(long wantedBytes) {
        count();
        try {
            addForgotten();
            making = true;
            while (files.openSpares() == 0 || files.spares() < SPARES || room.free() < wantedBytes) {
                if (files.closedSpares() == 0) {
                    checkSpace();
                }
                files.openSpare();
                count();
            }
            return Shortfall.NONE;
        } catch (Exception trouble) { // a file was not made; the journal may throw anything for it
            deleteUnfinished(trouble);
            count(); // the journal may have taken a spare file from its list that it could not open
            String reason = "a file could not be made: " + trouble.getMessage();
            return isLackOfRoom(trouble) ? Shortfall.ofRoom(reason) : Shortfall.ofFile(reason, trouble);
        } finally {
            making = false;
        }
    }

    /**
     * Adds the spare files that could not be opened earlier, as far as they can be now. A header that is not written
     * fails the store, as for a dead file. It may have been the proof that the batches before were given up.
     */
    private void addForgotten() throws Exception {
        while (!factory.forgotten().isEmpty() && factory.forgotten().element().canBeOpened()) {
            files.addSpare(factory.forgotten().element());
            factory.forgotten().remove();
            count();
        }
    }

    /** Opens all spare files, as far as the disk lets it. */
    void openAll() {
        making = true;
        try {
            while (files.closedSpares() > 0) {
                files.openSpare();
            }
        } catch (Exception trouble) { // the journal may throw anything; the store does without this file for now
            count();
        } finally {
            making = false;
        }
    }

    /** Makes spare files of dead ones; false if that fails, and the store with it. */
    boolean reuseDeadFiles() {
        try {
            files.reuseDeadFiles();
        } catch (Exception failed) { // the journal may throw anything
            failure.fail(failed);
            return false;
        }
        count();
        return true;
    }

    /** Adds the room in files that became spare. */
    void count() {
        // Rolls first: a roll in between makes the sum too small for now, never too large.
        long sparesEver = files.rolls() + files.spares();
        room.give((sparesEver - counted) * factory.usableBytes());
        counted = sparesEver;
        room.filesAre(dataFiles.count() + (long) files.spares());
    }

    private void checkSpace() throws IOException {
        long usable = factory.io().disk().usableSpace(factory.directory());
        if (usable < neededSpace()) {
            throw new NoRoomException("usable-space=" + usable + " needed=" + neededSpace());
        }
    }

    private long neededSpace() {
        return factory.fileBytes() + Math.min(factory.fileBytes(), MOST_SPACE_MARGIN_BYTES);
    }

    /**
     * Whether a file was not made because there was no room for it. Asked after the deletion of the unfinished file,
     * which makes room; so the error of the disk counts first.
     */
    private boolean isLackOfRoom(Exception trouble) {
        if (trouble instanceof NoRoomException || Shortage.isShortageOfRoom(new IOException(trouble))) {
            return true;
        }
        try {
            return factory.io().disk().usableSpace(factory.directory()) < neededSpace();
        } catch (IOException unknown) {
            return false;
        }
    }

    private void deleteUnfinished(Throwable trouble) {
        try {
            factory.deleteUnfinished();
        } catch (IOException leftOver) {
            trouble.addSuppressed(leftOver);
        }
    }
}
