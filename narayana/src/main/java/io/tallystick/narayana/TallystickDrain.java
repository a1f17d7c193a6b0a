package io.tallystick.narayana;

import com.arjuna.ats.arjuna.coordinator.TxControl;
import io.tallystick.narayana.drain.ActiveActions;
import io.tallystick.narayana.drain.DrainProof;
import io.tallystick.narayana.drain.NarayanaScan;
import io.tallystick.narayana.drain.RecoveryScan;
import io.tallystick.narayana.drain.RecoverySettings;
import io.tallystick.narayana.logs.NarayanaRecords;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreException;
import io.tallystick.store.spi.BookkeepingTypes;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Empties the log before its process ends for ever, as when a StatefulSet is scaled down. A transaction that begins
 * now can only roll back. Transactions that have begun may end, and recovery finishes transactions in doubt. The
 * report says which records are left.
 *
 * <pre>{@code
 * DrainReport report = TallystickDrain.of(log.store())
 *         .recoveringBy(RecoveryManager.manager()::scan)
 *         .drain(Duration.ofSeconds(60));
 * }</pre>
 *
 * <p>An empty log is not enough. A resource may hold a branch that was prepared and has no record, and only recovery of
 * this node rolls it back. So <i>drained</i> means three things. No transaction is active. The log is empty. After the
 * end of the last transaction recovery has scanned once, and twice more when
 * {@code JTAEnvironmentBean.orphanSafetyInterval} had passed. Each scan asks every resource that recovery knows.
 * Otherwise the report says <i>unproven</i>. {@link #leastBudget} is the time that this takes.
 *
 * <p>Narayana marks new transactions for rollback in the whole process, not for one store. Pending are the records
 * below the type {@value #ACTIONS} and those of participants of JTS and XTS. Records that Narayana's expiry scanner
 * has given up, and LRAs that have failed, are not pending. A resource that recovery does not know is not asked.
 */
public final class TallystickDrain {
    private static final System.Logger LOG = System.getLogger(TallystickDrain.class.getName());

    /** The type under which Narayana logs its transactions. */
    public static final String ACTIONS = NarayanaRecords.ACTIONS;

    private static final long POLL_NANOS = Duration.ofMillis(50).toNanos();

    private final ObjectStore log;
    private final Optional<RecoveryScan> recovery;
    private final LongSupplier nanoTime;
    private final LongConsumer pause;

    TallystickDrain(ObjectStore log, Optional<RecoveryScan> recovery, LongSupplier nanoTime, LongConsumer pause) {
        this.log = log;
        this.recovery = recovery;
        this.nanoTime = nanoTime;
        this.pause = pause;
    }

    /**
     * A drain of this log, which waits for the periodic scans of recovery. It never reports {@code DRAINED}, only that
     * the log is empty, because it does not see these scans.
     */
    public static TallystickDrain of(ObjectStore log) {
        return new TallystickDrain(
                Objects.requireNonNull(log, "log"), Optional.empty(), System::nanoTime, LockSupport::parkNanos);
    }

    /**
     * The same drain, which starts recovery scans itself. Narayana's recovery waits two minutes between its scans, and
     * a container has less time than that to end.
     *
     * @param scan such as {@code RecoveryManager.manager()::scan}: it calls {@code scan()} of this process' recovery
     *     manager on the thread that calls it, and returns afterwards; that thread belongs to the drain
     */
    public TallystickDrain recoveringBy(Runnable scan) {
        return recoveringBy(NarayanaScan.by(Objects.requireNonNull(scan, "scan")));
    }

    TallystickDrain recoveringBy(RecoveryScan scan) {
        return new TallystickDrain(log, Optional.of(scan), nanoTime, pause);
    }

    /**
     * The least time that a drain takes to prove that no record is left. It comes from two settings of Narayana. These
     * are the orphan safety interval and, several times, the backoff period between the two passes of a scan. Add the
     * time that transactions take to end, and that resources take to answer.
     */
    public static Duration leastBudget() {
        return RecoverySettings.leastBudget();
    }

    /**
     * Lets no new transaction commit from now on, and waits for the proof that nothing is left. The log's health says
     * {@code DRAINING} meanwhile. An interrupt ends the waiting, and the flag stays set. A drain that cannot start
     * scans ends when no transaction is active and none is in the log.
     *
     * @param atMost how long to wait; a scan that has begun by then goes on after the return
     * @throws StoreException the log cannot be listed, such as when another process has it
     */
    public DrainReport drain(Duration atMost) {
        long begun = nanoTime.getAsLong();
        long budgetNanos = atMost.toNanos();
        refuse();
        DrainProof proof = new DrainProof(
                recovery.map(RecoveryScan::orphanSafety).orElse(Duration.ZERO).toNanos());
        DrainReport report = report(begun, proof);
        long left = budgetNanos;
        while (!isOver(report) && left > 0 && !Thread.currentThread().isInterrupted()) {
            if (recovery.isPresent() && (report.pendingActions() > 0 || proof.needsScan(nanoTime.getAsLong()))) {
                recovery.get().run(Duration.ofNanos(left)).ifPresentOrElse(proof::add, proof::scanHasNotEnded);
                left = budgetNanos - (nanoTime.getAsLong() - begun);
            }
            pause.accept(Math.min(POLL_NANOS, Math.max(1, left)));
            report = report(begun, proof);
            left = budgetNanos - (nanoTime.getAsLong() - begun);
        }
        return report;
    }

    private boolean isOver(DrainReport report) {
        return switch (report.status()) {
            case DRAINED -> true;
            case UNPROVEN -> recovery.isEmpty() || isAccepting();
            case LEFT -> false;
        };
    }

    private void refuse() {
        boolean isFirst = isAccepting();
        log.setDraining(true);
        TxControl.disable();
        if (isFirst) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "TALLY0410 this process is being drained, the log is " + log.description()
                            + ": a transaction that begins from now on can only roll back. Its application sees a"
                            + " RollbackException (UnexpectedRollbackException in Spring), and health says DRAINING."
                            + " resume() of the drain takes this back");
        }
    }

    /** Lets new transactions commit again. */
    public void resume() {
        boolean isFirst = !isAccepting();
        TxControl.enable();
        log.setDraining(false);
        if (isFirst) {
            LOG.log(
                    System.Logger.Level.INFO,
                    "TALLY0411 the drain of this process was taken back: new transactions may commit");
        }
    }

    /** Whether new transactions may commit. */
    public boolean isAccepting() {
        return TxControl.isEnabled();
    }

    /** Transactions of this process that have not ended. */
    public int activeTransactions() {
        return ActiveActions.atLeast();
    }

    /** Log records of transactions and of their participants, as the log counts them: lists nothing. */
    public long pendingActions() {
        return log.countByType().entrySet().stream()
                .filter(type -> NarayanaRecords.isWork(type.getKey()))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    private DrainReport report(long begun, DrainProof proof) {
        // In this order: a transaction that ends in between is seen twice rather than not at all.
        int active = activeTransactions();
        if (active > 0 || isAccepting()) {
            proof.transactionIsActive();
        } else {
            proof.noTransactionIsActive(nanoTime.getAsLong());
        }
        Map<String, Integer> pending = pendingByType();
        long actions = pending.values().stream().mapToLong(count -> count).sum();
        Optional<String> doubt = doubt(proof);
        DrainReport.Status status = active > 0 || actions > 0
                ? DrainReport.Status.LEFT
                : doubt.isPresent() ? DrainReport.Status.UNPROVEN : DrainReport.Status.DRAINED;
        return new DrainReport(
                status,
                status == DrainReport.Status.UNPROVEN ? doubt.get() : "",
                active,
                actions,
                Math.max(0, log.statistics().records() - actions - BookkeepingTypes.countIn(log)),
                pending,
                Duration.ofNanos(nanoTime.getAsLong() - begun));
    }

    private Optional<String> doubt(DrainProof proof) {
        if (isAccepting()) {
            return Optional.of("new transactions may commit again, because resume() was called");
        }
        if (recovery.isEmpty()) {
            return Optional.of("there is no way to start a recovery scan");
        }
        if (ActiveActions.count().isEmpty()) {
            return Optional.of("Narayana's table of active transactions cannot be read");
        }
        return proof.isGiven()
                ? doubtOfLog()
                : Optional.of(proof.problem() + "; this takes "
                        + recovery.get().leastBudget().toSeconds()
                        + " s at least, and the time that transactions take to end");
    }

    /** An empty log says nothing if it has failed, or if it is another process' by now. */
    private Optional<String> doubtOfLog() {
        try {
            long counted = pendingActions();
            if (counted > 0) {
                return Optional.of("the log counts " + counted + " records that it does not list: they were set aside"
                        + " after an outage of its database (TALLY0342), and only the next process recovers them");
            }
            if (log.failure().isEmpty()) {
                log.proveOwned();
            }
            return log.failure().map(StoreException::getMessage);
        } catch (StoreException notOurs) {
            return Optional.of(notOurs.getMessage());
        }
    }

    /** By listing: the log's counts may be ahead of removals in progress, and a drain must not. */
    private Map<String, Integer> pendingByType() {
        Map<String, Integer> counts = new TreeMap<>();
        for (String type : log.types()) {
            if (NarayanaRecords.isWork(type)) {
                int count = log.keys(type).size();
                if (count > 0) {
                    counts.put(type, count);
                }
            }
        }
        return counts;
    }
}
