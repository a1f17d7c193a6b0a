package io.tallystick.benchmarks.measure;

import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.subject.DummyResources;
import jakarta.transaction.TransactionManager;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/**
 * The warm-up of a JVM: the transactions of {@link TransactionBenchmark}. Before the first measurement it goes on until
 * the rate is steady while the compilers had little to do. Without the second condition a cold JVM that is slowly
 * steady would pass. Other numbers of threads take other ways through the same code, so before the first measurement
 * with each the JVM runs with as many until its compilers have little to do.
 */
public final class WarmUp {
    /** After this time a JVM is measured as it is; its figures tell how busy the compiler still was. */
    public static final int MOST_SECONDS = 12;

    /** The same for transactions that differ from warm ones in their reaper alone. */
    public static final int MOST_SECONDS_MORE = 4;

    private static final int PERCENT = 5;
    private static final long CALM_WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final int MOST_CALM_WINDOWS = 8;
    private static final int CALM_WINDOWS = 2;

    private final TransactionBenchmark benchmark;
    private final Protocol protocol;
    private final int threads;
    private final CountDownLatch areStarted;
    private final LongAdder commits = new LongAdder();
    private volatile boolean isOver;

    private WarmUp(TransactionBenchmark benchmark, Protocol protocol, int threads) {
        this.benchmark = benchmark;
        this.protocol = protocol;
        this.threads = threads;
        this.areStarted = new CountDownLatch(threads);
    }

    /**
     * Warms this JVM up, until two successive seconds differ by less than {@value #PERCENT} percent while the compilers
     * were calm.
     *
     * @return the commits of each second, in their order
     * @throws Exception a transaction failed
     */
    public static List<Long> untilSteady(String store, Protocol protocol, int threads, int mostSeconds)
            throws Exception {
        return of(store, protocol, threads)
                .run(
                        TimeUnit.SECONDS.toNanos(1),
                        seconds -> seconds.size() >= mostSeconds
                                || seconds.get(seconds.size() - 1).isCalm() && isSteady(commitsOf(seconds)));
    }

    /**
     * Has this JVM compile what so many threads run, until its compilers are calm, {@value #MOST_CALM_WINDOWS} windows
     * at most.
     *
     * @return the commits of each window, in their order
     * @throws Exception a transaction failed
     */
    public static List<Long> untilCalm(String store, Protocol protocol, int threads) throws Exception {
        return of(store, protocol, threads)
                .run(CALM_WINDOW_NANOS, windows -> windows.size() >= MOST_CALM_WINDOWS || areCalm(windows));
    }

    private static WarmUp of(String store, Protocol protocol, int threads) throws Exception {
        TransactionBenchmark benchmark = new TransactionBenchmark();
        benchmark.store = store;
        benchmark.protocol = protocol.label();
        benchmark.start();
        return new WarmUp(benchmark, protocol, threads);
    }

    private List<Long> run(long windowNanos, Predicate<List<Window>> isEnough) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        List<Future<Void>> callers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            callers.add(pool.submit(this::commit));
        }
        areStarted.await(); // callers that run would keep the cores from the rest of them for seconds
        List<Window> windows = new ArrayList<>();
        long end = System.nanoTime();
        long compiled = CompilerCpu.nanosNow();
        do {
            end += windowNanos;
            for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            long compiledNow = CompilerCpu.nanosNow();
            boolean isCalm = compiledNow - compiled < windowNanos * Measurement.MOST_OF_COMPILER;
            windows.add(new Window(commits.sumThenReset(), isCalm));
            compiled = compiledNow;
        } while (callers.stream().noneMatch(Future::isDone) && !isEnough.test(windows));
        isOver = true;
        pool.shutdown();
        for (Future<Void> caller : callers) {
            caller.get();
        }
        return commitsOf(windows);
    }

    private static List<Long> commitsOf(List<Window> windows) {
        return windows.stream().map(Window::commits).toList();
    }

    private static boolean areCalm(List<Window> windows) {
        return windows.size() >= CALM_WINDOWS
                && windows.subList(windows.size() - CALM_WINDOWS, windows.size()).stream()
                        .allMatch(Window::isCalm);
    }

    private Void commit() throws Exception {
        TransactionManager manager = benchmark.transactionManager();
        DummyResources resources = new DummyResources(protocol);
        areStarted.countDown();
        areStarted.await();
        while (!isOver) {
            resources.transact(manager);
            commits.increment();
        }
        return null;
    }

    /** Whether the last two of these seconds differ by less than the bound. */
    static boolean isSteady(List<Long> seconds) {
        if (seconds.size() < 2) {
            return false;
        }
        long last = seconds.get(seconds.size() - 1);
        long before = seconds.get(seconds.size() - 2);
        return Math.abs(last - before) * 100 < PERCENT * Math.max(last, before);
    }

    /**
     * A part of a warm-up.
     *
     * @param commits in it
     * @param isCalm the compilers used little
     */
    private record Window(long commits, boolean isCalm) {}
}
