package io.tallystick.benchmarks.subject;

import com.arjuna.ats.arjuna.AtomicAction;
import com.arjuna.ats.arjuna.common.Uid;
import com.arjuna.ats.arjuna.coordinator.BasicAction;
import com.arjuna.ats.arjuna.coordinator.TransactionReaper;
import com.arjuna.ats.arjuna.exceptions.ObjectStoreException;
import com.arjuna.ats.arjuna.objectstore.StateStatus;
import com.arjuna.ats.arjuna.objectstore.StoreManager;
import com.arjuna.ats.internal.jta.transaction.arjunacore.TransactionImple;
import io.tallystick.narayana.TallystickTransactionManager;
import jakarta.transaction.SystemException;
import jakarta.transaction.TransactionManager;
import javax.transaction.xa.Xid;
import org.apache.activemq.artemis.nativo.jlibaio.LibaioContext;

/**
 * Proves before a measurement that the transaction manager uses the store that the result will name. It checks the
 * store's class and its native library. It also checks that the record of a two-phase commit is in the store while the
 * resources commit.
 */
public final class SubjectProof {
    private SubjectProof() {}

    public static void prove(Subject subject, TransactionManager transactionManager) throws Exception {
        String storeClass = StoreManager.getTxLog().getClass().getName();
        require(storeClass.equals(subject.storeClass()), subject, "the transaction manager uses " + storeClass);
        if (subject.needs() == Subject.Needs.ARTEMIS_NATIVE) {
            require(LibaioContext.isLoaded(), subject, "the AIO library of artemis-native is not loaded");
        }
        LogObserver observer = new LogObserver();
        transactionManager.begin();
        TransactionImple transaction = (TransactionImple) transactionManager.getTransaction();
        observer.transaction = transaction.get_uid();
        proveTimeLimit(subject, transactionManager, transaction);
        transaction.enlistResource(new DummyResource());
        transaction.enlistResource(observer);
        transactionManager.commit();
        require(
                observer.statusWhileCommitting == StateStatus.OS_COMMITTED,
                subject,
                "there is no log record while resources commit (status " + observer.statusWhileCommitting + ")");
        int after = statusOf(observer.transaction);
        require(after == StateStatus.OS_UNKNOWN, subject, "the log record exists after the commit");
    }

    private static void proveTimeLimit(
            Subject subject, TransactionManager transactionManager, TransactionImple transaction)
            throws SystemException {
        int limit = Integer.parseInt(subject.settings().getOrDefault(Subject.DEFAULT_TIMEOUT, "0"));
        boolean isOurs = transactionManager instanceof TallystickTransactionManager;
        boolean isKept = TransactionReaper.transactionReaper().getTimeout(BasicAction.Current()) > 0;
        require(
                isOurs == subject.settings().containsKey(Subject.MANAGER),
                subject,
                "the transaction manager is " + transactionManager.getClass().getName());
        require(
                Math.max(0, transaction.getTimeout()) == limit,
                subject,
                "a transaction has a time limit of " + transaction.getTimeout() + " s");
        require(
                isKept == (subject.limits() == Subject.TimeLimits.NARAYANA),
                subject,
                "Narayana's reaper " + (isKept ? "knows" : "does not know") + " the transaction");
    }

    private static int statusOf(Uid transaction) throws ObjectStoreException {
        return StoreManager.getRecoveryStore().currentState(transaction, new AtomicAction().type());
    }

    private static void require(boolean condition, Subject subject, String otherwise) {
        if (!condition) {
            throw new IllegalStateException("store=" + subject.name() + ": " + otherwise);
        }
    }

    /** A resource that reads the log when it commits. */
    private static final class LogObserver extends DummyResource {
        private Uid transaction;
        private int statusWhileCommitting = Integer.MIN_VALUE;

        @Override
        public void commit(Xid xid, boolean onePhase) {
            try {
                statusWhileCommitting = statusOf(transaction);
            } catch (ObjectStoreException unreadable) {
                throw new IllegalStateException("the log cannot be read", unreadable);
            }
        }
    }
}
