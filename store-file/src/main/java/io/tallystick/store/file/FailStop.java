package io.tallystick.store.file;

import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFailedException;
import io.tallystick.store.spi.StoreEvents;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** Whether the store has failed stop, and the two exceptions that say so. */
final class FailStop {
    private static final System.Logger LOG = System.getLogger(FileStore.class.getName());

    private record Failure(String what, Throwable cause) {}

    private final Path directory;
    private final StoreEvents events;
    private final AtomicReference<Failure> first = new AtomicReference<>();

    FailStop(Path directory, StoreEvents events) {
        this.directory = directory;
        this.events = events;
    }

    /** Ends the store's life as a log; of several failures the first one counts. */
    void fail(String what, Throwable cause) {
        if (first.compareAndSet(null, new Failure(what, cause))) {
            LOG.log(
                    System.Logger.Level.ERROR,
                    "TALLY0501 the store in " + directory + " has failed stop: " + what
                            + "; it refuses every mutation until it is opened again",
                    cause);
            events.failed(cause);
        }
    }

    /**
     * Returns if the store is sound.
     *
     * @throws StoreFailedException it is not, and nothing was written
     */
    void check() {
        if (first.get() != null) {
            throw refusal();
        }
    }

    /** What {@code failure()} of the store answers. */
    Optional<StoreException> failure() {
        return first.get() == null ? Optional.empty() : Optional.of(refusal());
    }

    /** For an operation of which nothing was written, because the store has failed. */
    StoreFailedException refusal() {
        Failure failure = first.get();
        return new StoreFailedException(
                "directory=" + directory + ": nothing was written, because the store has failed stop: " + failure.what
                        + " (" + failure.cause
                        + "); close the store, mend the cause and open it again: recovery tells what is on disk",
                failure.cause);
    }

    /** For an operation that may or may not be on disk, because the store has failed. */
    OutcomeUnknownException unknown() {
        Failure failure = first.get();
        return new OutcomeUnknownException(
                "directory=" + directory + ": it is unknown whether this is on disk, because " + failure.what + " ("
                        + failure.cause
                        + "); do not take it for a failed commit: close the store, mend the cause and open it again,"
                        + " recovery tells what is on disk",
                failure.cause);
    }
}
