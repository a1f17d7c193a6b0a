package io.tallystick.store.journal.artemis;

import org.apache.activemq.artemis.core.journal.impl.JournalFile;
import org.apache.activemq.artemis.core.journal.impl.JournalFileImpl;
import org.apache.activemq.artemis.core.journal.impl.JournalFilesRepository;
import org.apache.activemq.artemis.core.journal.impl.JournalImpl;

/**
 * The files that the Artemis journal knows. A file is spare, then active, then holds data, then is dead and becomes
 * spare again. The journal deletes no file.
 */
final class JournalFiles {
    // Set by the housekeeper's thread before the log is open.
    private JournalImpl journal;
    private JournalFilesRepository repository;

    // Counts each time that the journal went to its next file. By the thread with the permit to write.
    private volatile long rolls;
    // This file must not be reused yet: the file after it holds no batch on disk. By the thread with the permit.
    private volatile JournalFile heldBack;

    /** Takes over the journal when it is loaded. On the housekeeper's thread only. */
    void adopt(JournalImpl loaded) {
        journal = loaded;
        repository = loaded.getFilesRepository();
    }

    boolean isLoaded() {
        return journal != null;
    }

    /** The spare files with a handle: the journal need not wait for them. */
    int openSpares() {
        return repository.getOpenedFilesCount();
    }

    /** The spare files without a handle. */
    int closedSpares() {
        return repository.getFreeFilesCount();
    }

    int spares() {
        return openSpares() + closedSpares();
    }

    /**
     * Opens a spare file, and makes one first if there is none. On the housekeeper's thread only.
     *
     * @throws Exception the journal's method is declared to throw anything
     */
    void openSpare() throws Exception {
        repository.pushOpenedFile();
    }

    /**
     * Adds a file to the spare ones, with a new header. On the housekeeper's thread only.
     *
     * @throws Exception the journal's method is declared to throw anything
     */
    void addSpare(DiskSequentialFile file) throws Exception {
        repository.addFreeFile(new JournalFileImpl(file, file.fileId(), JournalImpl.FORMAT_VERSION), false, false);
    }

    /** Files that were taken from the spare ones since the journal was loaded. */
    long rolls() {
        return rolls;
    }

    /** Notes that the journal has gone to its next file. By the thread with the permit to write. */
    void rolled() {
        rolls = rolls + 1;
    }

    /**
     * Keeps a file that the journal is about to leave from being reused. It has the newest list of files until the
     * first batch of the next one is on disk. By the thread with the permit to write.
     */
    void holdBack(JournalFile file) {
        heldBack = file; // before the housekeeper can see the file among those that it may reuse
        file.setReclaimable(false);
    }

    /** Lets the file be reused: the first batch of the next file is on disk. */
    void releaseHeldBack() {
        heldBack = null;
    }

    /**
     * Makes spare files of dead ones. On the housekeeper's thread only.
     *
     * @throws Exception the journal's method is declared to throw anything
     */
    void reuseDeadFiles() throws Exception {
        JournalFile[] left = journal.getDataFiles();
        JournalFile mustStay = heldBack;
        for (JournalFile file : left) {
            file.setReclaimable(file != mustStay);
        }
        journal.checkReclaimStatus();
    }
}
