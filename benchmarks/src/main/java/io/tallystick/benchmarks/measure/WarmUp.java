package io.tallystick.benchmarks.measure;

import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.subject.DummyResources;
import jakarta.transaction.TransactionManager;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * The warm-up of a JVM before its first measurement: the transactions of {@link TransactionBenchmark}, until two
 * successive seconds differ by less than {@value #PERCENT} percent while the compilers had little to do, or {@value
 * #MOST_SECONDS} seconds are over. Without the second condition a cold JVM that is slowly steady would pass.
 */
public final class WarmUp {
    /** After this time a JVM is measured as it is; its figures tell how busy the compiler still was. */
    public static final int MOST_SECONDS = 12;

    /** The same for transactions that differ from warm ones in their reaper alone. */
    public static final int MOST_SECONDS_MORE = 4;

    private static final int PERCENT = 5;
    /** Time of the compilers in a second in which a JVM is warm, milliseconds. */
    private static final long CALM_MILLIS = 250;

    private final TransactionBenchmark benchmark;
    private final Protocol protocol;
    private final int threads;
    private final int mostSeconds;
    private final LongAdder commits = new LongAdder();
    private volatile boolean isOver;

    private WarmUp(TransactionBenchmark benchmark, Protocol protocol, int threads, int mostSeconds) {
        this.benchmark = benchmark;
        this.protocol = protocol;
        this.threads = threads;
        this.mostSeconds = mostSeconds;
    }

    /**
     * Warms this JVM up.
     *
     * @return the commits of each second, in their order
     * @throws Exception a transaction failed
     */
    public static List<Long> run(String store, Protocol protocol, int threads, int mostSeconds) throws Exception {
        TransactionBenchmark benchmark = new TransactionBenchmark();
        benchmark.store = store;
        benchmark.protocol = protocol.label();
        benchmark.start();
        return new WarmUp(benchmark, protocol, threads, mostSeconds).run();
    }

    private List<Long> run() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        List<Future<Void>> callers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            callers.add(pool.submit(this::commit));
        }
        List<Long> seconds = new ArrayList<>();
        long end = System.nanoTime();
        long compiled = ProcessUsage.compilerMillisNow();
        boolean isCalm;
        do {
            end += TimeUnit.SECONDS.toNanos(1);
            for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            seconds.add(commits.sumThenReset());
            long compiledNow = ProcessUsage.compilerMillisNow();
            isCalm = compiledNow - compiled < CALM_MILLIS;
            compiled = compiledNow;
        } while (callers.stream().noneMatch(Future::isDone)
                && seconds.size() < mostSeconds
                && !(isCalm && isSteady(seconds)));
        isOver = true;
        pool.shutdown();
        for (Future<Void> caller : callers) {
            caller.get();
        }
        return seconds;
    }

    private Void commit() throws Exception {
        TransactionManager manager = benchmark.transactionManager();
        DummyResources resources = new DummyResources(protocol);
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
}
