package io.tallystick.narayana.drain;

import static org.assertj.core.api.Assertions.assertThat;

import com.arjuna.ats.arjuna.coordinator.BasicAction;
import com.arjuna.ats.arjuna.coordinator.TxControl;
import com.arjuna.ats.internal.jta.transaction.arjunacore.TransactionManagerImple;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.Collection;
import java.util.ConcurrentModificationException;
import java.util.Hashtable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class OpenTransactionsTest {
    private final AtomicLong now = new AtomicLong();
    private final OpenTransactions transactions = new OpenTransactions(now::get);

    @Test
    void aTransactionWithoutALimitThatNobodyEndsIsToldWithItsAgeAndItsThread() throws Exception {
        int limit = TxControl.getDefaultTimeout();
        TxControl.setDefaultTimeout(0);
        ExecutorService pool = Executors.newSingleThreadExecutor(task -> new Thread(task, "http-7"));
        TransactionManagerImple manager = new TransactionManagerImple();
        try {
            String uid = pool.submit(() -> {
                        manager.begin();
                        return com.arjuna.ats.internal.jta.transaction.arjunacore.TransactionImple.getTransaction()
                                .get_uid()
                                .toString();
                    })
                    .get();
            assertThat(transactions.oldest().orElseThrow().age()).isZero();
            now.set(Duration.ofHours(6).toNanos());
            manager.begin();
            assertThat(transactions.oldest()).hasValueSatisfying(oldest -> assertThat(oldest)
                    .hasToString("age=PT6H uid=" + uid + " threads=[http-7]"));
            pool.submit(() -> {
                        manager.rollback();
                        return null;
                    })
                    .get();
            assertThat(transactions.oldest().orElseThrow().age())
                    .as("the next one")
                    .isZero();
            manager.rollback();
            assertThat(transactions.oldest()).isEmpty();
        } finally {
            TxControl.setDefaultTimeout(limit);
            pool.shutdown();
        }
    }

    /** A thread that joins or leaves a transaction meanwhile would end the look with an exception. */
    @Test
    void theThreadsOfALivingTransactionAreReadUnderTheLockOfTheirTable() throws Exception {
        TransactionManagerImple manager = new TransactionManagerImple();
        manager.begin();
        try {
            Field threads = BasicAction.class.getDeclaredField("_childThreads");
            threads.setAccessible(true);
            threads.set(BasicAction.Current(), new Guarded());

            assertThat(transactions.oldest().orElseThrow().threads())
                    .containsExactly(Thread.currentThread().getName());
        } finally {
            manager.rollback();
        }
    }

    private static final class Guarded extends Hashtable<String, Thread> {
        private static final long serialVersionUID = 1L;

        Guarded() {
            put("this", Thread.currentThread());
        }

        @Override
        public Collection<Thread> values() {
            if (!Thread.holdsLock(this)) {
                throw new ConcurrentModificationException("another thread may change it now");
            }
            return super.values();
        }
    }
}
