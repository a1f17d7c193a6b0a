package io.tallystick.reaper;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * The threads that cancel transactions. They exist while there is work for them. Only the watch starts them, at a look.
 *
 * <h2>A stuck cancellation delays no other one</h2>
 *
 * <p>A worker that has been in one call for longer than a tick is <i>slow</i>. Slow workers do not count against the
 * number of workers, as long as at most {@link ReaperOptions#maxWedgedWorkers} of them exist. So other work waits for
 * one tick and then gets another thread. A slow worker whose call returns goes on if it is needed, and ends otherwise.
 *
 * <p>A worker that has been in one call for {@link ReaperOptions#wedgedAfter} is <i>wedged</i>. Another worker calls
 * the listener with the stack, and then {@link Reapable#preventCommit}. No thread interrupts it: it may be inside a
 * store or a driver, where an interrupt closes files for all threads. If the greatest number of workers exists and all
 * are wedged, no worker is left to cancel. That is logged as an error and shown in
 * {@link ReaperStatistics#workersExhausted}. Expired transactions then wait; they may still end by themselves. Workers
 * that are slow and come back are no error: so it is when many transactions expire at once.
 */
final class CancelWorkers {
    /** From this length on, ended registrations are removed from the queue. */
    private static final int PRUNE_FROM = 1024;

    private final Cancellations cancellations;
    private final ReaperLog log;
    private final ReaperClock clock;
    private final ThreadFactory threads;
    private final int maxWorkers;
    private final int maxWedged;
    private final long slowNanos;
    private final long wedgedNanos;

    private final SureLock lock = new SureLock();

    @GuardedBy("lock") private final RegistrationQueue waiting = new RegistrationQueue();

    @GuardedBy("lock") private final Deque<WedgedCancel> wedges = new ArrayDeque<>();
    /** Wedged workers that were reporting a wedge themselves; the watch logs them. */
    @GuardedBy("lock") private final Deque<WedgedCancel> wedgedReports = new ArrayDeque<>();

    @GuardedBy("lock") private final List<Worker> workers;

    @GuardedBy("lock") private int pruneAt = PRUNE_FROM;

    @GuardedBy("lock") private boolean exhausted;

    @GuardedBy("lock") private boolean stopped;

    @GuardedBy("lock") private long expired;

    @GuardedBy("lock") private long wedgedEver;

    @GuardedBy("lock") private long worstLatenessNanos;

    CancelWorkers(ReaperOptions options, ReaperClock clock, ThreadFactory threads, ReaperLog log, long tickNanos) {
        this.cancellations = new Cancellations(options.listener(), log);
        this.log = log;
        this.clock = clock;
        this.threads = threads;
        this.maxWorkers = options.workers();
        this.maxWedged = options.maxWedgedWorkers();
        this.slowNanos = tickNanos;
        this.wedgedNanos = options.wedgedAfter().toNanos();
        this.workers = new ArrayList<>(maxWorkers + maxWedged);
    }

    /**
     * Watch: takes the registrations that are due, and starts workers to cancel them. The books come first, then the
     * threads, and the log last: what fails on the way is tried again at the next look.
     */
    void tend(RegistrationQueue due, long nowNanos) {
        int wanted;
        lock.lock();
        try {
            waiting.addAll(due);
            prune();
            markSlowAndWedged(nowNanos);
            wanted = wantedWorkers();
        } finally {
            lock.unlock();
        }
        Throwable noThread = startWorkers(wanted);
        if (noThread != null) {
            tellNoThread(noThread);
        }
        tellWedgedReports();
        noticeExhaustion();
    }

    /** Watch: whether it must look in every tick because of the workers. */
    boolean needTending() {
        lock.lock();
        try {
            return hasWork() || wedgedWorkers() < workers.size();
        } finally {
            lock.unlock();
        }
    }

    /** Whether nothing waits and nothing is being cancelled. */
    boolean areIdle() {
        lock.lock();
        try {
            return !hasWork() && workers.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Watch: begins no further cancellation. Returns the number of transactions that waited or are still being
     * cancelled.
     */
    int stop() {
        lock.lock();
        try {
            stopped = true;
            waiting.prune();
            int left = waiting.size() + workers.size();
            while (waiting.poll() != null) {
                continue;
            }
            wedges.clear();
            return left;
        } finally {
            lock.unlock();
        }
    }

    /** The workers' part of the statistics. */
    Figures figures() {
        lock.lock();
        try {
            return new Figures(
                    expired,
                    cancellations.failed(),
                    waiting.size(),
                    workers.size(),
                    wedgedWorkers(),
                    wedgedEver,
                    exhausted,
                    Duration.ofNanos(worstLatenessNanos));
        } finally {
            lock.unlock();
        }
    }

    record Figures(
            long expired,
            long failed,
            int waiting,
            int workers,
            int wedged,
            long wedgedEver,
            boolean exhausted,
            Duration worstLateness) {}

    @GuardedBy("lock") private boolean hasWork() {
        return !waiting.isEmpty() || !wedges.isEmpty();
    }

    @GuardedBy("lock") private void markSlowAndWedged(long nowNanos) {
        for (int i = 0; i < workers.size(); i++) {
            Worker worker = workers.get(i);
            long busyNanos = nowNanos - worker.sinceNanos;
            Reapable transaction = worker.transaction;
            worker.slow = transaction != null && busyNanos >= slowNanos;
            if (transaction != null && busyNanos >= wedgedNanos && !worker.wedged) {
                markWedged(worker, transaction, busyNanos);
            }
        }
    }

    /** Queues the report before it marks the worker: without memory for the report the next look tries again. */
    @GuardedBy("lock") private void markWedged(Worker worker, Reapable transaction, long busyNanos) {
        try {
            Thread thread = Objects.requireNonNull(worker.thread, "a listed worker has its thread");
            WedgedCancel wedged =
                    new WedgedCancel(transaction, thread.getName(), Duration.ofNanos(busyNanos), stackOf(thread));
            // A worker that was itself reporting a wedge: another one that reports it would get stuck too.
            (worker.report != null ? wedgedReports : wedges).add(wedged);
        } catch (RuntimeException | Error unreported) {
            return;
        }
        worker.wedged = true;
        wedgedEver++;
    }

    /** The stack; empty if it cannot be captured. */
    private static List<StackTraceElement> stackOf(Thread thread) {
        try {
            return List.of(thread.getStackTrace());
        } catch (RuntimeException | Error uncaptured) {
            return List.of();
        }
    }

    /** The number of workers that the work needs beside the present ones and the limits allow. */
    @GuardedBy("lock") private int wantedWorkers() {
        int slow = slowWorkers();
        int room = Math.min(maxWorkers - (workers.size() - slow), maxWorkers + maxWedged - workers.size());
        return Math.max(0, Math.min(room, waiting.size() + wedges.size()));
    }

    @GuardedBy("lock") private int slowWorkers() {
        int slow = 0;
        for (int i = 0; i < workers.size(); i++) {
            slow += workers.get(i).slow ? 1 : 0;
        }
        return slow;
    }

    @GuardedBy("lock") private int wedgedWorkers() {
        int wedged = 0;
        for (int i = 0; i < workers.size(); i++) {
            wedged += workers.get(i).wedged ? 1 : 0;
        }
        return wedged;
    }

    /** Null if all were started, else the reason why the next one was not. */
    private @Nullable Throwable startWorkers(int count) {
        for (int i = 0; i < count; i++) {
            Throwable noThread = startWorker();
            if (noThread != null) {
                return noThread;
            }
        }
        return null;
    }

    private @Nullable Throwable startWorker() {
        Worker worker = null;
        try {
            worker = new Worker();
            worker.thread = Objects.requireNonNull(threads.newThread(worker), "the thread factory returned null");
            enlist(worker);
            worker.thread.start();
            return null;
        } catch (Throwable noThread) { // the system has no more threads, or the factory fails: others go on
            if (worker != null) {
                dismiss(worker);
            }
            return noThread;
        }
    }

    private void enlist(Worker worker) {
        lock.lock();
        try {
            workers.add(worker);
            worker.listed = true;
        } finally {
            lock.unlock();
        }
    }

    private void dismiss(Worker worker) {
        lock.lock();
        try {
            worker.listed = false;
            workers.remove(worker);
        } finally {
            lock.unlock();
        }
    }

    private void tellNoThread(Throwable noThread) {
        String text = "TALLY0607 no thread to cancel expired transactions; it is tried again at the next look";
        try {
            text = text + ": " + noThread;
        } catch (Throwable unnamed) { // the line without the reason
        }
        log.tell(Level.ERROR, text, noThread);
    }

    private void tellWedgedReports() {
        for (WedgedCancel wedged = nextWedgedReport(); wedged != null; wedged = nextWedgedReport()) {
            String text = "TALLY0604 the listener or preventCommit() has not come back";
            try {
                text = text + " for " + DurationText.of(wedged.busy()) + "; thread=" + wedged.threadName()
                        + " is left in it, at" + StackText.of(wedged.stack());
            } catch (Throwable noMemory) { // the line without the stack
            }
            log.tell(Level.ERROR, text, null);
        }
    }

    private @Nullable WedgedCancel nextWedgedReport() {
        lock.lock();
        try {
            return wedgedReports.poll();
        } finally {
            lock.unlock();
        }
    }

    private void noticeExhaustion() {
        boolean was;
        boolean now;
        int stuck;
        int waits;
        lock.lock();
        try {
            was = exhausted;
            stuck = workers.size();
            waits = waiting.size();
            now = hasWork() && stuck == maxWorkers + maxWedged && slowWorkers() == stuck && wedgedWorkers() == stuck;
            exhausted = now;
        } finally {
            lock.unlock();
        }
        if (now && !was) {
            log.tell(
                    Level.ERROR,
                    "TALLY0605 all workers are stuck in cancelling, and expired transactions wait; look at their"
                            + " stacks (TALLY0602), free what they wait for, or raise maxWedgedWorkers"
                            + " (tallystick.reaper.max-wedged-workers)" + counted(stuck, waits),
                    null);
        } else if (!now && was) {
            log.tell(Level.INFO, "TALLY0606 workers are free again to cancel expired transactions", null);
        }
    }

    private static String counted(int workers, int waiting) {
        try {
            return "; workers=" + workers + " waiting=" + waiting;
        } catch (Throwable noMemory) { // the line without the counts
            return "";
        }
    }

    @GuardedBy("lock") private void prune() {
        if (waiting.size() >= pruneAt) {
            waiting.prune();
            pruneAt = Math.max(PRUNE_FROM, 2 * waiting.size());
        }
    }

    /** One cancelling thread. Its fields are guarded by the lock; the thread itself may read its present call. */
    final class Worker implements Runnable {
        private @Nullable Thread thread;
        /** False before it is started, and again if that failed: a thread that runs all the same takes no work. */
        private boolean listed;

        /** The transaction of its present call, or null. */
        private @Nullable Reapable transaction;
        /** The registration whose transaction it cancels, or null if it reports. */
        private @Nullable Registration registration;
        /** The wedge of another worker that it reports, or null. */
        private @Nullable WedgedCancel report;

        private long sinceNanos;
        private boolean slow;
        private boolean wedged;

        @Override
        public void run() {
            try {
                while (next()) {
                    call();
                    Thread.interrupted(); // the transaction may have set it
                }
            } catch (Throwable failed) { // the watch starts another worker where there is work
                log.tell(Level.ERROR, "TALLY0616 a worker of the reaper has failed; another one goes on", failed);
            } finally {
                dismiss(this);
            }
        }

        /** Takes the next call; false if there is none for this thread, which is listed no more then. */
        private boolean next() {
            long nowNanos = clock.nanoTime(); // code of the user: before a transaction is taken
            lock.lock();
            try {
                finishCall();
                boolean goesOn = listed && !isSurplus() && take(nowNanos);
                if (!goesOn) {
                    listed = false;
                    workers.remove(this); // under this lock, so that every listed worker still takes work
                }
                return goesOn;
            } finally {
                lock.unlock();
            }
        }

        /** Allocates nothing: a registration that has been marked as expired must be cancelled. */
        @GuardedBy("CancelWorkers.this.lock") private boolean take(long nowNanos) {
            report = wedges.poll();
            if (report != null) {
                begin(report.transaction(), nowNanos);
                return true;
            }
            for (Registration first = waiting.poll(); first != null; first = waiting.poll()) {
                Reapable open = first.expire();
                if (open != null) {
                    registration = first;
                    begin(open, nowNanos);
                    expired++;
                    worstLatenessNanos = Math.max(worstLatenessNanos, nowNanos - first.deadlineNanos());
                    return true;
                }
            }
            return false;
        }

        @GuardedBy("CancelWorkers.this.lock") private boolean isSurplus() {
            return stopped || workers.size() - slowWorkers() > maxWorkers;
        }

        private void begin(Reapable begun, long nowNanos) {
            transaction = begun;
            sinceNanos = nowNanos;
        }

        private void call() {
            if (report != null) {
                cancellations.report(report);
            } else {
                Registration due = Objects.requireNonNull(registration, "a call reports or expires");
                Reapable open = Objects.requireNonNull(transaction, "a call has its transaction");
                cancellations.expire(due, open, sinceNanos - due.deadlineNanos());
            }
        }

        private void finishCall() {
            transaction = null;
            registration = null;
            report = null;
            slow = false;
            wedged = false;
        }
    }
}
