package io.tallystick.testkit.schedule;

import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Runs a body, and the threads that it starts, one at a time. At each {@link #point} the schedule may switch to
 * another thread; the seed decides which thread goes on, by a random walk, by priorities that change a few times, or by
 * places of the code at which threads stop.
 * Time stands still while a thread can run. When none can, it jumps to the earliest time that a thread waits for. If
 * no thread waits for a time, that is a deadlock. A run that takes too many steps is a livelock. Both fail, and so
 * does an exception on any thread.
 *
 * <p>This is not a proof: it samples interleavings, at the points that the code under test passes. {@link
 * BoundedSearch} runs all interleavings of a small scenario. A process has one schedule at a time.
 */
public final class Schedule {
    private static final int MAX_STEPS = 50_000;
    private static final int PATIENCE_SECONDS = 60;
    private static final int PROCESSORS = 2;
    private static final int THREADS_OF_ONE_ID = 2;
    private static final long FINGERPRINT_FACTOR = 0x9E3779B97F4A7C15L;

    private static final java.util.concurrent.atomic.AtomicReference<Schedule> ACTIVE =
            new java.util.concurrent.atomic.AtomicReference<>(); // not the class of this name in this package
    private static final java.util.concurrent.atomic.AtomicReference<ScheduleCoverage> COVERAGE =
            new java.util.concurrent.atomic.AtomicReference<>();

    private final Strategy strategy;
    private final ScheduleCoverage coverage = COVERAGE.get();
    private final List<Task> tasks = new CopyOnWriteArrayList<>();
    private final CountDownLatch over = new CountDownLatch(1);

    // Only the running thread touches these.
    private Task running;
    private final Map<Object, Monitor> monitors = new IdentityHashMap<>();
    private long nanos;
    private int steps;
    private long fingerprint;
    private final Set<String> sites = new HashSet<>();
    private volatile Throwable failure;

    private Schedule(Strategy strategy) {
        this.strategy = strategy;
    }

    /** A thread of the schedule. */
    static final class Task {
        final int number;
        final Thread thread;
        final Semaphore turn = new Semaphore(0);
        BooleanSupplier waitsFor;
        long wakesAtNanos = Long.MAX_VALUE;
        boolean unparked;
        int atomicDepth;
        boolean isOver;

        Task(int number, Thread thread) {
            this.number = number;
            this.thread = thread;
        }

        boolean canRun(long now) {
            return !isOver && (waitsFor == null || wakesAtNanos <= now || waitsFor.getAsBoolean());
        }
    }

    /** The code that a thread runs; it may throw anything. */
    @FunctionalInterface
    public interface Body {
        /** Runs the code. */
        void run() throws Exception;
    }

    /**
     * Runs the body under the schedule of this seed, and returns when all threads have ended.
     *
     * @return the number of points that the threads passed
     * @throws AssertionError a thread failed, or there is a deadlock or livelock; the message has the seed
     */
    public static int run(long seed, Body body) {
        return run(Strategy.of(seed), body);
    }

    static int run(Strategy strategy, Body body) {
        Schedule schedule = new Schedule(strategy);
        synchronized (Schedule.class) {
            ACTIVE.set(schedule);
            try {
                schedule.begin(body);
            } finally {
                ACTIVE.set(null);
                schedule.report();
            }
        }
        return schedule.steps;
    }

    private void report() {
        if (coverage != null) {
            coverage.add(fingerprint, sites);
        }
    }

    /** Sets what schedules report to from now on, or null; answers what they reported to before. */
    static ScheduleCoverage setCoverage(ScheduleCoverage coverageOrNull) {
        return COVERAGE.getAndSet(coverageOrNull);
    }

    private void begin(Body body) {
        Task first = add(new Thread(() -> perform(body), "scheduled-0"));
        running = first;
        first.thread.start();
        first.turn.release();
        try {
            if (!over.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError(
                        "a thread under the schedule waits for something that the schedule does not see");
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError(interrupted);
        }
        if (failure != null) {
            throw new AssertionError(failure.getMessage() == null ? failure.toString() : failure.getMessage(), failure);
        }
    }

    /** Starts a thread of the schedule; it runs when the schedule chooses it. */
    public static Thread start(Body body) {
        Thread thread = thread(body);
        thread.start();
        point();
        return thread;
    }

    /** A thread of the schedule that is not started. Its {@link Thread#start} is not a point. */
    public static Thread thread(Body body) {
        Schedule schedule = ACTIVE.get();
        Thread thread = new Thread(() -> schedule.perform(body), "scheduled-" + schedule.tasks.size());
        schedule.add(thread);
        return thread;
    }

    /** Returns when the thread has ended. */
    public static void join(Thread thread) {
        Schedule schedule = ACTIVE.get();
        Task task = schedule.taskOf(thread);
        schedule.waitUntil(() -> task.isOver, Long.MAX_VALUE);
    }

    /** As {@link #join}, where the code under test expects to be interrupted. */
    public static void joinInterruptibly(Thread thread) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        join(thread);
    }

    /** Whether the thread was started and has not ended. */
    public static boolean isAlive(Thread thread) {
        Schedule schedule = ACTIVE.get();
        Task task = schedule == null ? null : schedule.taskOf(thread);
        return task != null && !task.isOver;
    }

    /**
     * Replaces {@link Thread#getId}: a number that is the same in each run of a schedule. Two threads may have the same
     * one, so that threads which are spread by it meet.
     */
    public static long idOf(Thread thread) {
        Schedule schedule = ACTIVE.get();
        Task task = schedule == null ? null : schedule.taskOf(thread);
        return task == null ? 0 : task.number / THREADS_OF_ONE_ID;
    }

    /** Replaces {@link Runtime#availableProcessors}, so that a schedule is the same on every machine. */
    public static int availableProcessors(Runtime runtime) {
        return PROCESSORS;
    }

    /** A place where another thread may go on. */
    public static void point() {
        pass(false);
    }

    /** As {@link #point()}, at a named place of the rewritten code. */
    public static void point(String site) {
        at(site);
        pass(false);
    }

    /** Notes that this thread passes a named place of the rewritten code, which has a point of its own. */
    public static void at(String site) {
        Schedule schedule = ACTIVE.get();
        if (schedule != null && schedule.isMine()) {
            // A static initializer is atomic, and runs in the first schedule of a process only.
            if (schedule.running.atomicDepth == 0) {
                schedule.strategy.passes(site);
            }
            if (schedule.coverage != null) {
                schedule.sites.add(site);
                schedule.mix(site.hashCode());
            }
        }
    }

    /** A place where this thread asks another to go on; replaces {@link Thread#yield} and {@link Thread#onSpinWait}. */
    public static void giveWay() {
        pass(true);
    }

    private static void pass(boolean givesWay) {
        Schedule schedule = ACTIVE.get();
        if (schedule != null && schedule.isMine() && schedule.running.atomicDepth == 0) {
            Task me = schedule.running;
            schedule.switchTo(schedule.next(me, givesWay), me);
        }
    }

    /**
     * Runs the action without a point in between. It is meant for code that holds a lock which the schedule does not
     * see; the action must not wait.
     */
    public static <T> T atomically(Supplier<T> action) {
        point();
        beginAtomic();
        try {
            return action.get();
        } finally {
            endAtomic();
            point();
        }
    }

    /** From here until {@link #endAtomic} there is no point, and the thread must not wait. */
    public static void beginAtomic() {
        Schedule schedule = ACTIVE.get();
        if (schedule != null && schedule.isMine()) {
            schedule.running.atomicDepth++;
        }
    }

    /** Ends the section that {@link #beginAtomic} began. */
    public static void endAtomic() {
        Schedule schedule = ACTIVE.get();
        if (schedule != null && schedule.isMine()) {
            schedule.running.atomicDepth--;
        }
    }

    /** The time of the schedule, nanoseconds; it only jumps when no thread can run. */
    public static long nanoTime() {
        Schedule schedule = ACTIVE.get();
        return schedule == null ? System.nanoTime() : schedule.nanos;
    }

    /** Lets this thread wait until this much time has passed. */
    public static void sleep(long nanos) {
        Schedule schedule = ACTIVE.get();
        schedule.waitUntil(() -> false, schedule.nanos + nanos);
    }

    /**
     * Replaces {@link Thread#sleep(long)}; declares the exception because the code under test catches it, and never
     * throws it.
     */
    public static void sleepMillis(long millis) throws InterruptedException {
        sleep(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    /** The lock that replaces the monitor of this object; null outside a schedule. */
    static Monitor monitorOf(Object object) {
        Schedule schedule = ACTIVE.get();
        return schedule == null ? null : schedule.monitors.computeIfAbsent(object, any -> new Monitor());
    }

    static void park(long nanos) {
        Schedule schedule = ACTIVE.get();
        Task me = schedule.running;
        long until = nanos == Long.MAX_VALUE ? Long.MAX_VALUE : schedule.nanos + nanos;
        schedule.waitUntil(() -> me.unparked, until);
        me.unparked = false;
    }

    static void unpark(Thread thread) {
        Schedule schedule = ACTIVE.get();
        Task task = schedule == null || thread == null ? null : schedule.taskOf(thread);
        if (task != null) {
            task.unparked = true;
            point();
        }
    }

    static void await(BooleanSupplier condition) {
        await(condition, Long.MAX_VALUE);
    }

    /** Waits until the condition holds, or this much time has passed. */
    static void await(BooleanSupplier condition, long nanos) {
        Schedule schedule = ACTIVE.get();
        schedule.waitUntil(condition, nanos == Long.MAX_VALUE ? nanos : schedule.nanos + nanos);
    }

    private Task add(Thread thread) {
        thread.setDaemon(true);
        Task task = new Task(tasks.size(), thread);
        tasks.add(task);
        return task;
    }

    void adopt(Thread thread) {
        add(thread);
    }

    static Schedule active() {
        return ACTIVE.get();
    }

    private boolean isMine() {
        return running != null && running.thread == Thread.currentThread();
    }

    private Task taskOf(Thread thread) {
        for (Task task : tasks) {
            if (task.thread == thread) {
                return task;
            }
        }
        return null;
    }

    /** Runs a thread of the schedule from its first turn to its end. */
    void perform(Body body) {
        Task me = taskOf(Thread.currentThread());
        try {
            takeTurn(me);
            body.run();
        } catch (Throwable thrown) {
            fail(thrown);
        } finally {
            me.isOver = true;
            leave();
        }
    }

    private void leave() {
        if (failure != null) {
            over.countDown();
            return;
        }
        if (tasks.stream().allMatch(task -> task.isOver)) {
            over.countDown();
            return;
        }
        giveTurnTo(next(running, false));
    }

    private void switchTo(Task next, Task me) {
        if (next != me) {
            giveTurnTo(next);
            takeTurn(me);
        }
    }

    private void waitUntil(BooleanSupplier condition, long untilNanos) {
        Task me = running;
        if (me.atomicDepth > 0) {
            throw new IllegalStateException("a thread waits in an atomic section");
        }
        me.waitsFor = condition;
        me.wakesAtNanos = untilNanos;
        switchTo(next(me, false), me);
        me.waitsFor = null;
        me.wakesAtNanos = Long.MAX_VALUE;
    }

    private Task next(Task me, boolean givesWay) {
        if (++steps > MAX_STEPS) {
            throw failed(new AssertionError("I12 liveness violated: no end after " + MAX_STEPS + " steps"));
        }
        Task next = !givesWay && me.canRun(nanos) && strategy.stays(me.number) ? me : chosen(me, givesWay);
        mix(next.number);
        return next;
    }

    private void mix(int passed) {
        fingerprint = (fingerprint + passed + 1) * FINGERPRINT_FACTOR;
        fingerprint ^= fingerprint >>> Integer.SIZE;
    }

    private Task chosen(Task me, boolean givesWay) {
        while (true) {
            int[] able = tasks.stream()
                    .filter(task -> task.canRun(nanos))
                    .mapToInt(task -> task.number)
                    .toArray();
            if (able.length > 0) {
                return tasks.get(strategy.choose(able, me.number, givesWay));
            }
            long earliest = tasks.stream()
                    .filter(task -> !task.isOver)
                    .mapToLong(task -> task.wakesAtNanos)
                    .min()
                    .orElse(Long.MAX_VALUE);
            if (earliest == Long.MAX_VALUE) {
                throw failed(new AssertionError("I12 liveness violated: no thread can go on: " + stacks()));
            }
            nanos = earliest;
        }
    }

    private String stacks() {
        StringBuilder text = new StringBuilder();
        for (Task task : tasks) {
            if (!task.isOver) {
                text.append("\n  ").append(task.thread.getName());
                for (StackTraceElement element : task.thread.getStackTrace()) {
                    if (!element.getClassName().startsWith("java.")) {
                        text.append("\n    ").append(element);
                    }
                }
            }
        }
        return text.toString();
    }

    private void giveTurnTo(Task task) {
        running = task;
        task.turn.release();
    }

    private void takeTurn(Task me) {
        me.turn.acquireUninterruptibly(); // for ever, where the schedule has failed
    }

    /**
     * Ends the schedule; never returns. An exception would not stop this thread: code under test that catches
     * everything would run on beside the next schedule. So a thread of a failed schedule stands still for ever.
     */
    private IllegalStateException failed(AssertionError why) {
        fail(why);
        over.countDown();
        while (true) {
            running.turn.acquireUninterruptibly();
        }
    }

    private void fail(Throwable why) {
        if (failure == null) {
            failure = why;
        }
    }
}
