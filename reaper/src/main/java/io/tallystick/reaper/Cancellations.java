package io.tallystick.reaper;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The calls that a worker makes: it cancels a transaction whose time is over, reports one that is stuck, and tells the
 * listener. Nothing that user code throws leaves them, and neither does a lack of memory.
 *
 * <p>The registration of an expired transaction is already marked, so that its owner cannot end it any more. So nothing
 * that may fail comes before {@link Reapable#cancel}, and nothing that fails behind it keeps {@link
 * Reapable#preventCommit} from being called.
 */
final class Cancellations {
    private final ReaperListener listener;
    private final ReaperLog log;
    private final AtomicLong failed = new AtomicLong();

    Cancellations(ReaperListener listener, ReaperLog log) {
        this.listener = listener;
        this.log = log;
    }

    /** How many transactions could not be rolled back. */
    long failed() {
        return failed.get();
    }

    void expire(Registration registration, Reapable transaction, long latenessNanos) {
        ExpiryReason reason = latenessNanos >= 0 ? ExpiryReason.TIMEOUT : ExpiryReason.CLOSE;
        CancelOutcome outcome = CancelOutcome.REFUSED;
        Throwable failure = null;
        Object event = begunOrNull();
        try {
            outcome = Objects.requireNonNull(transaction.cancel(reason), "cancel() returned null");
        } catch (Throwable thrown) { // told to the listener; this thread must go on for the other transactions
            failure = thrown;
        }
        if (outcome == CancelOutcome.REFUSED) {
            failed.incrementAndGet();
            preventCommit(transaction);
        }
        try {
            Expiry expiry = new Expiry(
                    transaction,
                    reason,
                    registration.timeout(),
                    Duration.ofNanos(latenessNanos),
                    outcome,
                    Optional.ofNullable(failure),
                    registration.ownerStack());
            record(event, expiry);
            listener.expired(expiry);
        } catch (Throwable thrown) {
            listenerThrew(thrown);
        }
    }

    /** Reports a cancellation that does not come back. */
    void report(WedgedCancel wedged) {
        try {
            listener.wedged(wedged);
        } catch (Throwable thrown) {
            listenerThrew(thrown);
        }
        preventCommit(wedged.transaction());
    }

    private void preventCommit(Reapable transaction) {
        try {
            if (!transaction.preventCommit()) {
                return;
            }
        } catch (Throwable thrown) {
            preventCommitThrew(transaction, thrown);
            return;
        }
        try {
            listener.commitPrevented(transaction);
        } catch (Throwable thrown) {
            listenerThrew(thrown);
        }
    }

    private void preventCommitThrew(Reapable transaction, Throwable thrown) {
        String text = "TALLY0608 preventCommit() threw; the transaction is not rolled back and may yet commit";
        try {
            text = text + ": " + transaction;
        } catch (Throwable unnamed) { // the line without the name
        }
        log.tell(Level.ERROR, text, thrown);
    }

    private void listenerThrew(Throwable thrown) {
        log.tell(Level.ERROR, "TALLY0609 the reaper's listener threw; transactions are not affected", thrown);
    }

    /** Null also where the recorder fails: an event is worth no transaction. */
    private static @Nullable Object begunOrNull() {
        try {
            return ExpiryEvents.begun();
        } catch (Throwable unrecorded) {
            return null;
        }
    }

    private void record(@Nullable Object eventOrNull, Expiry expiry) {
        if (eventOrNull == null) {
            return;
        }
        try {
            ExpiryEvents.ended(eventOrNull, expiry);
        } catch (Throwable thrown) {
            log.tell(Level.ERROR, "TALLY0609 the flight recorder threw; transactions are not affected", thrown);
        }
    }
}
