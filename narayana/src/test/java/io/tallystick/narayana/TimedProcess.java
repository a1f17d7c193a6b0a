package io.tallystick.narayana;

import com.arjuna.ats.jta.TransactionManager;
import com.arjuna.ats.jta.UserTransaction;
import jakarta.transaction.RollbackException;
import jakarta.transaction.Synchronization;
import java.util.concurrent.CountDownLatch;

/** A process with the transaction manager that Narayana's properties choose, and a transaction that takes too long. */
final class TimedProcess {
    private TimedProcess() {}

    public static void main(String[] arguments) throws Exception {
        var manager = TransactionManager.transactionManager();
        var user = UserTransaction.userTransaction();
        System.out.println("manager: " + manager.getClass().getSimpleName());
        System.out.println("user: " + user.getClass().getSimpleName());
        user.begin();
        CountDownLatch rolledBack = new CountDownLatch(1);
        manager.getTransaction().registerSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {
                System.out.println("never");
            }

            @Override
            public void afterCompletion(int status) {
                System.out.println("rolled back by: " + Thread.currentThread().getName());
                rolledBack.countDown();
            }
        });
        waitForTheEnd(rolledBack);
        try {
            user.commit();
        } catch (RollbackException expected) {
            System.out.println("commit: " + expected.getClass().getSimpleName());
        }
        awaitWorkers();
        user.begin(); // and leave it open
    }

    private static void waitForTheEnd(CountDownLatch rolledBack) throws InterruptedException {
        rolledBack.await();
    }

    /** The listener hears after the transaction; this waits until it has spoken. */
    private static void awaitWorkers() {
        while (SharedReaper.ofThisProcess().statistics().workers() > 0) {
            Thread.onSpinWait();
        }
    }
}
