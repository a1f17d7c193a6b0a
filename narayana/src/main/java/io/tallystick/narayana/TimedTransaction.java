package io.tallystick.narayana;

import com.arjuna.ats.arjuna.coordinator.ActionStatus;
import com.arjuna.ats.arjuna.coordinator.TxControl;
import com.arjuna.ats.internal.jta.transaction.arjunacore.TransactionImple;
import com.arjuna.ats.jta.common.jtaPropertyManager;
import io.tallystick.reaper.CancelOutcome;
import io.tallystick.reaper.ExpiryReason;
import io.tallystick.reaper.Reapable;
import io.tallystick.reaper.Registration;
import io.tallystick.reaper.TransactionReaper;
import jakarta.transaction.Status;
import jakarta.transaction.SystemException;
import java.time.Duration;

/** A {@link TimedAction} as JTA sees it, and as the reaper does. */
final class TimedTransaction extends TransactionImple implements Reapable {
    private static final boolean HAS_SUBTRANSACTIONS =
            jtaPropertyManager.getJTAEnvironmentBean().isSupportSubtransactions();

    private final TimedAction action;
    private final TransactionReaper reaper;

    private TimedTransaction(TimedAction action, TransactionReaper reaper) {
        super(action);
        this.action = action;
        this.reaper = reaper;
    }

    /** Whether the calling thread has a transaction and may not begin another. */
    static boolean isRefused() throws SystemException {
        if (HAS_SUBTRANSACTIONS) {
            return false;
        }
        TransactionImple current = getTransaction();
        return current != null && current.getStatus() != Status.STATUS_NO_TRANSACTION;
    }

    /**
     * Begins a new transaction on the calling thread.
     *
     * @param secondsOfThread the time limit of the calling thread; 0 is Narayana's default
     *     (CoordinatorEnvironmentBean.defaultTimeout), and none if that is 0 too
     * @throws SystemException the reaper is closed; nothing was begun
     * @throws OutOfMemoryError there is no thread to watch over it; nothing was begun
     */
    static void begin(TransactionReaper reaper, int secondsOfThread) throws SystemException {
        int seconds = secondsOfThread > 0 ? secondsOfThread : TxControl.getDefaultTimeout();
        begin(reaper, seconds, Duration.ofSeconds(seconds));
    }

    /** Begins with a limit that may be shorter than the seconds, which Narayana and resources see. */
    static void begin(TransactionReaper reaper, int seconds, Duration limit) throws SystemException {
        TimedAction action = new TimedAction();
        action.beginUnwatched(seconds);
        TimedTransaction transaction = new TimedTransaction(action, reaper);
        if (seconds > 0) {
            transaction.beWatched(limit);
        }
        putTransaction(transaction);
    }

    @Override
    public long getRemainingTimeoutMills() {
        Registration registration = action.registration();
        return registration == null ? 0 : reaper.remaining(registration).toMillis();
    }

    @Override
    public CancelOutcome cancel(ExpiryReason reason) {
        if (!action.running()) {
            return CancelOutcome.ENDED_BEFORE;
        }
        if (action.cancel() == ActionStatus.ABORTED) {
            if (reason == ExpiryReason.TIMEOUT) {
                TimeoutCount.increment();
            }
            return CancelOutcome.CANCELLED;
        }
        return action.running() ? CancelOutcome.REFUSED : CancelOutcome.ENDED_BEFORE;
    }

    /**
     * Narayana's method waits for the lock that a rollback holds. So it is not called for a transaction that is being
     * rolled back and cannot commit any more.
     */
    @Override
    public boolean preventCommit() {
        return action.running() && action.preventCommit();
    }

    private void beWatched(Duration limit) throws SystemException {
        try {
            action.watchedBy(reaper.register(this, limit));
        } catch (IllegalStateException closed) {
            action.abort();
            SystemException failure = new SystemException(closed.getMessage());
            failure.initCause(closed);
            throw failure;
        } catch (OutOfMemoryError noThread) {
            action.abort();
            throw noThread;
        }
    }
}
