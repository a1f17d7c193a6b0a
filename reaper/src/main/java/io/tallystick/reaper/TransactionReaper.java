package io.tallystick.reaper;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Rolls back transactions that exceed their time, and costs a few nanoseconds for those that do not.
 *
 * <pre>{@code
 * try (TransactionReaper reaper = TransactionReaper.open()) {
 *     Registration registration = reaper.register(transaction, Duration.ofSeconds(60));
 *     ...
 *     registration.cancel(); // the transaction has ended in time
 * }
 * }</pre>
 *
 * <h2>Promises</h2>
 *
 * <ul>
 *   <li>A transaction is cancelled, or ended by its {@link Registration#cancel}, never both.
 *   <li>It is never cancelled before its time, unless the reaper is closed so. It is cancelled at most one
 *       {@link ReaperOptions#precision} after it, plus delays by the machine's load or a stop of the whole JVM.
 *   <li>Registering and cancelling take a few nanoseconds, wait for no lock and allocate nothing but the registration.
 *   <li>A cancellation that throws or does not come back harms and delays no other one. No thread is ever interrupted.
 *   <li>While nothing is registered there is no thread, and nothing wakes up.
 *   <li>Memory is in proportion to the transactions that are open, at every rate and with all timeouts. A transaction
 *       that ends at the age {@code a} is forgotten at the latest at the age {@code 2 * a}. One that took 3 s is
 *       forgotten 3 s after its end at the latest.
 *   <li>Wall-clock time plays no part.
 * </ul>
 *
 * <h2>How</h2>
 *
 * <p>{@link #register} pushes onto one of several unsorted lists and does not even read the clock. One thread, the
 * watch, looks every {@code precision / 2}: with a precision of 100 ms, every 50 ms. It takes the lists and drops the
 * transactions that have ended meanwhile, which are nearly all. Only then does it give the others a deadline and a
 * slot in a ring. Stripes, Wheel, WatchState and CancelWorkers each have one part of this and explain it.
 *
 * <p>All methods may be called by any number of platform or virtual threads.
 */
public final class TransactionReaper implements AutoCloseable {
    private static final String THREAD_NAME = "tallystick-reaper";
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    /** 73 years: deadlines can still be compared by subtraction. */
    private static final long LONGEST_NANOS = Long.MAX_VALUE / 4;

    private final ReaperOptions options;
    private final ReaperClock clock;
    private final ThreadFactory threads;
    private final boolean capturesStacks;
    private final Stripes stripes;
    private final WatchState watchState;
    private final Watch watch;
    private final ReaperLog log = new ReaperLog();
    /** Made before it is needed: there may be no memory later. */
    private final Runnable watching = this::watchOver;

    /** The present or last watching thread, which writes it before its first look. */
    private volatile @Nullable Thread watchThread;

    private volatile long worstLookDelayNanos;
    /** The failure of the last look until it is logged. Watching thread only. */
    private @Nullable Throwable lookFailure;

    private final AtomicReference<@Nullable Closing> closing = new AtomicReference<>();
    private final ConcurrentLinkedQueue<Thread> closers = new ConcurrentLinkedQueue<>();
    private volatile boolean leftOpen;

    private TransactionReaper(ReaperOptions options, ReaperClock clock) {
        ReaperClasses.initialize();
        this.options = options;
        this.clock = clock;
        this.threads = options.threadFactory().orElseGet(() -> new DaemonThreads(THREAD_NAME));
        this.capturesStacks = !options.stackCaptureLead().isZero();
        this.stripes = new Stripes(Stripes.countFor(Runtime.getRuntime().availableProcessors()));
        this.watchState = new WatchState(stripes);
        this.watch = new Watch(stripes, options, clock, threads, log);
    }

    /** Opens a reaper with all defaults. No thread is started before something is registered. */
    public static TransactionReaper open() {
        return open(ReaperOptions.defaults());
    }

    /** Opens a reaper. No thread is started before something is registered. */
    public static TransactionReaper open(ReaperOptions options) {
        return open(options, ReaperClock.system());
    }

    /** Opens a reaper with this clock. */
    public static TransactionReaper open(ReaperOptions options, ReaperClock clock) {
        return new TransactionReaper(
                Objects.requireNonNull(options, "options"), Objects.requireNonNull(clock, "clock"));
    }

    /**
     * Gives a transaction a time limit. Registering one transaction twice gives it two.
     *
     * @param transaction the transaction that is cancelled when the time is over; its methods must not wait for the
     *     thread that registers it
     * @param timeout more than zero; more than 73 years count as 73
     * @return the handle to {@linkplain Registration#cancel cancel} when the transaction ends
     * @throws IllegalArgumentException the timeout is zero or negative
     * @throws IllegalStateException the reaper is closed
     * @throws OutOfMemoryError there is no thread to watch over the transaction; it is not registered
     */
    public Registration register(Reapable transaction, Duration timeout) {
        Registration registration = new Registration(
                Objects.requireNonNull(transaction, "transaction"),
                nanosOf(timeout),
                capturesStacks ? Thread.currentThread() : null);
        stripes.push(registration);
        if (!watchState.isWatching()) {
            wakeWatch(registration);
        }
        return registration;
    }

    /**
     * The time that is left for a registered transaction; zero if its time is over or it has ended. It is at most one
     * {@link ReaperOptions#precision} too large, and never too small.
     */
    public Duration remaining(Registration registration) {
        if (registration.hasEnded()) {
            return Duration.ZERO;
        }
        long deadlineNanos = registration.deadlineNanos();
        long leftNanos = deadlineNanos == 0 ? registration.timeoutNanos() : deadlineNanos - clock.nanoTime();
        return Duration.ofNanos(Math.max(0, leftNanos));
    }

    /** Counts and delays since the reaper was opened. */
    public ReaperStatistics statistics() {
        Watch.Counts counts = watch.counts();
        CancelWorkers.Figures figures = watch.workerFigures();
        WatchState.Phase phase = phase();
        return new ReaperStatistics(
                counts.taken() + counts.arrived(),
                counts.arrived(),
                Math.max(0, counts.taken() - counts.held() - figures.waiting() - figures.expired()),
                figures.expired(),
                counts.held(),
                figures.waiting(),
                figures.workers(),
                figures.wedged(),
                figures.wedgedEver(),
                figures.exhausted(),
                figures.failed(),
                phase != WatchState.Phase.ENDED && phase != WatchState.Phase.CLOSED,
                counts.looks(),
                Duration.ofNanos(worstLookDelayNanos),
                figures.worstLateness());
    }

    /** The options of this reaper. */
    public ReaperOptions options() {
        return options;
    }

    /** Closes as {@link ReaperOptions#closeMode} and {@link ReaperOptions#closeTimeout} say. */
    @Override
    public void close() {
        close(options.closeMode(), options.closeTimeout());
    }

    /**
     * Accepts no more transactions, deals with the open ones, and ends the reaper's threads. Returns as soon as no
     * transaction is open or being cancelled, and at the latest after {@code atMost}. A cancellation that has not come
     * back by then is left alone, and so is one that was not begun. An interrupt does not end the wait; the calling
     * thread finds its flag set afterwards.
     *
     * <p>It may be called again: the stricter mode and the earlier end hold.
     *
     * @return whether no transaction was left open
     */
    public boolean close(CloseMode mode, Duration atMost) {
        long endNanos = clock.nanoTime() + Math.min(LONGEST_NANOS, boundOf(atMost));
        closing.accumulateAndGet(new Closing(Objects.requireNonNull(mode, "mode"), endNanos), Closing::stricter);
        closers.add(Thread.currentThread()); // before anything has changed: there may be no memory for it
        WatchState.Call duty = watchState.close();
        if (duty == WatchState.Call.START) {
            closeWithoutWatch();
        }
        if (duty != WatchState.Call.NONE) {
            LockSupport.unpark(watchThread);
            awaitClosed(endNanos);
        }
        closers.remove(Thread.currentThread());
        return watchState.phase() == WatchState.Phase.CLOSED && !leftOpen;
    }

    WatchState.Phase phase() {
        return watchState.phase();
    }

    private void wakeWatch(Registration registration) {
        WatchState.Call duty = watchState.call();
        if (duty == WatchState.Call.UNPARK) {
            LockSupport.unpark(watchThread);
        } else if (duty == WatchState.Call.START) {
            startWatch(registration);
        } else if (duty == WatchState.Call.REFUSED && registration.cancel()) { // else it was expired by the closing
            throw new IllegalStateException(
                    "the reaper is closed; register transactions before close() or with another one");
        }
    }

    private void startWatch(Registration registration) {
        boolean started = false;
        try {
            threads.newThread(watching).start();
            started = true;
        } finally {
            if (!started) {
                registration.cancel();
                if (watchState.notStarted()) {
                    finish(watch.stopUnseen());
                }
                log.tell(
                        Level.ERROR,
                        "TALLY0612 the reaper's thread could not be started; this transaction is refused, and others"
                                + " that are just being registered have no timeout until a start succeeds",
                        null);
            }
        }
    }

    /**
     * No thread watches, and this one has its place. Cancellations that do not come back may be under way, or a start
     * of the watch may have failed while others registered. Then a watch is started to finish as usual.
     */
    private void closeWithoutWatch() {
        if (stripes.isEmpty() && watch.isDrained()) {
            finish(watch.stop());
            return;
        }
        try {
            threads.newThread(watching).start();
        } catch (Throwable noThread) { // told as transactions that are left open
            finish(watch.stopUnseen());
        }
    }

    /** The body of the watching thread. */
    private void watchOver() {
        watchThread = Thread.currentThread();
        boolean on = true;
        while (on) {
            on = turn();
        }
    }

    /**
     * One look and the wait after it; false if this thread is not wanted any more. No error ends the watch, or no
     * transaction would time out any more.
     */
    private boolean turn() {
        Throwable earlier = lookFailure;
        lookFailure = null;
        try {
            boolean isClosing = watchState.phase() == WatchState.Phase.CLOSING;
            watch.look();
            tellFailure(earlier);
            earlier = null;
            return isClosing ? endOrderly() : waitOrEnd();
        } catch (Throwable unexpected) {
            tellFailure(earlier);
            lookFailure = unexpected;
            restAfterFailure();
            return true;
        }
    }

    /** Logs the failure of the last look in the next turn, because logging may fail for the same reason. */
    private void tellFailure(@Nullable Throwable failureOrNull) {
        if (failureOrNull != null) {
            log.tell(Level.ERROR, "TALLY0610 the reaper could not look; it tries again in every tick", failureOrNull);
        }
    }

    private void restAfterFailure() {
        try {
            waitWhile(watchState.phase(), watch.nextTickNanos());
        } catch (Throwable noClock) { // the clock is code of the user, and may be what fails
            ReaperClock machine = SystemReaperClock.INSTANCE;
            machine.parkUntil(machine.nanoTime() + options.precision().toNanos() / 2);
        }
    }

    private boolean waitOrEnd() {
        if (watch.isBusy()) {
            waitWhile(WatchState.Phase.WATCHING, watch.nextTickNanos());
            return true;
        }
        if (watch.hasLittle()) {
            watch.forgetEnded();
        }
        if (watch.hasNothing() && !watch.isBusy()) {
            return !watchState.end();
        }
        if (!watch.hasNothing() && watchState.doze()) {
            waitWhile(WatchState.Phase.DOZING, watch.nextLookNanos());
            watchState.awake();
        }
        return true;
    }

    private boolean endOrderly() {
        Closing order = Objects.requireNonNull(closing.get(), "the phase is CLOSING without an order to close");
        if (order.mode() == CloseMode.EXPIRE_OPEN) {
            watch.expireOpen();
        } else {
            watch.forgetEnded();
        }
        if (watch.isDrained() || clock.nanoTime() - order.endNanos() >= 0) {
            finish(watch.stop());
            return false;
        }
        long nextTick = watch.nextTickNanos();
        waitWhile(WatchState.Phase.CLOSING, nextTick - order.endNanos() < 0 ? nextTick : order.endNanos());
        return true;
    }

    /**
     * Checks the phase right before parking: a thread that changes it unparks, and locks may have used up that
     * permit.
     */
    private void waitWhile(WatchState.Phase phase, long untilNanos) {
        if (watchState.phase() == phase) {
            clock.parkUntil(untilNanos);
            Thread.interrupted(); // no thread has a reason to interrupt the watch, and the flag would end each wait
            worstLookDelayNanos = Math.max(worstLookDelayNanos, clock.nanoTime() - untilNanos);
        }
    }

    private void finish(int left) {
        leftOpen = left > 0;
        if (left > 0) {
            tellLeftOpen(left); // throws nothing, and returns also if the logger does not
        }
        watchState.closed();
        for (Thread closer = closers.poll(); closer != null; closer = closers.poll()) {
            LockSupport.unpark(closer);
        }
    }

    private void tellLeftOpen(int left) {
        String text = "TALLY0611 the reaper is closed with transactions still open or being cancelled; they are left"
                + " alone";
        try {
            text += "; transactions=" + left;
        } catch (Throwable noMemory) { // the line without the number
        }
        log.tell(Level.WARNING, text, null);
    }

    private void awaitClosed(long endNanos) {
        boolean interrupted = false;
        while (watchState.phase() != WatchState.Phase.CLOSED && clock.nanoTime() - endNanos < 0) {
            clock.parkUntil(endNanos);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static long nanosOf(Duration timeout) {
        long seconds = timeout.getSeconds();
        if (seconds >= LONGEST_NANOS / NANOS_PER_SECOND) {
            return LONGEST_NANOS;
        }
        long nanos = seconds * NANOS_PER_SECOND + timeout.getNano();
        if (seconds < 0 || nanos == 0) {
            throw new IllegalArgumentException("timeout=" + timeout
                    + " is not more than zero; do not register a transaction that has no time limit");
        }
        return nanos;
    }

    private static long boundOf(Duration atMost) {
        if (atMost.isNegative()) {
            throw new IllegalArgumentException("atMost=" + atMost + " is negative");
        }
        return atMost.isZero() ? 0 : nanosOf(atMost);
    }

    /** The mode and the latest end of a close. */
    private record Closing(CloseMode mode, long endNanos) {
        static Closing stricter(@Nullable Closing earlier, Closing later) {
            if (earlier == null) {
                return later;
            }
            return new Closing(
                    earlier.mode == CloseMode.EXPIRE_OPEN ? earlier.mode : later.mode,
                    earlier.endNanos - later.endNanos < 0 ? earlier.endNanos : later.endNanos);
        }
    }
}
