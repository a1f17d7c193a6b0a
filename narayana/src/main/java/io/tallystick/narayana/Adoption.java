package io.tallystick.narayana;

import com.arjuna.ats.arjuna.common.CoreEnvironmentBeanException;
import com.arjuna.ats.arjuna.common.arjPropertyManager;
import com.arjuna.ats.arjuna.coordinator.TxControl;
import com.arjuna.ats.arjuna.recovery.RecoveryManager;
import com.arjuna.ats.arjuna.recovery.RecoveryModule;
import com.arjuna.ats.internal.jta.recovery.arjunacore.XARecoveryModule;
import com.arjuna.ats.jta.common.jtaPropertyManager;
import io.tallystick.narayana.drain.NarayanaScan;
import io.tallystick.narayana.recover.Arguments;
import io.tallystick.narayana.recover.OwnLogFilter;
import io.tallystick.narayana.recover.Resources;
import io.tallystick.storage.Disk;
import io.tallystick.storage.StoreDirectory;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreFencedException;
import io.tallystick.store.StoreOption;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * The log of a dead node in this process, which Narayana recovers under the node's name.
 *
 * <p>Narayana's node, stores and recovery manager are static. So a process recovers one node, and does nothing else.
 *
 * <p><b>Two ways to leave early.</b> A store in a directory is this process' until it closes it. So between two scans
 * the thread that recovers looks for a request of the node, and leaves. A log in a database is taken away at any time.
 * Then nothing may be done to a resource any more, so a thread that watches the log ends the process at once. The same
 * thread ends it when a scan hangs in a resource, and the node or the end of this process would wait for that.
 */
final class Adoption implements AutoCloseable {
    private static final String STATUS_MANAGERS = "/Recovery/TransactionStatusManager";
    private static final Duration MORE_THAN_LEAST = Duration.ofMinutes(10);
    private static final long LOOK_NANOS = Duration.ofMillis(100).toNanos();

    private final Arguments wanted;
    private final NarayanaStores stores;
    private final ObjectStore log;
    private final Disk disk = new SystemDisk();
    private final OwnLogFilter filter;
    // How long the node, or the end of this process, may wait for a scan.
    private final long leaveNanos;
    // By the thread that recovers.
    private boolean isAskedToLeave;
    // The thread that watches reads these.
    private volatile boolean isClosing;
    private volatile int status = RecoverNode.UNUSABLE;

    private Adoption(Arguments wanted, NarayanaStores stores, Duration patience) {
        this.wanted = wanted;
        this.stores = stores;
        this.leaveNanos = patience.toNanos() / 2;
        this.log = stores.store();
        this.filter = new OwnLogFilter(log);
    }

    /**
     * Adopts the log.
     *
     * @throws io.tallystick.store.StoreException it cannot be adopted
     * @throws IllegalArgumentException the arguments or the configuration cannot be used
     */
    static Adoption begin(Arguments wanted) {
        configureNode(wanted.node());
        Resources resources = Resources.of(wanted.helpers());
        resources.configure();
        StoreConfiguration settings = settings(wanted.node());
        Adoption adoption = new Adoption(wanted, NarayanaStores.install(settings), settings.get(StoreOption.PATIENCE));
        boolean isBegun = false;
        try {
            adoption.watch();
            adoption.forgetStatusManagers();
            adoption.configureRecovery(resources);
            isBegun = true;
            return adoption;
        } finally {
            if (!isBegun) {
                adoption.close();
            }
        }
    }

    private static void configureNode(String node) {
        NarayanaNode.checkLength(node);
        try {
            arjPropertyManager.getCoreEnvironmentBean().setNodeIdentifier(node);
        } catch (CoreEnvironmentBeanException refused) {
            throw new IllegalArgumentException(refused.getMessage(), refused);
        }
        jtaPropertyManager.getJTAEnvironmentBean().setXaRecoveryNodes(List.of(node));
        // Nobody asks this process for the status of a transaction.
        arjPropertyManager.getCoordinatorEnvironmentBean().setTransactionStatusManagerEnable(false);
    }

    private static StoreConfiguration settings(String node) {
        StoreConfiguration given = StoreConfiguration.fromEnvironment();
        Optional<String> other = given.find(StoreOption.NODE_ID).filter(id -> !id.equals(node));
        if (other.isPresent()) {
            throw new IllegalArgumentException(
                    StoreOption.NODE_ID.key() + "=" + other.get() + " is not --node " + node + "; leave the key out");
        }
        return given.toBuilder()
                .set(StoreOption.NODE_ID, node)
                .set(StoreOption.EXPECT_EXISTING, true)
                .adopting()
                .build();
    }

    private void watch() {
        Thread watching = new Thread(this::watchLog, "tallystick-recover-watch");
        watching.setDaemon(true);
        watching.start();
    }

    // Ending the process at once is safe at any time: the next adopter, or the node, finishes what is left.
    private void watchLog() {
        long freeSince = System.nanoTime();
        while (!isClosing) {
            if (log.failure().filter(StoreFencedException.class::isInstance).isPresent()) {
                halt(RecoverNode.NODE_IS_BACK, "came back and has taken its log");
            }
            long now = System.nanoTime();
            if (!isAskedFor()) {
                freeSince = now;
            } else if (now - freeSince > leaveNanos) {
                halt(RecoverNode.NODE_IS_BACK, "came back and asked for its log, and a scan did not end meanwhile");
            }
            LockSupport.parkNanos(this, LOOK_NANOS);
        }
        long closingSince = System.nanoTime();
        while (System.nanoTime() - closingSince < leaveNanos) {
            LockSupport.parkNanos(this, LOOK_NANOS);
        }
        halt(status, "was left while a scan had not ended; a resource gives no answer");
    }

    private void halt(int with, String why) {
        RecoverNode.told(Level.WARNING, with, "node " + wanted.node() + ' ' + why, null);
        Runtime.getRuntime().halt(with);
    }

    /** The owner of the log is proven to write no more. Narayana would try to reach it, without a time limit. */
    private void forgetStatusManagers() {
        for (StateKey manager : log.keys(STATUS_MANAGERS)) {
            log.remove(manager, Durability.FORCED);
        }
        filter.clear();
    }

    private void configureRecovery(Resources resources) {
        RecoveryManager manager = RecoveryManager.manager(RecoveryManager.DIRECT_MANAGEMENT);
        XARecoveryModule module = null;
        for (RecoveryModule each : manager.getModules()) {
            if (each instanceof XARecoveryModule found) {
                module = found;
            }
        }
        if (module == null) {
            throw new IllegalArgumentException(
                    "Narayana's recovery has no XARecoveryModule, so it asks no resource; name"
                            + " it in RecoveryEnvironmentBean.recoveryModuleClassNames");
        }
        resources.register(module);
        module.addXAResourceOrphanFilter(filter);
        // Quietly: the drain would say that an application's transactions roll back from now on.
        TxControl.disable();
    }

    /** Scans until the proof is given that nothing is left, or the time is over, or the node asks for its log. */
    DrainReport recover() {
        Duration atMost =
                wanted.timeout().orElseGet(() -> TallystickDrain.leastBudget().plus(MORE_THAN_LEAST));
        TallystickDrain drain = new TallystickDrain(
                log, Optional.of(NarayanaScan.ofThisProcess()), System::nanoTime, this::pauseOrLeave);
        DrainReport report = drain.drain(atMost);
        Thread.interrupted(); // what pauseOrLeave has set
        return report;
    }

    private void pauseOrLeave(long nanos) {
        if (isAskedFor()) {
            isAskedToLeave = true;
            Thread.currentThread().interrupt(); // ends the drain
        } else {
            LockSupport.parkNanos(this, nanos);
        }
    }

    private boolean isAskedFor() {
        Optional<Path> directory = log.description().directory();
        try {
            return directory.isPresent() && StoreDirectory.isAskedFor(disk, directory.get());
        } catch (IOException unreadable) { // a node that cannot be seen waits, and is refused in the end
            return false;
        }
    }

    /** The status with which the process is to end. */
    int endingWith(int with) {
        status = with;
        return with;
    }

    /** Whether the node has asked for its log. */
    boolean isAskedToLeave() {
        return isAskedToLeave;
    }

    /** Ends recovery, and then closes the log. */
    @Override
    public void close() {
        isClosing = true;
        try {
            RecoveryManager.manager(RecoveryManager.DIRECT_MANAGEMENT).terminate();
            filter.clear();
        } finally {
            stores.close();
        }
    }
}
