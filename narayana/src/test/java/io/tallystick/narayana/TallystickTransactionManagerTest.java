package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.arjuna.ats.arjuna.common.Uid;
import com.arjuna.ats.arjuna.common.arjPropertyManager;
import com.arjuna.ats.arjuna.coordinator.BasicAction;
import com.arjuna.ats.arjuna.coordinator.TxControl;
import com.arjuna.ats.arjuna.coordinator.TxStats;
import com.arjuna.ats.arjuna.coordinator.listener.ReaperMonitor;
import com.arjuna.ats.internal.jta.transaction.arjunacore.TransactionImple;
import com.arjuna.ats.internal.jta.transaction.arjunacore.TransactionManagerImple;
import io.tallystick.reaper.CancelOutcome;
import io.tallystick.reaper.CloseMode;
import io.tallystick.reaper.Expiry;
import io.tallystick.reaper.ExpiryReason;
import io.tallystick.reaper.ReaperListener;
import io.tallystick.reaper.ReaperOptions;
import io.tallystick.reaper.TransactionReaper;
import io.tallystick.reaper.WedgedCancel;
import io.tallystick.storage.ChildJvm;
import jakarta.transaction.RollbackException;
import jakarta.transaction.Status;
import jakarta.transaction.SystemException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What our transaction manager does that Narayana's has no answer for; {@link TransactionManagerOracleTest} has the
 * rest.
 */
class TallystickTransactionManagerTest {
    private final BlockingQueue<Expiry> expiries = new LinkedBlockingQueue<>();
    private final BlockingQueue<WedgedCancel> wedges = new LinkedBlockingQueue<>();
    private final TransactionReaper reaper = TransactionReaper.open(ReaperOptions.builder()
            .precision(Duration.ofMillis(10))
            .wedgedAfter(Duration.ofMillis(200))
            .listener(new ReaperListener() {
                @Override
                public void expired(Expiry expiry) {
                    expiries.add(expiry);
                }

                @Override
                public void wedged(WedgedCancel wedged) {
                    wedges.add(wedged);
                }
            })
            .build());
    private final TallystickTransactionManager manager = new TallystickTransactionManager(reaper);

    @AfterEach
    void close() throws Exception {
        manager.suspend();
        manager.setTransactionTimeout(0);
        reaper.close(CloseMode.EXPIRE_OPEN, Duration.ofSeconds(10));
    }

    @Test
    void aTransactionThatEndsIsTakenFromTheReaper() throws Exception {
        manager.begin();
        manager.commit();
        manager.begin();
        manager.rollback();
        manager.begin();
        manager.getTransaction().commit();
        manager.suspend();
        manager.begin();
        manager.getTransaction().rollback();
        manager.suspend();

        assertThat(reaper.statistics().registered()).isEqualTo(4);
        assertThat(reaper.close(CloseMode.WAIT_FOR_OPEN, Duration.ofSeconds(30)))
                .as("nothing is open")
                .isTrue();
        assertThat(expiries).isEmpty();
    }

    @Test
    void theListenerHearsOfATransactionThatWasTooLate() throws Exception {
        manager.setTransactionTimeout(1);
        manager.begin();
        Object transaction = manager.getTransaction();

        Expiry expiry = expiries.poll(30, TimeUnit.SECONDS);

        assertThat(expiry.transaction()).isSameAs(transaction);
        assertThat(expiry.reason()).isEqualTo(ExpiryReason.TIMEOUT);
        assertThat(expiry.outcome()).isEqualTo(CancelOutcome.CANCELLED);
        assertThat(manager.getStatus()).isEqualTo(Status.STATUS_ROLLEDBACK);
        assertThatThrownBy(manager::commit).isInstanceOf(RollbackException.class);
    }

    @Test
    void narayanasStatisticsCountATimeoutOnceAsTheyDoWithNarayanasOwnReaper() throws Exception {
        boolean before = statistics(true);
        try {
            List<Long> narayanas = countedDuring(this::expireWithNarayana);
            List<Long> ours = countedDuring(this::expireWithUs);

            assertThat(narayanas)
                    .as("timed out, aborted, application's rollbacks")
                    .containsExactly(1L, 1L, 1L);
            assertThat(ours).isEqualTo(narayanas);
        } finally {
            statistics(before);
        }
    }

    @Test
    void whatIsRolledBackBeforeItsTimeIsNoTimeoutInNarayanasStatistics() throws Exception {
        boolean before = statistics(true);
        try {
            assertThat(countedDuring(() -> {
                        manager.begin();
                        reaper.close(CloseMode.EXPIRE_OPEN, Duration.ofSeconds(30));
                        assertThat(expiries.remove().outcome()).isEqualTo(CancelOutcome.CANCELLED);
                    }))
                    .containsExactly(0L, 1L, 1L);
        } finally {
            statistics(before);
        }
    }

    @Test
    void narayanasStatisticsStayAsTheyAreWhileTheyAreOff() throws Exception {
        boolean before = statistics(false);
        try {
            assertThat(countedDuring(this::expireWithUs)).containsExactly(0L, 0L, 0L);
        } finally {
            statistics(before);
        }
    }

    private void expireWithUs() throws Exception {
        manager.setTransactionTimeout(1);
        manager.begin();
        assertThat(expiries.poll(30, TimeUnit.SECONDS).outcome()).isEqualTo(CancelOutcome.CANCELLED);
        manager.suspend();
    }

    private void expireWithNarayana() throws Exception {
        CountDownLatch expired = new CountDownLatch(1);
        ReaperMonitor monitor = new ReaperMonitor() {
            @Override
            public void rolledBack(Uid transaction) {
                expired.countDown();
            }

            @Override
            public void markedRollbackOnly(Uid transaction) {}
        };
        TransactionManagerImple narayana = new TransactionManagerImple();
        com.arjuna.ats.arjuna.coordinator.TransactionReaper.transactionReaper().addListener(monitor);
        try {
            narayana.setTransactionTimeout(1);
            narayana.begin();
            assertThat(expired.await(30, TimeUnit.SECONDS)).isTrue();
            narayana.suspend();
        } finally {
            narayana.setTransactionTimeout(0);
            com.arjuna.ats.arjuna.coordinator.TransactionReaper.transactionReaper()
                    .removeListener(monitor);
        }
    }

    private static List<Long> countedDuring(Step step) throws Exception {
        List<Long> before = counts();
        step.run();
        List<Long> after = counts();
        return List.of(after.get(0) - before.get(0), after.get(1) - before.get(1), after.get(2) - before.get(2));
    }

    private static List<Long> counts() {
        TxStats counted = TxStats.getInstance();
        return List.of(
                counted.getNumberOfTimedOutTransactions(),
                counted.getNumberOfAbortedTransactions(),
                counted.getNumberOfApplicationRollbacks());
    }

    private static boolean statistics(boolean on) {
        boolean before = arjPropertyManager.getCoordinatorEnvironmentBean().isEnableStatistics();
        arjPropertyManager.getCoordinatorEnvironmentBean().setEnableStatistics(on);
        return before;
    }

    private interface Step {
        void run() throws Exception;
    }

    @Test
    void closingTheReaperRollsBackWhatIsOpen() throws Exception {
        manager.begin();

        assertThat(reaper.close(CloseMode.EXPIRE_OPEN, Duration.ofSeconds(30))).isTrue();

        assertThat(expiries.remove().reason()).isEqualTo(ExpiryReason.CLOSE);
        assertThatThrownBy(manager::commit).isInstanceOf(RollbackException.class);
    }

    @Test
    void withAClosedReaperNothingBegins() throws Exception {
        reaper.close();

        assertThatThrownBy(manager::begin)
                .isInstanceOf(SystemException.class)
                .hasMessageContaining("the reaper is closed")
                .hasCauseInstanceOf(IllegalStateException.class);

        assertThat(manager.getStatus()).isEqualTo(Status.STATUS_NO_TRANSACTION);
        assertThat(BasicAction.Current()).isNull();
    }

    @Test
    void aResourceThatDoesNotRollBackIsReportedAndDelaysNoOther() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        manager.setTransactionTimeout(1);
        manager.begin();
        manager.getTransaction().enlistResource(new StuckResource(release, interrupted));
        manager.suspend();

        WedgedCancel wedged = wedges.poll(30, TimeUnit.SECONDS);
        assertThat(wedged.stack()).anyMatch(frame -> frame.getClassName().equals(StuckResource.class.getName()));

        manager.begin();
        assertThat(expiries.poll(30, TimeUnit.SECONDS).outcome()).isEqualTo(CancelOutcome.CANCELLED);
        release.countDown();
        assertThat(expiries.poll(30, TimeUnit.SECONDS).outcome()).isEqualTo(CancelOutcome.CANCELLED);
        assertThat(interrupted.getCount()).isEqualTo(1);
        assertThat(reaper.statistics().wedgedEver())
                .as("preventCommit() did not wedge too")
                .isEqualTo(1);
    }

    @Test
    void withoutADefaultTimeLimitATransactionHasNone() throws Exception {
        int usual = TxControl.getDefaultTimeout();
        TxControl.setDefaultTimeout(0);
        try {
            manager.begin();
        } finally {
            TxControl.setDefaultTimeout(usual);
        }
        TransactionImple transaction = TransactionImple.getTransaction();

        assertThat(reaper.statistics().registered()).isZero();
        assertThat(transaction.getTimeout()).isZero();
        assertThat(transaction.getRemainingTimeoutMills()).isZero();
        manager.commit();
    }

    @Test
    void aUserTransactionSurvivesSerialization() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(new TallystickUserTransaction(reaper));
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            TallystickUserTransaction copy = (TallystickUserTransaction) in.readObject();
            copy.begin();
            assertThat(copy.getStatus()).isEqualTo(Status.STATUS_ACTIVE);
            copy.rollback();
        }
        assertThat(new TallystickUserTransaction(reaper).getReference().getClassName())
                .isEqualTo(TallystickUserTransaction.class.getName());
    }

    @Test
    void aSharedReaperIsOpenedOnceAndAFailureIsNotRemembered() {
        boolean[] bad = {true};
        SharedReaper shared = new SharedReaper(
                () -> ReaperOptions.builder().workers(bad[0] ? -1 : 2).build());
        assertThatThrownBy(shared::get).isInstanceOf(IllegalArgumentException.class);

        bad[0] = false;

        assertThat(shared.get()).isSameAs(shared.get());
        assertThat(shared.get().options().workers()).isEqualTo(2);
    }

    /** Chosen by Narayana's own properties, configured by ours, in a process that ends while a transaction is open. */
    @Test
    void narayanaMakesBothByTheirNames(@TempDir Path directory) {
        String printed = ChildJvm.of(TimedProcess.class)
                .in(directory)
                .withProperties(Map.of(
                        "JTAEnvironmentBean.transactionManagerClassName",
                        TallystickTransactionManager.class.getName(),
                        "JTAEnvironmentBean.userTransactionClassName",
                        TallystickUserTransaction.class.getName(),
                        "CoordinatorEnvironmentBean.defaultTimeout",
                        "1",
                        "tallystick.reaper.stack-capture-lead",
                        "500ms"))
                .endsWith(0);
        assertThat(printed)
                .contains("manager: TallystickTransactionManager")
                .contains("user: TallystickUserTransaction")
                .contains("rolled back by: tallystick-reaper-worker-1")
                .contains("TALLY0601")
                .contains("TimedProcess.waitForTheEnd")
                .contains("commit: RollbackException");
    }

    private record StuckResource(CountDownLatch release, CountDownLatch interrupted) implements XAResource {
        @Override
        public void rollback(Xid xid) {
            try {
                release.await();
            } catch (InterruptedException forbidden) {
                interrupted.countDown();
            }
        }

        @Override
        public void start(Xid xid, int flags) {}

        @Override
        public void end(Xid xid, int flags) {}

        @Override
        public int prepare(Xid xid) {
            return XA_OK;
        }

        @Override
        public void commit(Xid xid, boolean onePhase) {}

        @Override
        public void forget(Xid xid) {}

        @Override
        public Xid[] recover(int flag) {
            return new Xid[0];
        }

        @Override
        public boolean isSameRM(XAResource other) {
            return other == this;
        }

        @Override
        public int getTransactionTimeout() {
            return 0;
        }

        @Override
        public boolean setTransactionTimeout(int seconds) {
            return true;
        }
    }
}
