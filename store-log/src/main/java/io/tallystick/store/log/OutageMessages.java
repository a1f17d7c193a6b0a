package io.tallystick.store.log;

import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StoreFailedException;
import io.tallystick.store.log.ReopeningStore.Reopener;
import io.tallystick.store.spi.CauseText;
import org.jspecify.annotations.Nullable;

/** What callers of a {@link ReopeningStore} hear because of an outage. */
final class OutageMessages {
    private final Reopener reopener;

    OutageMessages(Reopener reopener) {
        this.reopener = reopener;
    }

    /** While it is recovering: the operation was not begun. */
    StoreFailedException recovering(@Nullable Throwable cause) {
        String obstacle = reopener.obstacle();
        return new StoreFailedException(
                "the store is recovering from an outage of its database: " + CauseText.of(cause)
                        + "; nothing was written by this operation. It serves again by itself when it has found the"
                        + " log of " + reopener.place() + " whole"
                        + (obstacle.isEmpty() ? "" : "; the last try ended with: " + obstacle),
                cause);
    }

    /** Nobody knows yet what became of the operation, and its caller does not wait for that. */
    OutcomeUnknownException unknown(OutcomeUnknownException unknown) {
        return new OutcomeUnknownException(
                "the outcome of this operation is unknown: " + CauseText.of(unknown.getCause())
                        + "; do not take it for a rollback. The store looks for its database, and names with"
                        + " TALLY0342 what it finds to be written",
                unknown.getCause());
    }

    /** The log is known again, and the operation is not in it. */
    StoreFailedException notWritten(OutcomeUnknownException unknown) {
        return new StoreFailedException(
                "the database of " + reopener.place() + " gave no answer in time ("
                        + CauseText.of(unknown.getCause())
                        + "); it is back, and it is proven that nothing was written by this operation. Try"
                        + " again, or roll back",
                unknown.getCause());
    }
}
