package io.tallystick.narayana.drain;

import com.arjuna.ats.arjuna.recovery.ExtendedRecoveryModule;
import com.arjuna.ats.arjuna.recovery.RecoveryManager;
import com.arjuna.ats.arjuna.recovery.RecoveryModule;
import io.tallystick.store.spi.StoreThread;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Scans of Narayana's recovery in this process. Narayana does not report whether a scan was complete. A call may wait
 * for another thread's scan, which may have begun earlier. It returns early when recovery is stopped, and does not
 * return while recovery is suspended. So a module of ours runs last in each scan: it sees both passes, their thread,
 * and the results of the other modules. The scan has a thread of its own, so that the draining thread keeps to its
 * time. Threads that drain at the same time scan one after the other.
 */
public final class NarayanaScan implements RecoveryScan {
    private final Runnable scan;
    // Guarded by this. A scan that did not end in time, and its beginning.
    private FutureTask<Result> running;
    private long runningSinceNanos;

    private NarayanaScan(Runnable scan) {
        this.scan = scan;
    }

    /** Scans by this action, which calls {@link RecoveryManager#scan()} on the calling thread. */
    public static NarayanaScan by(Runnable scan) {
        return new NarayanaScan(scan);
    }

    /** Scans by the recovery manager of this process. If there is none, it is created without its threads. */
    public static NarayanaScan ofThisProcess() {
        return new NarayanaScan(() -> manager().scan());
    }

    /** The recovery manager of this process. If there is none, it is created without its threads. */
    static RecoveryManager manager() {
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
    public synchronized Optional<Result> run(Duration atMost) {
        if (running == null) {
            long begunNanos = System.nanoTime();
            runningSinceNanos = begunNanos;
            running = new FutureTask<>(() -> scanOnce(begunNanos));
            Thread thread = StoreThread.of(running, "tallystick-drain-recovery");
            // The thread ends with the scan, in which recovery looks for the resources of the application that drains.
            thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
            thread.start();
        }
        try {
            Result result = running.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
            running = null;
            return Optional.of(result);
        } catch (ExecutionException failed) {
            running = null;
            return Optional.of(Result.incomplete(runningSinceNanos, "recovery failed: " + failed.getCause()));
        } catch (TimeoutException late) {
            return Optional.empty();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    private Result scanOnce(long begunNanos) {
        RecoveryManager manager = manager();
        PassObserver observer = new PassObserver(manager);
        long unprovenBefore = UnprovenBranches.count();
        manager.addModule(observer);
        try {
            scan.run();
        } finally {
            manager.removeModule(observer, false);
        }
        return new Result(
                begunNanos, observer.seenNanos, observer.problem.or(() -> UnprovenBranches.since(unprovenBefore)));
    }

    /** Observes the passes of the thread that made it. Passes of other threads may have begun before. */
    private static final class PassObserver implements RecoveryModule {
        private final RecoveryManager manager;
        private final Thread thread = Thread.currentThread();
        private boolean isFirstPassSeen;
        private long seenNanos;
        private Optional<String> problem =
                Optional.of("another scan of recovery was under way, or recovery is stopped");

        private PassObserver(RecoveryManager manager) {
            this.manager = manager;
        }

        @Override
        public void periodicWorkFirstPass() {
            if (Thread.currentThread() == thread) {
                isFirstPassSeen = true;
                seenNanos = System.nanoTime();
            }
        }

        @Override
        public void periodicWorkSecondPass() {
            if (Thread.currentThread() == thread && isFirstPassSeen) {
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
                            + " has a problem or has work left: a resource does not answer, or a branch was not ended;"
                            + " Narayana's log says which");
        }
    }
}
