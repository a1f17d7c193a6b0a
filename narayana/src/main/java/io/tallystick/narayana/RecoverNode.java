package io.tallystick.narayana;

import com.arjuna.ats.arjuna.common.CoreEnvironmentBeanException;
import com.arjuna.ats.arjuna.common.arjPropertyManager;
import com.arjuna.ats.arjuna.coordinator.TxControl;
import com.arjuna.ats.arjuna.recovery.RecoveryManager;
import com.arjuna.ats.arjuna.recovery.RecoveryModule;
import com.arjuna.ats.internal.jta.recovery.arjunacore.XARecoveryModule;
import com.arjuna.ats.jta.common.jtaPropertyManager;
import io.tallystick.narayana.drain.NarayanaScan;
import io.tallystick.narayana.drain.RecoveryScan;
import io.tallystick.narayana.recover.Arguments;
import io.tallystick.narayana.recover.DataSourceRecovery;
import io.tallystick.narayana.recover.ForgottenRecords;
import io.tallystick.narayana.recover.OwnLogFilter;
import io.tallystick.narayana.recover.Resources;
import io.tallystick.storage.Disk;
import io.tallystick.storage.NanoClock;
import io.tallystick.storage.StoreDirectory;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFencedException;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.spi.StoreThread;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * A command that recovers a node which does not come back. It adopts the node's log, finishes the transactions in it
 * under the node's name, and leaves.
 *
 * <pre>java -cp '/app/lib/*' -Dtallystick.store=postgresql -Dtallystick.postgresql.url=jdbc:postgresql://db1,db2/tx \
 *     io.tallystick.narayana.RecoverNode --node orders-2 \
 *     --helper io.tallystick.narayana.recover.DataSourceRecovery=/etc/recover/accounts.properties</pre>
 *
 * <p>The store is configured as in the node: by system properties, the environment, or a file. Each resource of the
 * node needs a {@code --helper CLASS[=TEXT]}: a Narayana {@code XAResourceRecoveryHelper} or {@code
 * XAResourceRecovery}, which is initialised with the text. {@link DataSourceRecovery} is one for XA data sources.
 * {@code --timeout} says how long to wait for the proof that nothing is left; the default is ten minutes more than the
 * proof takes at least.
 *
 * <p>With {@code --once} it scans once instead, tells what is left, and leaves. A scan finishes what its resources let
 * it finish. It proves nothing: the status is 4 or 5.
 *
 * <p>The node goes before this process. If it starts meanwhile, it gets its log, and this process ends.
 *
 * <p>Its exit status is one of these:
 *
 * <ul>
 *   <li>0: it is proven that no record is left, and the log was closed.
 *   <li>2: the arguments or the configuration are wrong.
 *   <li>3: the log cannot be opened or used.
 *   <li>4: a transaction or a record is left after the timeout.
 *   <li>5: the log has no work, but a resource may hold a prepared branch after the timeout; also one whose record was
 *       given up or forgotten by hand, which is left alone.
 *   <li>6: the node came back, and has its log.
 *   <li>7: the log has a living owner: the node or another adopter. Nothing was changed.
 *   <li>8: it is proven that no record is left, but the log was not closed: closing failed, or took longer than half of
 *       the patience. The next owner may have to wait for a lease.
 * </ul>
 *
 * <p>It never ends with 1, because {@code java} ends with 1 if it cannot find this class.
 */
public final class RecoverNode {
    static final int RECOVERED = 0;
    static final int MISUSED = 2;
    static final int UNUSABLE = 3;
    static final int NOT_DRAINED = 4;
    static final int UNPROVEN = 5;
    static final int NODE_IS_BACK = 6;
    static final int OWNER_LIVES = 7;
    static final int NOT_CLOSED = 8;

    private static final String ONCE = "--once";
    private static final String USAGE = "RecoverNode " + Arguments.USAGE + " [" + ONCE + "]";

    private static final System.Logger LOG = System.getLogger(RecoverNode.class.getName());

    private RecoverNode() {}

    /** Recovers the node that the arguments name. */
    public static void main(String[] arguments) {
        System.exit(run(arguments));
    }

    static int run(String... arguments) {
        Arguments wanted;
        List<String> common = new ArrayList<>(List.of(arguments));
        boolean isOnce = common.remove(ONCE);
        try {
            wanted = Arguments.of(common.toArray(String[]::new));
        } catch (IllegalArgumentException misused) {
            return told(Level.ERROR, MISUSED, misused.getMessage() + "; usage: " + USAGE, null);
        }
        String node = "node " + wanted.node();
        try (Adoption adoption = Adoption.begin(wanted)) {
            return adoption.endingWith(isOnce ? statusOfOnce(node, adoption) : statusOf(node, adoption));
        } catch (NotClosedException failed) {
            return told(
                    Level.ERROR,
                    NOT_CLOSED,
                    node + " is recovered, but its log was not closed: " + failed.getMessage(),
                    failed);
        } catch (StoreLockedException locked) {
            return told(
                    Level.ERROR, OWNER_LIVES, node + " is not recovered, nothing was changed: " + text(locked), locked);
        } catch (StoreFencedException fenced) {
            return told(Level.WARNING, NODE_IS_BACK, node + " has its log again: " + text(fenced), null);
        } catch (StoreException unusable) {
            return told(Level.ERROR, UNUSABLE, node + " is not recovered: " + text(unusable), unusable);
        } catch (IllegalArgumentException | InstallationException misused) {
            return told(Level.ERROR, MISUSED, node + " is not recovered: " + misused.getMessage(), misused);
        } catch (LinkageError missing) {
            return told(
                    Level.ERROR,
                    MISUSED,
                    node + " is not recovered: a class is missing (" + missing + "); use the application's class path,"
                            + " which has narayana-jta, the store and the drivers",
                    missing);
        } catch (RuntimeException | Error unexpected) { // otherwise java would end with 1
            return told(
                    Level.ERROR,
                    UNUSABLE,
                    node + " is not recovered: " + unexpected + "; what is in the log stays there",
                    unexpected);
        }
    }

    private static int statusOf(String node, Adoption adoption) {
        DrainReport report = adoption.recover();
        return switch (report.status()) {
            case DRAINED -> told(Level.INFO, RECOVERED, node + " is recovered: " + report, null);
            case LEFT, UNPROVEN -> {
                if (adoption.isAskedToLeave()) {
                    yield told(Level.WARNING, NODE_IS_BACK, node + " came back and asked for its log: " + report, null);
                }
                yield told(
                        Level.WARNING,
                        report.status() == DrainReport.Status.LEFT ? NOT_DRAINED : UNPROVEN,
                        node + " is not recovered wholly in time: " + report + ". Mend what Narayana's log names,"
                                + " and start this command again. If each resource answers and has no name, the work"
                                + " of a record may be done, and no further run ends it: see status 4 in"
                                + " docs/recover-node.md",
                        null);
            }
        };
    }

    private static int statusOfOnce(String node, Adoption adoption) {
        String scan = adoption.scanOnce();
        DrainReport report = adoption.left();
        boolean isLeft = report.status() == DrainReport.Status.LEFT;
        return told(
                Level.WARNING,
                isLeft ? NOT_DRAINED : UNPROVEN,
                node + " was scanned once, and the scan " + scan + "; "
                        + (isLeft
                                ? "work is left: mend what Narayana's log names, and start this command again"
                                : "the log has no work left. That no branch is left is not proven: this command"
                                        + " without "
                                        + ONCE + " proves it")
                        + ": pendingActions=" + report.pendingActions() + " otherRecords=" + report.otherRecords(),
                null);
    }

    private static String text(StoreException refused) {
        return refused.messageId() + ' ' + refused.getMessage();
    }

    /**
     * The configured store, as that of this node.
     *
     * @throws IllegalArgumentException another node is configured
     */
    static StoreConfiguration settingsOf(String node) {
        StoreConfiguration given = StoreConfiguration.fromEnvironment();
        Optional<String> other = given.find(StoreOption.NODE_ID).filter(id -> !id.equals(node));
        if (other.isPresent()) {
            throw new IllegalArgumentException(StoreOption.NODE_ID.key() + "=" + other.get() + " is not --node " + node
                    + ", which is Narayana's node identifier. If the node itself has set another "
                    + StoreOption.NODE_ID.key() + ", start the node; otherwise leave the key out");
        }
        return given.toBuilder().set(StoreOption.NODE_ID, node).build();
    }

    /** Logs the end, and returns the status. */
    private static int told(Level level, int status, String text, Throwable cause) {
        LOG.log(level, "TALLY0421 status " + status + ": " + text, cause);
        return status;
    }

    /**
     * The log of a dead node in this process, which Narayana recovers under the node's name.
     *
     * <p>Narayana's node, stores and recovery manager are static. So a process recovers one node, and does nothing
     * else.
     *
     * <p><b>Two ways to leave early.</b> A store in a directory is this process' until it closes it. So between two
     * scans the thread that recovers looks for a request of the node, and leaves. A log in a database is taken away at
     * any time. Then nothing may be done to a resource any more, so a thread that watches the log ends the process at
     * once. The same thread ends it when a scan hangs in a resource, and the node or the end of this process would
     * wait for that.
     */
    private static final class Adoption implements AutoCloseable {
        private static final String STATUS_MANAGERS = "/Recovery/TransactionStatusManager";
        private static final Duration MORE_THAN_LEAST = Duration.ofMinutes(10);
        private static final long LOOK_NANOS = Duration.ofMillis(100).toNanos();

        /** What the thread that recovers is at. */
        private enum Phase {
            RECOVERING,
            ENDING_SCANS,
            CLOSING_LOG,
            CLOSED
        }

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
        private volatile Phase phase = Phase.RECOVERING;
        private volatile int status = UNUSABLE;

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
            checkNothingIsAssumed();
            configureNode(wanted.node());
            Resources resources = Resources.of(wanted.helpers());
            resources.configure();
            StoreConfiguration settings = settings(wanted.node());
            StoreSettings.checkAdoptable(settings);
            checkForgottenAreKnown(settings);
            Adoption adoption =
                    new Adoption(wanted, NarayanaStores.install(settings), settings.get(StoreOption.PATIENCE));
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

        /** Recovery would forget the decision to commit while a resource is away, and roll its branch back later. */
        private static void checkNothingIsAssumed() {
            if (jtaPropertyManager.getJTAEnvironmentBean().isXaAssumeRecoveryComplete()) {
                throw new IllegalArgumentException("JTAEnvironmentBean.xaAssumeRecoveryComplete=true takes every branch"
                        + " that does not answer for finished: a transaction that is committed at one resource would be"
                        + " rolled back at a resource that is away now. Leave it out");
            }
        }

        /** While the directory is missing, recovery would leave every branch without a record alone. */
        private static void checkForgottenAreKnown(StoreConfiguration settings) {
            for (Path configured : StoreSettings.configuredForForgotten(settings)) {
                if (isMissing(configured)) {
                    throw new IllegalArgumentException(ForgottenRecords.missing(configured));
                }
            }
        }

        private static boolean isMissing(Path path) {
            try {
                return new SystemDisk().kindOf(path) == Disk.PathKind.MISSING;
            } catch (IOException unreadable) {
                throw new IllegalArgumentException(
                        StoreOption.INDOUBT_KEEP_IN.key() + "=" + path + " cannot be read: " + unreadable.getMessage(),
                        unreadable);
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
            return settingsOf(node).toBuilder()
                    .set(StoreOption.EXPECT_EXISTING, true)
                    .adopting()
                    .build();
        }

        private void watch() {
            Thread watching = StoreThread.of(this::watchLog, "tallystick-recover-watch");
            watching.start();
        }

        // Ending the process at once is safe at any time: the next adopter, or the node, finishes what is left.
        private void watchLog() {
            long freeSince = NanoClock.SYSTEM.nanoTime();
            while (phase == Phase.RECOVERING) {
                if (log.failure().filter(StoreFencedException.class::isInstance).isPresent()) {
                    halt(NODE_IS_BACK, "came back and has taken its log");
                }
                long now = NanoClock.SYSTEM.nanoTime();
                if (!isAskedFor()) {
                    freeSince = now;
                } else if (now - freeSince > leaveNanos) {
                    halt(NODE_IS_BACK, "came back and asked for its log, and a scan did not end meanwhile");
                }
                LockSupport.parkNanos(this, LOOK_NANOS);
            }
            watchClosing();
        }

        private void watchClosing() {
            long closingSince = NanoClock.SYSTEM.nanoTime();
            while (NanoClock.SYSTEM.nanoTime() - closingSince < leaveNanos) {
                LockSupport.parkNanos(this, LOOK_NANOS);
            }
            haltClosing();
        }

        // The phase is read before the status, which is set before the phase changes.
        private void haltClosing() {
            Phase reached = phase;
            int failed = status == RECOVERED ? NOT_CLOSED : status;
            switch (reached) {
                case CLOSED -> halt(status, "was left; this process does not end by itself, a shutdown hook hangs");
                case CLOSING_LOG ->
                    halt(failed, "was left, and its log could not be closed; its disk or server gives no answer");
                default -> halt(failed, "was left while a scan had not ended; a resource gives no answer");
            }
        }

        private void halt(int with, String why) {
            told(Level.WARNING, with, "node " + wanted.node() + ' ' + why, null);
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
            filter.putInto(module);
            // Quietly: the drain would say that an application's transactions roll back from now on.
            TxControl.disable();
        }

        /** Scans until the proof is given that nothing is left, or the time is over, or the node asks for its log. */
        DrainReport recover() {
            Duration atMost = wanted.timeout()
                    .orElseGet(() -> TallystickDrain.leastBudget().plus(MORE_THAN_LEAST));
            TallystickDrain drain = new TallystickDrain(
                    log, Optional.of(NarayanaScan.ofThisProcess()), NanoClock.SYSTEM::nanoTime, this::pauseOrLeave);
            DrainReport report = drain.drain(atMost);
            Thread.interrupted(); // what pauseOrLeave has set
            return report;
        }

        /** Scans once, and tells how the scan ended. */
        String scanOnce() {
            Optional<RecoveryScan.Result> result =
                    NarayanaScan.ofThisProcess().run(wanted.timeout().orElse(MORE_THAN_LEAST));
            return result.map(ended -> ended.problem()
                            .map(problem -> "was incomplete (" + problem + ")")
                            .orElse("was complete"))
                    .orElse("has not ended in time: a resource gives no answer");
        }

        /** What is left in the log now. */
        DrainReport left() {
            return TallystickDrain.of(log).drain(Duration.ZERO);
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

        /**
         * Ends recovery, and then closes the log.
         *
         * @throws NotClosedException the log was not closed
         */
        @Override
        public void close() {
            phase = Phase.ENDING_SCANS;
            try {
                RecoveryManager.manager(RecoveryManager.DIRECT_MANAGEMENT).terminate();
                filter.clear();
            } finally {
                phase = Phase.CLOSING_LOG;
                closeLog();
            }
            phase = Phase.CLOSED;
        }

        // Narayana's way of closing drops the failure. Where recovery failed already, that failure is told.
        private void closeLog() {
            try {
                if (status == RECOVERED) {
                    log.close();
                }
            } catch (StoreFencedException nodeIsBack) {
                throw nodeIsBack;
            } catch (StoreException failed) {
                throw new NotClosedException(failed);
            } finally {
                stores.close();
            }
        }
    }

    /** Nothing is left in the log, and it was not closed. */
    private static final class NotClosedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NotClosedException(StoreException cause) {
            super(text(cause), cause);
        }
    }
}
