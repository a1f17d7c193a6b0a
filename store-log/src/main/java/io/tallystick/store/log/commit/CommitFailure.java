package io.tallystick.store.log.commit;

import io.tallystick.storage.PlaceLostException;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFailedException;
import io.tallystick.store.StoreFencedException;
import io.tallystick.store.log.spi.RecordLog;
import io.tallystick.store.spi.CauseText;

/**
 * The exceptions of a store that has failed. They are made where they are thrown, because there may be no memory
 * for them when the store fails. So each has the stack of the thread that gets it.
 */
final class CommitFailure {
    private CommitFailure() {}

    /** Whether this takes the log from its store: another owner has it, its place is gone, or it went back in time. */
    static boolean isLoss(Throwable cause) {
        return cause instanceof PlaceLostException
                || cause instanceof RecordLog.LogLostException
                || cause instanceof RecordLog.NotWrittenException proof && proof.isFenced();
    }

    /** Says that the store does not tell any more what it holds. */
    static StoreException silence(Throwable loss) {
        String message = "the log is lost, so the store lists and looks up no states: another process may have changed"
                + " them (" + CauseText.of(loss) + "). End this process";
        return loss instanceof RecordLog.NotWrittenException
                ? new StoreFencedException(message, loss)
                : new StoreFailedException(message, loss);
    }

    /** Says that nothing of the operation was written. */
    static StoreException refusal(Throwable cause) {
        if (cause instanceof RecordLog.NotWrittenException proof && proof.isFenced()) {
            return new StoreFencedException(proof.getMessage(), proof);
        }
        return new StoreFailedException(
                "the store has failed stop after: " + CauseText.of(cause)
                        + "; nothing was written by this operation. Close the store, mend the cause, and open it again:"
                        + " recovery finds the states on disk",
                cause);
    }

    /** Says that the operation may be on disk. */
    static OutcomeUnknownException unknown(Throwable cause) {
        return new OutcomeUnknownException(
                "the outcome of this operation is unknown, because a write of the log failed while it was in flight: "
                        + CauseText.of(cause)
                        + "; do not take it for a rollback. Close the store, mend the cause, and open it again:"
                        + " recovery finds the states on disk",
                cause);
    }
}
