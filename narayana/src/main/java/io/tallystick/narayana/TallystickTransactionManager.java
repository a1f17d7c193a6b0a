package io.tallystick.narayana;

import com.arjuna.ats.internal.jta.transaction.arjunacore.TransactionManagerImple;
import io.tallystick.reaper.TransactionReaper;
import jakarta.transaction.NotSupportedException;
import jakarta.transaction.SystemException;
import java.util.Objects;

/**
 * Narayana's transaction manager with the time limits kept by a {@link TransactionReaper} instead of Narayana's own.
 * Chosen with
 *
 * <pre>
 * -DJTAEnvironmentBean.transactionManagerClassName=io.tallystick.narayana.TallystickTransactionManager
 * -DJTAEnvironmentBean.userTransactionClassName=io.tallystick.narayana.TallystickUserTransaction
 * </pre>
 *
 * <p>A thread of the reaper's rolls back a transaction that exceeds its time, as Narayana would do it. A thread that
 * commits it afterwards gets {@code RollbackException}. All else is Narayana's. Transactions that are imported ({@code
 * createSubordinate}, JCA inflow) keep to Narayana's reaper.
 */
public final class TallystickTransactionManager extends TransactionManagerImple {
    private final TransactionReaper reaper;

    /**
     * With the reaper of this process, which is configured by {@code tallystick.reaper.*}.
     *
     * @throws IllegalArgumentException one of these keys is unknown or has a bad value
     */
    public TallystickTransactionManager() {
        this(SharedReaper.ofThisProcess());
    }

    /** With a reaper of the caller's, who closes it when no transaction is open any more. */
    public TallystickTransactionManager(TransactionReaper reaper) {
        this.reaper = Objects.requireNonNull(reaper, "reaper");
    }

    /**
     * Begins a transaction with the time limit that {@link #setTransactionTimeout} gave the calling thread, or
     * Narayana's default.
     *
     * @throws NotSupportedException the thread has a transaction
     * @throws SystemException the reaper is closed
     * @throws OutOfMemoryError there is no thread to watch over it
     */
    @Override
    public void begin() throws NotSupportedException, SystemException {
        if (TimedTransaction.isRefused()) {
            super.begin(); // says so
        } else {
            TimedTransaction.begin(reaper, getTimeout());
        }
    }
}
