package io.tallystick.narayana;

import com.arjuna.ats.arjuna.recovery.ExtendedRecoveryModule;
import com.arjuna.ats.arjuna.recovery.RecoveryManager;
import com.arjuna.ats.arjuna.recovery.RecoveryModule;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Looks of Narayana's recovery in this process. Narayana does not tell what a look was worth: a call waits for
 * another thread's look, which may have begun earlier, returns before the end when recovery is stopped, and does not
 * return while it is suspended. So a module of our own, the last one, is there while we look: it sees both passes, on
 * which thread, and what the other modules say of theirs. The look has a thread of its own, so that the one that
 * drains keeps to its time. Threads that drain at the same time look one after the other.
 */
final class NarayanaScan implements RecoveryScan {
    private final Runnable scan;
    // Guarded by this. A look that did not come back in time, and when it began.
    private FutureTask<Look> running;
    private long runningSinceNanos;

    private NarayanaScan(Runnable scan) {
        this.scan = scan;
    }

    /** By this way to make it look, which calls {@link RecoveryManager#scan()} on the calling thread. */
    static NarayanaScan by(Runnable scan) {
        return new NarayanaScan(scan);
    }

    /** By the recovery manager that this process has; one that has none does not get its threads now. */
    static NarayanaScan ofThisProcess() {
        return new NarayanaScan(() -> manager().scan());
    }

    private static RecoveryManager manager() {
        try {
            return RecoveryManager.manager(RecoveryManager.DIRECT_MANAGEMENT);
        } catch (IllegalArgumentException thereIsOneWithThreads) {
            return RecoveryManager.manager(RecoveryManager.INDIRECT_MANAGEMENT);
        }
    }

    @Override
    public Duration orphanSafety() {
        return RecoverySettings.orphanSafety();
    }

    @Override
    public Duration leastBudget() {
        return RecoverySettings.leastBudget();
    }

    @Override
    public synchronized Optional<Look> run(Duration atMost) {
        if (running == null) {
            long begunNanos = System.nanoTime();
            runningSinceNanos = begunNanos;
            running = new FutureTask<>(() -> look(begunNanos));
            Thread thread = new Thread(running, "tallystick-drain-recovery");
            thread.setDaemon(true);
            thread.start();
        }
        try {
            Look look = running.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
            running = null;
            return Optional.of(look);
        } catch (ExecutionException failed) {
            running = null;
            return Optional.of(Look.incomplete(runningSinceNanos, "recovery failed: " + failed.getCause()));
        } catch (TimeoutException late) {
            return Optional.empty();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    private Look look(long begunNanos) {
        RecoveryManager manager = manager();
        Witness witness = new Witness(manager);
        manager.addModule(witness);
        try {
            scan.run();
        } finally {
            manager.removeModule(witness, false);
        }
        return new Look(begunNanos, witness.seenNanos, witness.problem);
    }

    /** Sees the passes of the thread that made it; those of other threads may have begun before. */
    private static final class Witness implements RecoveryModule {
        private final RecoveryManager manager;
        private final Thread thread = Thread.currentThread();
        private boolean isSeen;
        private long seenNanos;
        private Optional<String> problem = Optional.of("recovery was looking already, or is stopped");

        private Witness(RecoveryManager manager) {
            this.manager = manager;
        }

        @Override
        public void periodicWorkFirstPass() {
            if (Thread.currentThread() == thread) {
                isSeen = true;
                seenNanos = System.nanoTime();
            }
        }

        @Override
        public void periodicWorkSecondPass() {
            if (Thread.currentThread() == thread && isSeen) {
                problem = RecoverySettings.gap(manager.getModules()).or(this::problemOfAnother);
            }
        }

        private Optional<String> problemOfAnother() {
            return manager.getModules().stream()
                    .filter(module -> module != this)
                    .filter(module -> module.hasWorkLeftToDo()
                            || module instanceof ExtendedRecoveryModule extended
                                    && !extended.isPeriodicWorkSuccessful())
                    .findFirst()
                    .map(module -> module.getClass().getName()
                            + " met a problem or has work left: a resource does not answer, or a branch was not ended;"
                            + " Narayana's log says which");
        }
    }
}
