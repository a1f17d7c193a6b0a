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
 * Runs an action while recovery of this process works on nothing else: as a module of a scan. A scan calls its modules
 * one after the other, and there is one scan at a time, whoever has started it. The action runs at the end of the
 * first pass. In its second pass a scan looks for each record anew.
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
     * @param action may throw a RuntimeException, which this call throws on
     * @param atMost how long to wait for the action to begin, and then to end
     */
    public Result run(Runnable action, Duration atMost) {
        RecoveryManager manager = NarayanaScan.manager();
        Module module = new Module(action);
        manager.addModule(module);
        try {
            long end = NanoClock.SYSTEM.nanoTime() + atMost.toNanos();
            while (!module.isEnded(PAUSE_NANOS)) {
                if (NanoClock.SYSTEM.nanoTime() - end > 0
                        || Thread.currentThread().isInterrupted()) {
                    return module.state.compareAndSet(State.WAITING, State.GIVEN_UP)
                            ? Result.NO_TURN
                            : lastResult(module, atMost);
                }
                scan(manager, module);
            }
            return lastResult(module, Duration.ZERO);
        } finally {
            manager.removeModule(module, false);
        }
    }

    // The action has begun.
    private static Result lastResult(Module module, Duration atMost) {
        if (!module.isEnded(atMost.toNanos())) {
            return Result.NOT_ENDED;
        }
        RuntimeException failure = module.failure.get();
        if (failure != null) {
            throw failure;
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
        private final AtomicReference<RuntimeException> failure = new AtomicReference<>();
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
            } catch (RuntimeException failed) { // the caller gets it; recovery goes on
                failure.set(failed);
            } finally {
                ended.countDown();
            }
        }

        @Override
        public void periodicWorkSecondPass() {}
    }
}
