package io.tallystick.narayana.drain;

import com.arjuna.ats.arjuna.recovery.RecoveryManager;
import com.arjuna.ats.arjuna.recovery.RecoveryModule;
import io.tallystick.storage.NanoClock;
import io.tallystick.store.spi.StoreThread;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs an action while no scan of this process' recovery works on anything else: as a module of a scan. A scan calls
 * its modules one after the other, and there is one scan at a time, whoever has started it. The action runs at the end
 * of the first pass. In its second pass a scan looks for each record anew.
 *
 * <p>One thing is no scan: {@code XATerminatorImple.recover} (7.3.4), which a resource adapter calls, runs the passes
 * of {@code XARecoveryModule} on the thread of its caller. It may do so beside the action.
 */
public final class RecoveryTurn {
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    // Guarded by this. It may be of an earlier call, whose scan has not ended.
    private Thread scanning;

    /** The end of a call. */
    public enum Result {
        /** The action has run, or has thrown. */
        RUN,
        /** Recovery did not come to it in time, and will not run it: it is suspended or stopped, or a scan hangs. */
        NO_TURN,
        /** The calling thread was interrupted before the action began; it will not run. */
        INTERRUPTED,
        /** The action has begun, and has not ended in time. */
        NOT_ENDED
    }

    private enum State {
        WAITING,
        BEGUN,
        GIVEN_UP
    }

    /**
     * Runs the action once, at most.
     *
     * @param action may throw a RuntimeException or an Error, which this call throws on
     * @param atMost how long to wait for the action to begin, and then to end
     */
    public Result run(Runnable action, Duration atMost) {
        RecoveryManager manager = NarayanaScan.manager();
        Module module = new Module(action);
        manager.addModule(module);
        try {
            long end = NanoClock.SYSTEM.nanoTime() + atMost.toNanos();
            while (!module.isEnded(PAUSE_NANOS)) {
                boolean isInterrupted = Thread.currentThread().isInterrupted();
                if (isInterrupted || NanoClock.SYSTEM.nanoTime() - end > 0) {
                    if (!module.state.compareAndSet(State.WAITING, State.GIVEN_UP)) {
                        return lastResult(module, atMost);
                    }
                    return isInterrupted ? Result.INTERRUPTED : Result.NO_TURN;
                }
                scan(manager, module);
            }
            return lastResult(module, Duration.ZERO);
        } finally {
            remove(manager, module);
        }
    }

    private static void remove(RecoveryManager manager, Module module) {
        try {
            manager.removeModule(module, false);
        } catch (IllegalStateException stopped) {
            // Recovery was stopped meanwhile, and calls no module any more. What the action has done is told.
        }
    }

    // The action has begun.
    private static Result lastResult(Module module, Duration atMost) {
        if (!module.isEnded(atMost.toNanos())) {
            return Result.NOT_ENDED;
        }
        Throwable failure = module.failure.get();
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure instanceof RuntimeException exception) {
            throw exception;
        }
        return Result.RUN;
    }

    // A scan that another thread has begun before does not know the module, so one call may not be enough.
    private synchronized void scan(RecoveryManager manager, Module module) {
        if (module.state.get() != State.WAITING || scanning != null && scanning.isAlive()) {
            return;
        }
        scanning = StoreThread.of(
                () -> {
                    manager.scan();
                    LockSupport.parkNanos(PAUSE_NANOS); // it returns at once if recovery was stopped
                },
                "tallystick-settle-recovery");
        // Recovery looks for the resources of the application in it.
        scanning.setContextClassLoader(Thread.currentThread().getContextClassLoader());
        scanning.start();
    }

    /** The module of one call. */
    private static final class Module implements RecoveryModule {
        private final Runnable action;
        private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);
        private final AtomicReference<Throwable> failure = new AtomicReference<>();
        private final CountDownLatch ended = new CountDownLatch(1);

        private Module(Runnable action) {
            this.action = action;
        }

        private boolean isEnded(long atMostNanos) {
            try {
                return ended.await(atMostNanos, TimeUnit.NANOSECONDS);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                return ended.getCount() == 0;
            }
        }

        @Override
        public void periodicWorkFirstPass() {
            if (!state.compareAndSet(State.WAITING, State.BEGUN)) {
                return;
            }
            try {
                action.run();
            } catch (RuntimeException | Error failed) { // the caller gets it; recovery goes on, also after an Error
                failure.set(failed);
            } finally {
                ended.countDown();
            }
        }

        @Override
        public void periodicWorkSecondPass() {}
    }
}
