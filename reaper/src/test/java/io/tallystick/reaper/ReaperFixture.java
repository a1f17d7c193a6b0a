package io.tallystick.reaper;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.function.BooleanSupplier;

/**
 * A reaper with real threads in a time that the test moves. {@link #pass} moves it tick by tick and lets the watch
 * finish each look, so that a test knows what has been done when it returns, except for the work of the workers.
 */
final class ReaperFixture implements AutoCloseable {
    static final Duration PRECISION = Duration.ofMillis(100);
    static final Duration TICK = PRECISION.dividedBy(2);

    private static final long PATIENCE_NANOS = Duration.ofSeconds(30).toNanos();

    final ManualClock clock = new ManualClock();
    final TransactionReaper reaper;
    final Queue<Expiry> expiries = new ConcurrentLinkedQueue<>();
    final Queue<WedgedCancel> wedges = new ConcurrentLinkedQueue<>();
    final Queue<Reapable> prevented = new ConcurrentLinkedQueue<>();

    private final List<Thread> watches = new CopyOnWriteArrayList<>();
    private final List<Thread> workers = new CopyOnWriteArrayList<>();

    ReaperFixture() {
        this(options());
    }

    /** Options of a reaper that does not log what the test makes happen. */
    static ReaperOptions.Builder options() {
        return ReaperOptions.builder().listener(ReaperListener.silent());
    }

    ReaperFixture(ReaperOptions.Builder options) {
        ReaperOptions asked = options.precision(PRECISION).build();
        ThreadFactory threads = asked.threadFactory().orElse(new DaemonThreads("test-reaper"));
        reaper = TransactionReaper.open(
                asked.toBuilder()
                        .listener(new Recorder().andThen(asked.listener()))
                        .threadFactory(body -> recorded(threads.newThread(body), body))
                        .build(),
                clock);
    }

    TestTransaction transaction(String name) {
        return new TestTransaction(name);
    }

    /** Registers, and waits for the watch if it has to wake up for that. */
    Registration register(Reapable transaction, Duration timeout) {
        long looks = reaper.statistics().looks();
        boolean wakes = reaper.phase() != WatchState.Phase.WATCHING;
        Registration registration = reaper.register(transaction, timeout);
        if (wakes) {
            await(() -> reaper.statistics().looks() > looks);
            awaitWatch();
        }
        return registration;
    }

    /** Moves time by at least this much, in ticks. */
    void pass(Duration time) {
        for (long nanos = 0; nanos < time.toNanos(); nanos += TICK.toNanos()) {
            clock.advance(TICK);
            awaitWatch();
        }
    }

    /** As {@link #pass}, where workers have to do something meanwhile: they need time of the machine's. */
    void passWithWorkers(Duration time) {
        for (long nanos = 0; nanos < time.toNanos(); nanos += TICK.toNanos()) {
            pass(TICK);
            awaitWorkers();
        }
    }

    /** Moves time until something has happened that only takes ticks and a thread's while. */
    void passUntil(BooleanSupplier happened) {
        for (int ticks = 0; !happened.getAsBoolean() && ticks < 100; ticks++) {
            pass(TICK);
            awaitWorkers();
        }
        assertThat(happened.getAsBoolean()).as("it happened").isTrue();
    }

    /** Waits until every worker has either nothing to do or is stuck in a {@link StuckTransaction}. */
    void awaitWorkers() {
        await(() -> workers.stream().noneMatch(worker -> worker.isAlive() && !StuckTransaction.holds(worker)));
    }

    boolean isWatched() {
        return watches.stream().anyMatch(Thread::isAlive);
    }

    Thread watch() {
        return watches.get(watches.size() - 1);
    }

    int watchesStarted() {
        return watches.size();
    }

    List<Thread> workers() {
        return workers;
    }

    ReaperStatistics statistics() {
        return reaper.statistics();
    }

    static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("waited for long enough").isLessThan(end);
            Thread.yield();
        }
    }

    @Override
    public void close() {
        reaper.close(CloseMode.EXPIRE_OPEN, Duration.ZERO);
    }

    /** Waits until the watch has nothing to do before time moves on. */
    void awaitWatch() {
        await(() -> watches.stream().noneMatch(watch -> watch.isAlive() && !clock.isParked(watch)));
    }

    private Thread recorded(Thread thread, Runnable body) {
        (body instanceof CancelWorkers.Worker ? workers : watches).add(thread);
        return thread;
    }

    private final class Recorder implements ReaperListener {
        @Override
        public void expired(Expiry expiry) {
            expiries.add(expiry);
        }

        @Override
        public void wedged(WedgedCancel wedged) {
            wedges.add(wedged);
        }

        @Override
        public void commitPrevented(Reapable transaction) {
            prevented.add(transaction);
        }
    }
}
