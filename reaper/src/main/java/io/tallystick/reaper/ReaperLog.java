package io.tallystick.reaper;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The log of threads that must go on. A logger runs code of the user: it throws where its file system is full, and
 * blocks where nobody empties the pipe behind it. So a thread of its own logs, which exists while there are lines.
 *
 * <p>{@link #tell} waits until its line is logged, for half a second at most, so that lines stay in their order beside
 * other lines of the program. While a line is stuck in the logger, no caller waits. At most {@value #MOST_WAITING}
 * lines wait behind it; the others are counted, and their number is logged when the logger moves again.
 */
final class ReaperLog {
    private static final long PATIENCE_NANOS = Duration.ofMillis(500).toNanos();
    /** The thread waits this long for another line before it ends. */
    private static final long LINGER_NANOS = Duration.ofSeconds(1).toNanos();

    private static final int MOST_WAITING = 64;

    private final System.Logger logger = System.getLogger("io.tallystick.reaper");
    private final DaemonThreads threads = new DaemonThreads("tallystick-reaper-log");
    private final Runnable body = new Writing();
    private final SureLock lock = new SureLock();

    @GuardedBy("lock") private final Deque<Line> waiting = new ArrayDeque<>(MOST_WAITING + 1);
    /** The thread that logs, or null. */
    @GuardedBy("lock") private @Nullable Thread writer;
    /** Whether the line that is being logged has exhausted the patience of its caller. */
    @GuardedBy("lock") private boolean isStuck;

    @GuardedBy("lock") private long dropped;

    /** Logs a line. Throws nothing, and keeps the interrupt flag. */
    void tell(Level level, String message, @Nullable Throwable causeOrNull) {
        try {
            Line line = new Line(level, message, causeOrNull, Thread.currentThread());
            Duty duty = add(line);
            if (duty == Duty.AWAIT) {
                await(line);
            } else if (duty == Duty.NO_THREAD) {
                log(line);
            }
        } catch (Throwable lost) { // a lost line harms nobody, and a lost caller harms all transactions
        }
    }

    /** What the caller has to do with its line. */
    enum Duty {
        /** Wait until it is logged. */
        AWAIT,
        /** Nothing: the logger is stuck. */
        LEAVE,
        /** Log it: no thread can be started. */
        NO_THREAD
    }

    private Duty add(Line line) {
        lock.lock();
        try {
            if (waiting.size() >= MOST_WAITING) {
                dropped++;
                return Duty.LEAVE;
            }
            waiting.add(line);
            if (writer != null) {
                LockSupport.unpark(writer);
            } else if (!startWriter()) {
                waiting.remove(line);
                return Duty.NO_THREAD;
            }
            return isStuck ? Duty.LEAVE : Duty.AWAIT;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock") private boolean startWriter() {
        try {
            Thread thread = threads.newThread(body);
            writer = thread;
            thread.start();
            return true;
        } catch (Throwable noThread) { // the line is logged by its caller
            writer = null;
            return false;
        }
    }

    private void await(Line line) {
        boolean interrupted = false;
        long endNanos = System.nanoTime() + PATIENCE_NANOS;
        for (long left = PATIENCE_NANOS; left > 0 && !line.isLogged; left = endNanos - System.nanoTime()) {
            LockSupport.parkNanos(this, left);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (!line.isLogged) {
            stuckIn(line);
        }
    }

    private void stuckIn(Line line) {
        lock.lock();
        try {
            isStuck = !line.isLogged;
        } finally {
            lock.unlock();
        }
    }

    private void log(Line line) {
        try {
            logger.log(line.level, line.message, line.causeOrNull);
        } catch (Throwable thrown) { // there is no other place to log
        }
    }

    /** The thread that logs. */
    private final class Writing implements Runnable {
        @Override
        public void run() {
            try {
                for (Line line = next(); line != null; line = next()) {
                    log(line);
                    logged(line);
                }
            } finally {
                leave();
            }
        }

        /** The next line; null if none came for a while. */
        private @Nullable Line next() {
            long endNanos = System.nanoTime() + LINGER_NANOS;
            for (; ; ) {
                long left = endNanos - System.nanoTime();
                lock.lock();
                try {
                    Line next = dropped > 0 && waiting.isEmpty() ? remark() : waiting.poll();
                    if (next != null) {
                        return next;
                    }
                    if (left <= 0) {
                        writer = null; // under this lock, so that every line finds a thread
                        return null;
                    }
                } finally {
                    lock.unlock();
                }
                LockSupport.parkNanos(this, left);
            }
        }

        /** The line that says how many lines are missing. */
        @GuardedBy("ReaperLog.this.lock") private Line remark() {
            Line remark = new Line(
                    Level.WARNING,
                    "TALLY0615 the logger was stuck; lines of the reaper that were not logged: " + dropped,
                    null,
                    null);
            dropped = 0;
            return remark;
        }

        private void logged(Line line) {
            lock.lock();
            try {
                line.isLogged = true;
                isStuck = false;
            } finally {
                lock.unlock();
            }
            LockSupport.unpark(line.caller);
        }

        /** An error may have ended the thread with lines left; the next caller starts another one. */
        private void leave() {
            lock.lock();
            try {
                if (writer == Thread.currentThread()) {
                    writer = null;
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** One line on its way to the log. */
    private static final class Line {
        private final Level level;
        private final String message;
        private final @Nullable Throwable causeOrNull;
        private final @Nullable Thread caller;
        private volatile boolean isLogged;

        private Line(Level level, String message, @Nullable Throwable causeOrNull, @Nullable Thread caller) {
            this.level = level;
            this.message = message;
            this.causeOrNull = causeOrNull;
            this.caller = caller;
        }
    }
}
