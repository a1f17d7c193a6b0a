package io.tallystick.store.file;

import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFailedException;
import io.tallystick.store.spi.CauseText;
import io.tallystick.store.spi.FailureLog;
import io.tallystick.store.spi.StoreEvents;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Whether the store has failed stop, and the two exceptions that say so.
 *
 * <p>To fail is one assignment, which needs neither memory nor stack. The rest, the exceptions and the log, may fail
 * itself.
 */
class FailStop {
    private final Path directory;
    private final StoreEvents events;
    private final System.Logger logger;

    private volatile String what = "an operation failed";

    /**
     * What the store has failed for, or null while it is sound. A thread that fails assigns it if it is null, and no
     * thread sets it back. Of two threads that fail at the same moment either one stays.
     */
    volatile Throwable cause;

    // Guarded by the monitor.
    private boolean isTold;

    FailStop(Path directory, StoreEvents events) {
        this(directory, events, System.getLogger(FileStore.class.getName()));
    }

    FailStop(Path directory, StoreEvents events, System.Logger logger) {
        this.directory = directory;
        this.events = events;
        this.logger = logger;
    }

    /** Ends the store's life as a log, and logs that; of several failures the first one counts. */
    void fail(String what, Throwable cause) {
        mark(what, cause);
        tell();
    }

    /** Ends the store's life as a log. {@link #tell} must follow, when every caller that waits has been woken. */
    void mark(String whatFailed, Throwable why) {
        if (cause == null || cause == why) {
            what = whatFailed;
            cause = why;
        }
    }

    /** Logs the failure, once. Throws nothing, whatever the logger does. */
    final void tell() {
        try {
            if (isUntold()) {
                log();
            }
        } catch (Throwable noMemory) { // each caller is told by its exception
        }
    }

    private synchronized boolean isUntold() {
        boolean isFirst = !isTold;
        isTold = true;
        return isFirst;
    }

    private void log() {
        try {
            events.failed(cause);
        } catch (Throwable untold) { // the log is still to be written
        }
        FailureLog.tell(
                logger,
                "TALLY0501 the store in " + directory + " has failed stop: " + what
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

    /** What {@code failure()} of the store answers. */
    Optional<StoreException> failure() {
        return cause == null ? Optional.empty() : Optional.of(refusal());
    }

    /** For an operation of which nothing was written, because the store has failed. */
    StoreFailedException refusal() {
        return new StoreFailedException(
                "directory=" + directory + ": nothing was written, because the store has failed stop: " + what + " ("
                        + CauseText.of(cause)
                        + "); close the store, mend the cause and open it again: recovery tells what is on disk",
                cause);
    }

    /** For an operation that may or may not be on disk, because the store has failed. */
    OutcomeUnknownException unknown() {
        return new OutcomeUnknownException(
                "directory=" + directory + ": it is unknown whether this is on disk, because " + what + " ("
                        + CauseText.of(cause)
                        + "); do not take it for a failed commit: close the store, mend the cause and open it again,"
                        + " recovery tells what is on disk",
                cause);
    }
}
