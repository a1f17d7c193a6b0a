package io.tallystick.narayana;

import com.arjuna.ats.internal.jta.transaction.arjunacore.TransactionManagerImple;
import io.tallystick.reaper.TransactionReaper;
import jakarta.transaction.NotSupportedException;
import jakarta.transaction.SystemException;
import java.util.Objects;

/**
 * Narayana's transaction manager with the time limits kept by a {@link TransactionReaper} instead of Narayana's own.
 * These properties choose it:
 *
 * <pre>
 * -DJTAEnvironmentBean.transactionManagerClassName=io.tallystick.narayana.TallystickTransactionManager
 * -DJTAEnvironmentBean.userTransactionClassName=io.tallystick.narayana.TallystickUserTransaction
 * </pre>
 *
 * <p>A thread of the reaper's rolls back a transaction that exceeds its time, as Narayana would do it. A thread that
 * commits it afterwards gets {@code RollbackException}. Narayana does everything else. Its reaper also keeps the time
 * limits of imported transactions ({@code createSubordinate}, JCA inflow).
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

    /** With this reaper. The caller closes it when no transaction is open any more. */
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
            super.begin(); // throws the exception of Narayana
        } else {
            TimedTransaction.begin(reaper, getTimeout());
        }
    }
}
