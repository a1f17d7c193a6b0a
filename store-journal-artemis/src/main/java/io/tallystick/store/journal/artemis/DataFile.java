package io.tallystick.store.journal.artemis;

import io.tallystick.store.log.spi.RecordHome;
import java.nio.file.Path;

/** A file that holds batches. It is the home of the versions that lie there, and counts those that are live. */
final class DataFile implements RecordHome {
    // Set when the file is taken into use, before its first batch is on disk.
    private volatile long fileId;
    // Written by the thread that lays out a batch, or under the layout lock when the batch is on disk.
    private volatile long lastSequence;
    private volatile int live;

    // Where the batches lie, from the first one on and until the file may be deleted; else null.
    private volatile Path path;

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

    /** Notes where the batches lie; null if the file may be gone from now on. */
    void liesAt(Path pathOrNull) {
        path = pathOrNull;
    }

    /** Where the batches lie; null if no file is needed for them. */
    Path pathOrNull() {
        return path;
    }

    /** The last batch in the file. */
    long lastSequence() {
        return lastSequence;
    }

    void laidOut(long sequence) {
        lastSequence = sequence;
    }

    /** The number of versions in the file that are the latest ones of their keys. */
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
