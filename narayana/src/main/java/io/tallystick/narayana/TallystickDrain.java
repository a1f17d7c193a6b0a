package io.tallystick.narayana;

import com.arjuna.ats.arjuna.coordinator.ActionManager;
import com.arjuna.ats.arjuna.coordinator.TxControl;
import io.tallystick.store.ObjectStore;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Empties the log before its process goes for good, as when a StatefulSet is scaled down: a transaction that begins now can
 * only roll back, those that have begun may end, recovery finishes what is in doubt, and whoever asked is told what is left.
 *
 * <pre>{@code
 * DrainReport report = TallystickDrain.of(log.store())
 *         .recoveringBy(RecoveryManager.manager()::scan)
 *         .drain(Duration.ofSeconds(25));
 * }</pre>
 *
 * <p>Narayana marks new transactions for rollback in the whole process, not for one store. What counts as pending are the records below
 * the type {@value #ACTIONS}, but not those that Narayana's expiry scanner has given up.
 */
public final class TallystickDrain {
    /** The type under which Narayana logs its transactions. */
    public static final String ACTIONS = "/StateManager/BasicAction";

    private static final String GIVEN_UP = "/Expired";
    private static final long LOOK_NANOS = Duration.ofMillis(50).toNanos();

    private final ObjectStore log;
    private final Runnable recovery;
    private final LongSupplier nanoTime;
    private final LongConsumer pause;

    TallystickDrain(ObjectStore log, Runnable recovery, LongSupplier nanoTime, LongConsumer pause) {
        this.log = log;
        this.recovery = recovery;
        this.nanoTime = nanoTime;
        this.pause = pause;
    }

    /** A drain of this log, which waits for recovery to do its work when it does. */
    public static TallystickDrain of(ObjectStore log) {
        return new TallystickDrain(
                Objects.requireNonNull(log, "log"), () -> {}, System::nanoTime, LockSupport::parkNanos);
    }

    /**
     * The same, but with a way to make recovery look now: Narayana's waits two minutes between its looks, which is longer than
     * a container is given to end. Called again and again while no transaction is active and records are left.
     *
     * @param scan such as {@code RecoveryManager.manager()::scan}, which takes as long as one look of recovery
     */
    public TallystickDrain recoveringBy(Runnable scan) {
        return new TallystickDrain(log, Objects.requireNonNull(scan, "scan"), nanoTime, pause);
    }

    /**
     * Lets no new transaction commit from now on, and waits until none is active and none is in the log. An interrupt ends the
     * waiting, and the flag stays set.
     *
     * @param atMost how long to wait; a look of recovery that has begun is waited for
     * @throws io.tallystick.store.StoreException the log cannot be listed
     */
    public DrainReport drain(Duration atMost) {
        long begun = nanoTime.getAsLong();
        long budgetNanos = atMost.toNanos();
        TxControl.disable();
        DrainReport report = report(begun);
        while (!report.isDrained()
                && nanoTime.getAsLong() - begun < budgetNanos
                && !Thread.currentThread().isInterrupted()) {
            if (report.activeTransactions() == 0) {
                recovery.run();
            }
            pause.accept(Math.min(LOOK_NANOS, Math.max(1, budgetNanos - (nanoTime.getAsLong() - begun))));
            report = report(begun);
        }
        return report;
    }

    /** Lets new transactions commit again. */
    public void resume() {
        TxControl.enable();
    }

    /** Whether new transactions may commit. */
    public boolean isAccepting() {
        return TxControl.isEnabled();
    }

    /** Transactions of this process that have not ended. */
    public int activeTransactions() {
        return ActionManager.manager().getNumberOfInflightTransactions();
    }

    /** Log records of transactions. */
    public long pendingActions() {
        return pendingByType().values().stream().mapToLong(count -> count).sum();
    }

    private DrainReport report(long begun) {
        // In this order: a transaction that ends in between is seen twice rather than not at all.
        int active = activeTransactions();
        Map<String, Integer> pending = pendingByType();
        long actions = pending.values().stream().mapToLong(count -> count).sum();
        return new DrainReport(
                active,
                actions,
                Math.max(0, log.statistics().records() - actions),
                pending,
                Duration.ofNanos(nanoTime.getAsLong() - begun));
    }

    private Map<String, Integer> pendingByType() {
        Map<String, Integer> counts = new TreeMap<>();
        for (String type : log.types()) {
            if ((type.equals(ACTIONS) || type.startsWith(ACTIONS + "/")) && !type.endsWith(GIVEN_UP)) {
                int count = log.keys(type).size();
                if (count > 0) {
                    counts.put(type, count);
                }
            }
        }
        return counts;
    }
}
