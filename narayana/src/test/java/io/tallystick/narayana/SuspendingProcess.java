package io.tallystick.narayana;

import com.arjuna.ats.arjuna.AtomicAction;
import com.arjuna.ats.arjuna.common.recoveryPropertyManager;
import com.arjuna.ats.arjuna.exceptions.ObjectStoreException;
import com.arjuna.ats.arjuna.objectstore.ObjectStoreAPI;
import com.arjuna.ats.arjuna.objectstore.StoreManager;
import com.arjuna.ats.arjuna.recovery.RecoveryManager;
import com.arjuna.ats.internal.jta.recovery.arjunacore.XARecoveryModule;
import com.arjuna.ats.jta.TransactionManager;
import com.arjuna.ats.jta.recovery.XAResourceRecoveryHelper;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StoreConfiguration;
import jakarta.transaction.HeuristicMixedException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;

/** A process whose recovery is suspended with Narayana's own wait, after which it closes the store. */
final class SuspendingProcess {
    /** Before the number of records that the wait has left. */
    static final String LEFT = "left when the wait returned: ";
    /** Before the report of our drain. */
    static final String REPORT = "report: ";
    /** Before whether Narayana still waits after our drain. */
    static final String STILL_WAITS = "still waits: ";
    /** Before the number of records in the store, which was closed and is opened again. */
    static final String OPENED_AGAIN = "opened again: ";

    private SuspendingProcess() {}

    /** What the process does, and with what. */
    enum Course {
        /** The resources answer after some scans. */
        LATE,
        /** A transaction with a heuristic is in the log. */
        HEURISTIC,
        /** The same, and Narayana is told to wait for it. */
        HEURISTIC_AWAITED,
        /** The resources answer after some scans, and a drain begins before the wait. */
        LATE_BESIDE_A_DRAIN
    }

    /** @param arguments the course, the directory of the resources of a transaction, the seconds of a drain */
    public static void main(String[] arguments) throws Exception {
        Course course = Course.valueOf(arguments[0]);
        Duration budget = Duration.ofSeconds(Long.parseLong(arguments[2]));
        List<? extends XAResource> resources = CrashingProcess.resources(Path.of(arguments[1]), what -> {});
        RecoveryManager manager = RecoveryManager.manager(RecoveryManager.INDIRECT_MANAGEMENT);
        manager.initialize();
        XARecoveryModule.getRegisteredXARecoveryModule().addXAResourceRecoveryHelper(new Late(resources));
        TallystickDrain drain = TallystickDrain.of(((TallystickObjectStore) StoreManager.getRecoveryStore()).store())
                .recoveringBy(manager::scan);
        switch (course) {
            case LATE -> waitFor(manager);
            case HEURISTIC -> {
                leaveAHeuristic();
                waitFor(manager);
                System.out.println(REPORT + drain.drain(budget));
            }
            case HEURISTIC_AWAITED -> {
                leaveAHeuristic();
                recoveryPropertyManager.getRecoveryEnvironmentBean().setWaitForHeuristicDuringSuspension(true);
                CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> waitFor(manager));
                System.out.println(REPORT + drain.drain(budget));
                System.out.println(STILL_WAITS + !waiting.isDone());
                manager.terminate(true); // it would wait for a thread that the returning wait may suspend for ever
                waiting.get(1, TimeUnit.MINUTES);
            }
            case LATE_BESIDE_A_DRAIN -> {
                CompletableFuture<DrainReport> draining = CompletableFuture.supplyAsync(() -> drain.drain(budget));
                while (drain.isAccepting()) {
                    Thread.onSpinWait();
                }
                waitFor(manager);
                System.out.println(REPORT + draining.get(1, TimeUnit.MINUTES));
            }
        }
        StoreManager.shutdown();
        try (ObjectStore again =
                ObjectStores.open(StoreConfiguration.builder().withEnvironment().build())) {
            System.out.println(OPENED_AGAIN
                    + again.keys(TallystickDrain.ACTIONS + "/TwoPhaseCoordinator/AtomicAction")
                            .size());
        }
        System.exit(0);
    }

    private static void waitFor(RecoveryManager manager) {
        manager.trySuspend(false, true);
        System.out.println(LEFT + left());
    }

    private static int left() {
        try {
            return NarayanaView.uids((ObjectStoreAPI) StoreManager.getRecoveryStore(), new AtomicAction().type())
                    .size();
        } catch (ObjectStoreException unreadable) {
            throw new IllegalStateException(unreadable);
        }
    }

    private static void leaveAHeuristic() throws Exception {
        jakarta.transaction.TransactionManager transactions = TransactionManager.transactionManager();
        transactions.begin();
        transactions.getTransaction().enlistResource(new ScriptedResource());
        transactions.getTransaction().enlistResource(new ScriptedResource("commit", XAException.XA_HEURHAZ));
        try {
            transactions.commit();
            throw new AssertionError("the transaction has no heuristic");
        } catch (HeuristicMixedException expected) {
            // Its record stays in the log.
        }
    }

    /** Resources that recovery does not find in its first scans, as when their databases are away. */
    private record Late(List<? extends XAResource> resources, int[] asked) implements XAResourceRecoveryHelper {
        private static final int SCANS_WITHOUT = 3;

        private Late(List<? extends XAResource> resources) {
            this(resources, new int[1]);
        }

        @Override
        public boolean initialise(String parameter) {
            return true;
        }

        @Override
        public XAResource[] getXAResources() {
            return asked[0]++ < SCANS_WITHOUT ? new XAResource[0] : resources.toArray(XAResource[]::new);
        }
    }
}
