package io.tallystick.store.journal.artemis;

/** A file that holds batches, and what is live in it: the home of the versions of keys that lie there. */
final class DataFile {
    // Set when the file is taken into use, before its first batch is on disk.
    private volatile long fileId;
    // Written by the one thread that lays out or lands batches.
    private volatile long lastSequence;
    private volatile int live;

    DataFile() {}

    DataFile(long fileId, long lastSequence) {
        this.fileId = fileId;
        this.lastSequence = lastSequence;
    }

    long fileId() {
        return fileId;
    }

    void takeIntoUse(long id) {
        fileId = id;
    }

    /** The last batch in the file. */
    long lastSequence() {
        return lastSequence;
    }

    void laidOut(long sequence) {
        lastSequence = sequence;
    }

    /** How many versions in the file are the latest ones of their keys. */
    int live() {
        return live;
    }

    /** Under the layout lock, or before the log is open, only. */
    void becameLive() {
        live = live + 1;
    }

    /** Under the layout lock only. */
    void becameDead() {
        live = live - 1;
    }

    @Override
    public String toString() {
        return "file-id=" + fileId;
    }
}
