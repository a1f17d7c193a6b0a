package io.tallystick.store.file;

import io.tallystick.storage.GuardedBy;
import io.tallystick.storage.PlaceLostException;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFailedException;
import io.tallystick.store.spi.CauseText;
import io.tallystick.store.spi.FailureLog;
import io.tallystick.store.spi.StoreEvents;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether the store has failed stop, and the two exceptions that say so.
 *
 * <p>To fail is one assignment, which needs neither memory nor stack. Making the exceptions and logging may fail.
 */
class FailStop {
    private final Path directory;
    private final StoreEvents events;
    private final System.Logger logger;

    private volatile String failedStep = "an operation failed";

    /**
     * The error that failed the store; null while it is sound. A thread that fails assigns it if it is null, and no
     * thread clears it. Of two threads that fail at the same moment either error stays.
     */
    volatile @Nullable Throwable cause;

    // Whether or not another failure was first; written before that is set.
    private volatile @Nullable PlaceLostException loss;

    @GuardedBy("this") private boolean isLogged;

    FailStop(Path directory, StoreEvents events) {
        this(directory, events, System.getLogger(FileStore.class.getName()));
    }

    FailStop(Path directory, StoreEvents events, System.Logger logger) {
        this.directory = directory;
        this.events = events;
        this.logger = logger;
    }

    /** Ends the store's life as a log, and logs that; of several failures the first one counts. */
    void fail(String step, Throwable why) {
        mark(step, why);
        log();
    }

    /** As {@link #fail}, and says so also where another failure was first: that one may come of this one. */
    void placeIsLost(PlaceLostException found) {
        loss = found;
        fail("its place is lost", found);
        if (cause != found) {
            FailureLog.tell(logger, found.getMessage(), found);
        }
    }

    /** Refuses to tell which states there are, once the place is lost: another process may change what is there. */
    void checkNotLost() {
        PlaceLostException found = loss;
        if (found != null) {
            throw new StoreFailedException(
                    "the log is lost, so the store lists and looks up no states: another process may have changed them"
                            + " (" + found.getMessage() + "). End this process",
                    found);
        }
    }

    /** Ends the store's life as a log. {@link #log} must follow, when every caller that waits has been woken. */
    void mark(String step, Throwable why) {
        if (cause == null || cause == why) {
            failedStep = step;
            cause = why;
        }
    }

    /** Logs the failure once. Throws nothing, even if the logger does. */
    final void log() {
        try {
            if (isFirstLog()) {
                logNow();
            }
        } catch (Throwable noMemory) { // each caller gets an exception
        }
    }

    private synchronized boolean isFirstLog() {
        boolean isFirst = !isLogged;
        isLogged = true;
        return isFirst;
    }

    private void logNow() {
        try {
            events.failed(cause);
        } catch (Throwable unrecorded) { // the log is still to be written
        }
        FailureLog.tell(
                logger,
                cause instanceof PlaceLostException
                        ? cause.getMessage()
                        : "TALLY0501 the store in " + directory + " has failed stop: " + failedStep
                                + "; it refuses every mutation until it is opened again",
                cause);
    }

    /**
     * Checks that the store is sound.
     *
     * @throws StoreFailedException it is not, and nothing was written
     */
    void check() {
        if (cause != null) {
            throw refusal();
        }
    }

    /** The exception of a store that has failed; empty while it is sound. */
    Optional<StoreException> failure() {
        return cause == null ? Optional.empty() : Optional.of(refusal());
    }

    /** Says that nothing of an operation was written, because the store has failed. */
    StoreFailedException refusal() {
        return new StoreFailedException(
                "directory=" + directory + ": nothing was written, because the store has failed stop: " + failedStep
                        + " ("
                        + CauseText.of(cause)
                        + "); close the store, mend the cause and open it again: recovery finds the states on disk",
                cause);
    }

    /** Says that an operation may or may not be on disk, because the store has failed. */
    OutcomeUnknownException unknown() {
        return new OutcomeUnknownException(
                "directory=" + directory + ": it is unknown whether this is on disk, because " + failedStep + " ("
                        + CauseText.of(cause)
                        + "); do not take it for a failed commit: close the store, mend the cause and open it again,"
                        + " recovery finds the states on disk",
                cause);
    }
}
