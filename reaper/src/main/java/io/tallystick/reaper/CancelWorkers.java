package io.tallystick.reaper;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.ReentrantLock;

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
 * are slow, no worker is left to cancel. That is logged as an error and shown in
 * {@link ReaperStatistics#workersExhausted}. Expired transactions then wait; they may still end by themselves.
 */
final class CancelWorkers {
    private static final System.Logger LOG = System.getLogger("io.tallystick.reaper");
    /** From this length on, ended registrations are removed from the queue. */
    private static final int PRUNE_FROM = 1024;

    private final ReaperListener listener;
    private final ReaperClock clock;
    private final ThreadFactory threads;
    private final int maxWorkers;
    private final int maxWedged;
    private final long slowNanos;
    private final long wedgedNanos;

    private final ReentrantLock lock = new ReentrantLock();

    // All below is guarded by lock.
    private final RegistrationQueue waiting = new RegistrationQueue();
    private final Deque<Wedge> wedges = new ArrayDeque<>();
    private final List<Worker> workers = new ArrayList<>();
    private int pruneAt = PRUNE_FROM;
    private boolean exhausted;
    private boolean stopped;
    private long expired;
    private long failed;
    private long wedgedEver;
    private long worstLatenessNanos;

    CancelWorkers(ReaperOptions options, ReaperClock clock, ThreadFactory threads, long tickNanos) {
        this.listener = options.listener();
        this.clock = clock;
        this.threads = threads;
        this.maxWorkers = options.workers();
        this.maxWedged = options.maxWedgedWorkers();
        this.slowNanos = tickNanos;
        this.wedgedNanos = options.wedgedAfter().toNanos();
    }

    /** Watch: takes the registrations that are due, and starts workers to cancel them. */
    void tend(RegistrationQueue due, long nowNanos) {
        List<Worker> newcomers;
        lock.lock();
        try {
            waiting.addAll(due);
            markSlowAndWedged(nowNanos);
            newcomers = enlist();
            noticeExhaustion();
            prune();
        } finally {
            lock.unlock();
        }
        for (int i = 0; i < newcomers.size(); i++) {
            if (!start(newcomers.get(i))) {
                dismiss(newcomers.subList(i, newcomers.size()));
                return;
            }
        }
    }

    /** Watch: whether it must look in every tick because of the workers. */
    boolean needTending() {
        lock.lock();
        try {
            return hasWork() || workers.stream().anyMatch(worker -> !worker.wedged);
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
            int wedged = (int) workers.stream().filter(worker -> worker.wedged).count();
            return new Figures(
                    expired,
                    failed,
                    waiting.size(),
                    workers.size(),
                    wedged,
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

    private boolean hasWork() {
        return !waiting.isEmpty() || !wedges.isEmpty();
    }

    private void markSlowAndWedged(long nowNanos) {
        for (Worker worker : workers) {
            long busyNanos = nowNanos - worker.sinceNanos;
            worker.slow = worker.transaction != null && busyNanos >= slowNanos;
            if (worker.transaction != null && busyNanos >= wedgedNanos && !worker.wedged) {
                worker.wedged = true;
                wedgedEver++;
                report(worker, busyNanos);
            }
        }
    }

    private void report(Worker worker, long busyNanos) {
        WedgedCancel wedged = new WedgedCancel(
                worker.transaction,
                worker.thread.getName(),
                Duration.ofNanos(busyNanos),
                List.of(worker.thread.getStackTrace()));
        if (worker.reporting) {
            // This worker was itself reporting a wedge. Another worker that reports it would get stuck too.
            LOG.log(
                    Level.ERROR,
                    "TALLY0604 the listener or preventCommit() has not come back for "
                            + DurationText.of(wedged.busy()) + "; thread=" + wedged.threadName()
                            + " is left in it, at" + StackText.of(wedged.stack()));
        } else {
            wedges.add(new Wedge(wedged));
        }
    }

    /** Adds the workers that the work needs and the limits allow. */
    private List<Worker> enlist() {
        int slow = slowWorkers();
        int room = Math.min(maxWorkers - (workers.size() - slow), maxWorkers + maxWedged - workers.size());
        int count = Math.max(0, Math.min(room, waiting.size() + wedges.size()));
        List<Worker> newcomers = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            newcomers.add(new Worker());
        }
        workers.addAll(newcomers);
        return newcomers;
    }

    private int slowWorkers() {
        int slow = 0;
        for (Worker worker : workers) {
            slow += worker.slow ? 1 : 0;
        }
        return slow;
    }

    private void noticeExhaustion() {
        boolean now = hasWork() && workers.size() == maxWorkers + maxWedged && slowWorkers() == workers.size();
        if (now && !exhausted) {
            LOG.log(
                    Level.ERROR,
                    "TALLY0605 all " + workers.size() + " workers are stuck in cancelling and " + waiting.size()
                            + " expired transactions wait; look at their stacks (TALLY0602), free what they wait for,"
                            + " or raise maxWedgedWorkers (tallystick.reaper.max-wedged-workers)");
        } else if (!now && exhausted) {
            LOG.log(Level.INFO, "TALLY0606 workers are free again to cancel expired transactions");
        }
        exhausted = now;
    }

    private void prune() {
        if (waiting.size() >= pruneAt) {
            waiting.prune();
            pruneAt = Math.max(PRUNE_FROM, 2 * waiting.size());
        }
    }

    private boolean start(Worker worker) {
        try {
            worker.thread = threads.newThread(worker);
            worker.thread.start();
            return true;
        } catch (RuntimeException | OutOfMemoryError noThread) { // OutOfMemoryError: the system has no more threads
            LOG.log(
                    Level.ERROR,
                    "TALLY0607 no thread to cancel expired transactions (" + noThread
                            + "); it is tried again at the next look",
                    noThread);
            return false;
        }
    }

    private void dismiss(List<Worker> notStarted) {
        lock.lock();
        try {
            workers.removeAll(notStarted);
        } finally {
            lock.unlock();
        }
    }

    /** One cancelling thread. Its fields are guarded by the lock. */
    final class Worker implements Runnable {
        private Thread thread;
        /** The transaction of its present call, or null. */
        private Reapable transaction;

        private long sinceNanos;
        private boolean slow;
        private boolean wedged;
        /** Whether it is reporting another worker's wedge. */
        private boolean reporting;

        @Override
        public void run() {
            try {
                for (Runnable job = next(); job != null; job = next()) {
                    job.run();
                    clearInterrupt(); // the transaction may have set it
                }
            } finally {
                leave();
            }
        }

        private Runnable next() {
            lock.lock();
            try {
                finishJob();
                Runnable job = isSurplus() ? null : nextJob();
                if (job == null) {
                    workers.remove(this); // under this lock, so that every listed worker still takes work
                }
                return job;
            } finally {
                lock.unlock();
            }
        }

        private Runnable nextJob() {
            Wedge wedge = wedges.poll();
            if (wedge != null) {
                begin(wedge.wedged.transaction(), true);
                return wedge;
            }
            Registration registration = waiting.poll();
            while (registration != null) {
                Reapable open = registration.expire();
                if (open != null) {
                    begin(open, false);
                    return expiry(registration, open);
                }
                registration = waiting.poll();
            }
            return null;
        }

        private Runnable expiry(Registration registration, Reapable open) {
            long latenessNanos = sinceNanos - registration.deadlineNanos();
            worstLatenessNanos = Math.max(worstLatenessNanos, latenessNanos);
            expired++;
            return () -> expire(registration, open, latenessNanos);
        }

        private boolean isSurplus() {
            return stopped || workers.size() - slowWorkers() > maxWorkers;
        }

        private void begin(Reapable begun, boolean isReport) {
            transaction = begun;
            reporting = isReport;
            sinceNanos = clock.nanoTime();
        }

        private void finishJob() {
            transaction = null;
            slow = false;
            wedged = false;
        }

        private void leave() {
            lock.lock();
            try {
                workers.remove(this);
            } finally {
                lock.unlock();
            }
        }
    }

    private void expire(Registration registration, Reapable transaction, long latenessNanos) {
        ExpiryReason reason = latenessNanos >= 0 ? ExpiryReason.TIMEOUT : ExpiryReason.CLOSE;
        CancelOutcome outcome = CancelOutcome.REFUSED;
        Optional<Throwable> failure = Optional.empty();
        Object event = ExpiryEvents.begun();
        try {
            outcome = Objects.requireNonNull(transaction.cancel(reason), "cancel() returned null");
        } catch (Throwable thrown) { // reported to the listener; this thread must go on for the other transactions
            failure = Optional.of(thrown);
        }
        if (outcome == CancelOutcome.REFUSED) {
            countFailure();
            preventCommit(transaction);
        }
        Expiry expiry = new Expiry(
                transaction,
                reason,
                registration.timeout(),
                Duration.ofNanos(latenessNanos),
                outcome,
                failure,
                registration.ownerStack());
        tell(() -> ExpiryEvents.ended(event, expiry));
        tell(() -> listener.expired(expiry));
    }

    private void preventCommit(Reapable transaction) {
        try {
            if (transaction.preventCommit()) {
                tell(() -> listener.commitPrevented(transaction));
            }
        } catch (Throwable thrown) { // as in expire
            tell(() -> LOG.log(
                    Level.ERROR,
                    "TALLY0608 preventCommit() threw; the transaction is not rolled back and may yet commit: "
                            + transaction,
                    thrown));
        }
    }

    private void tell(Runnable message) {
        try {
            message.run();
        } catch (Throwable thrown) { // a listener must not end the thread that rolls back
            LOG.log(Level.ERROR, "TALLY0609 the reaper's listener threw; transactions are not affected", thrown);
        }
    }

    private void countFailure() {
        lock.lock();
        try {
            failed++;
        } finally {
            lock.unlock();
        }
    }

    private static void clearInterrupt() {
        Thread.interrupted();
    }

    /** The job that reports a wedge. */
    private final class Wedge implements Runnable {
        private final WedgedCancel wedged;

        private Wedge(WedgedCancel wedged) {
            this.wedged = wedged;
        }

        @Override
        public void run() {
            tell(() -> listener.wedged(wedged));
            preventCommit(wedged.transaction());
        }
    }
}
