package io.tallystick.benchmarks.measure;

import io.tallystick.benchmarks.Protocol;
import jakarta.transaction.TransactionManager;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
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
    private final AtomicBoolean isOver = new AtomicBoolean();
    private final ConcurrentLinkedQueue<Exception> failures = new ConcurrentLinkedQueue<>();

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
     * @throws IllegalStateException a transaction failed
     */
    public static List<Long> run(String store, Protocol protocol, int threads, int mostSeconds) throws Exception {
        TransactionBenchmark benchmark = new TransactionBenchmark();
        benchmark.store = store;
        benchmark.protocol = protocol.label();
        benchmark.start();
        return new WarmUp(benchmark, protocol, threads, mostSeconds).run();
    }

    private List<Long> run() throws InterruptedException {
        List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Thread caller = new Thread(this::commit, "warm-up");
            callers.add(caller);
            caller.start();
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
        } while (failures.isEmpty() && seconds.size() < mostSeconds && !(isCalm && isSteady(seconds)));
        isOver.set(true);
        for (Thread caller : callers) {
            caller.join();
        }
        if (!failures.isEmpty()) {
            throw new IllegalStateException("a transaction of the warm-up failed", failures.peek());
        }
        return seconds;
    }

    private void commit() {
        TransactionManager manager = benchmark.transactionManager();
        DummyResources resources = new DummyResources(protocol);
        try {
            while (!isOver.get()) {
                resources.transact(manager);
                commits.increment();
            }
        } catch (RuntimeException
                | jakarta.transaction.NotSupportedException
                | jakarta.transaction.SystemException
                | jakarta.transaction.RollbackException
                | jakarta.transaction.HeuristicMixedException
                | jakarta.transaction.HeuristicRollbackException failed) {
            failures.add(failed);
        }
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
