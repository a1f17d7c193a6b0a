package io.tallystick.narayana;

import com.arjuna.ats.internal.jta.transaction.arjunacore.UserTransactionImple;
import io.tallystick.reaper.TransactionReaper;
import jakarta.transaction.NotSupportedException;
import jakarta.transaction.SystemException;
import java.util.Objects;

/**
 * Narayana's user transaction, for use beside {@link TallystickTransactionManager}; see there.
 *
 * <p>It may be bound to JNDI as Narayana's is. A copy that comes out of serialization uses the reaper of its process.
 */
public final class TallystickUserTransaction extends UserTransactionImple {
    private static final long serialVersionUID = 1;

    private final transient TransactionReaper reaper;

    /**
     * With the reaper of this process, which is configured by {@code tallystick.reaper.*}.
     *
     * @throws IllegalArgumentException one of these keys is unknown or has a bad value
     */
    public TallystickUserTransaction() {
        this(SharedReaper.ofThisProcess());
    }

    /** With this reaper. The caller closes it when no transaction is open any more. */
    public TallystickUserTransaction(TransactionReaper reaper) {
        this.reaper = Objects.requireNonNull(reaper, "reaper");
    }

    /** As {@link TallystickTransactionManager#begin}. */
    @Override
    public void begin() throws NotSupportedException, SystemException {
        if (TimedTransaction.isRefused()) {
            super.begin(); // throws the exception of Narayana
        } else {
            TimedTransaction.begin(reaper, getTimeout());
        }
    }

    private Object readResolve() {
        return new TallystickUserTransaction();
    }
}
