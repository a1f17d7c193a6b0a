package io.tallystick.narayana;

import com.arjuna.ats.arjuna.coordinator.ActionStatus;
import com.arjuna.ats.arjuna.coordinator.TxControl;
import com.arjuna.ats.arjuna.coordinator.TxStats;
import com.arjuna.ats.internal.jta.transaction.arjunacore.TransactionImple;
import com.arjuna.ats.jta.common.jtaPropertyManager;
import io.tallystick.reaper.CancelOutcome;
import io.tallystick.reaper.ExpiryReason;
import io.tallystick.reaper.Reapable;
import io.tallystick.reaper.Registration;
import io.tallystick.reaper.TransactionReaper;
import jakarta.transaction.Status;
import jakarta.transaction.SystemException;
import java.lang.System.Logger.Level;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Optional;

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

    /**
     * Narayana's own count of transactions that were rolled back because of their time limit ({@code TxStats}). Users
     * have it in their dashboards. Narayana's reaper raises it, and so does ours. The method is not public, so it is
     * called by reflection.
     */
    private static final class TimeoutCount {
        private static final System.Logger LOG = System.getLogger(TallystickTransactionManager.class.getName());

        private TimeoutCount() {}

        /**
         * Raises the count if Narayana's statistics are on. It never throws, because the transaction is rolled back
         * already.
         */
        static void increment() {
            if (TxStats.enabled()) {
                Reached.METHOD.ifPresent(TimeoutCount::call);
            }
        }

        private static void call(Method method) {
            try {
                method.invoke(TxStats.getInstance());
            } catch (ReflectiveOperationException | RuntimeException refused) {
                LOG.log(Level.DEBUG, "a timeout was not counted", refused);
            }
        }

        /** A class of its own, so that the method is looked up, and a failure logged, only while statistics are on. */
        private static final class Reached {
            static final Optional<Method> METHOD = find();

            private static Optional<Method> find() {
                try {
                    Method method = TxStats.class.getDeclaredMethod("incrementTimeouts");
                    method.setAccessible(true);
                    return Optional.of(method);
                } catch (ReflectiveOperationException | RuntimeException missing) {
                    LOG.log(
                            Level.WARNING,
                            "TALLY0417 Narayana's count of timed-out transactions cannot be raised in this version of"
                                    + " it, and stays as it is; the reaper's own statistics count them",
                            missing);
                    return Optional.empty();
                }
            }
        }
    }
}
