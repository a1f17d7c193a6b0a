package io.tallystick.store.journal.artemis.room;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The request that the next batch begins the next file, although the active file has room. Deleted records in the
 * active file are free only when the journal has left it.
 *
 * <p>The housekeeper just requests it. A caller claims it first, because its own record is to begin the file: while one
 * caller has the claim, no other caller gets it. The claim ends when the first batch of the next file is on disk.
 */
public final class NextFileRequest {
    private final AtomicBoolean claimed = new AtomicBoolean();
    private volatile boolean requested;

    /** Claims the next file for the caller's record; false if another caller has the claim. */
    public boolean tryClaim() {
        return claimed.compareAndSet(false, true);
    }

    /** Ends the claim: there was no room for the record, or the first batch of the next file is on disk. */
    public void endClaim() {
        claimed.set(false);
    }

    /** Asks that the next batch begins the next file. */
    public void request() {
        requested = true;
    }

    /** Takes the request, so that one file begins for it. By one thread at a time: the one that lays out a batch. */
    public boolean take() {
        boolean wasRequested = requested;
        if (wasRequested) {
            requested = false;
        }
        return wasRequested;
    }
}
