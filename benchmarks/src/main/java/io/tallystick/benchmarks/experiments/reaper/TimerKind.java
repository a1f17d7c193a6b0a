package io.tallystick.benchmarks.experiments.reaper;

import com.arjuna.ats.arjuna.coordinator.TransactionReaper;
import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.agrona.DeadlineTimerWheel;

/** The compared timers, each in the configuration that suits transactions. */
enum TimerKind {
    /** Our reaper, with its defaults. */
    TALLYSTICK("Tallystick", TallystickTimers::new),
    /** Narayana's reaper, with its defaults. */
    NARAYANA("Narayana's reaper", NarayanaTimers::new),
    /** A heap behind a lock, configured to forget cancelled tasks. */
    EXECUTOR("ScheduledThreadPoolExecutor", ExecutorTimers::new),
    /** A wheel fed through queues, with ticks of 100 ms. */
    NETTY("Netty HashedWheelTimer", NettyTimers::new),
    /** A wheel for one thread, so behind a lock, with ticks of 134 ms. */
    AGRONA("Agrona DeadlineTimerWheel", AgronaTimers::new);

    private final String label;
    private final Supplier<Timers> maker;

    TimerKind(String label, Supplier<Timers> maker) {
        this.label = label;
        this.maker = maker;
    }

    String label() {
        return label;
    }

    Timers open() {
        return maker.get();
    }

    private static Thread daemon(Runnable body) {
        Thread thread = new Thread(body, "timer");
        thread.setDaemon(true);
        return thread;
    }

    private static final class TallystickTimers implements Timers {
        private final io.tallystick.reaper.TransactionReaper reaper = io.tallystick.reaper.TransactionReaper.open();
        /** One duration for all registrations, as for the default timeout of a transaction manager. */
        private Duration last = Duration.ofSeconds(1);

        @Override
        public Object register(IdleTransaction transaction, int seconds) {
            Duration timeout = last;
            if (timeout.getSeconds() != seconds) {
                timeout = Duration.ofSeconds(seconds);
                last = timeout;
            }
            return reaper.register(transaction, timeout);
        }

        @Override
        public void cancel(IdleTransaction transaction, Object handle) {
            ((io.tallystick.reaper.Registration) handle).cancel();
        }

        @Override
        public void close() {
            reaper.close(io.tallystick.reaper.CloseMode.WAIT_FOR_OPEN, Duration.ZERO);
        }
    }

    private static final class NarayanaTimers implements Timers {
        private final TransactionReaper reaper = TransactionReaper.transactionReaper();

        @Override
        public Object register(IdleTransaction transaction, int seconds) {
            reaper.insert(transaction, seconds);
            return transaction;
        }

        @Override
        public void cancel(IdleTransaction transaction, Object handle) {
            reaper.remove(transaction);
        }

        @Override
        public void close() {
            // the reaper belongs to the JVM and ends with it
        }
    }

    private static final class ExecutorTimers implements Timers {
        private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, TimerKind::daemon);

        ExecutorTimers() {
            executor.setRemoveOnCancelPolicy(true);
        }

        @Override
        public Object register(IdleTransaction transaction, int seconds) {
            return executor.schedule(transaction, seconds, TimeUnit.SECONDS);
        }

        @Override
        public void cancel(IdleTransaction transaction, Object handle) {
            ((Future<?>) handle).cancel(false);
        }

        @Override
        public void close() {
            executor.shutdownNow();
        }
    }

    private static final class NettyTimers implements Timers {
        private final HashedWheelTimer timer;

        NettyTimers() {
            ThreadFactory threads = TimerKind::daemon;
            timer = new HashedWheelTimer(threads);
        }

        @Override
        public Object register(IdleTransaction transaction, int seconds) {
            return timer.newTimeout(timeout -> transaction.run(), seconds, TimeUnit.SECONDS);
        }

        @Override
        public void cancel(IdleTransaction transaction, Object handle) {
            ((Timeout) handle).cancel();
        }

        @Override
        public void close() {
            timer.stop();
        }
    }

    /**
     * Its thread polls as often as our watch looks. It has no map from a timer to its transaction, and none is added
     * here.
     */
    private static final class AgronaTimers implements Timers {
        private static final int TICK_NANOS = 1 << 27;
        private static final int TICKS = 1024;

        private final ReentrantLock lock = new ReentrantLock();
        private final DeadlineTimerWheel wheel =
                new DeadlineTimerWheel(TimeUnit.NANOSECONDS, System.nanoTime(), TICK_NANOS, TICKS);
        private final Thread poller = daemon(this::poll);
        private volatile boolean closed;

        AgronaTimers() {
            poller.start();
        }

        @Override
        public Object register(IdleTransaction transaction, int seconds) {
            long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
            lock.lock();
            try {
                return wheel.scheduleTimer(deadlineNanos);
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void cancel(IdleTransaction transaction, Object handle) {
            lock.lock();
            try {
                wheel.cancelTimer((Long) handle);
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void close() {
            closed = true;
            poller.interrupt();
        }

        private void poll() {
            while (!closed) {
                LockSupport.parkNanos(TICK_NANOS);
                lock.lock();
                try {
                    wheel.poll(System.nanoTime(), (unit, now, timer) -> true, Integer.MAX_VALUE);
                } finally {
                    lock.unlock();
                }
            }
        }
    }
}
