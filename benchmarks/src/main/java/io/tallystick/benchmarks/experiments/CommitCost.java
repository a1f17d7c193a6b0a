package io.tallystick.benchmarks.experiments;

import com.arjuna.ats.arjuna.objectstore.StoreManager;
import com.arjuna.ats.internal.jta.transaction.arjunacore.TransactionManagerImple;
import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.measure.LatencySamples;
import io.tallystick.benchmarks.run.ForkedJvm;
import io.tallystick.benchmarks.run.RunDirectory;
import io.tallystick.benchmarks.subject.DummyResources;
import io.tallystick.benchmarks.subject.SubjectCatalog;
import jakarta.transaction.TransactionManager;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Two-phase commits through Narayana in one JVM: how many a second, what each costs the processor, and how long it
 * takes; for some numbers of threads, one after the other. For comparing two builds: run this main class of each build
 * in turns.
 *
 * <p>Arguments: {@code STORE THREADS,THREADS... SECONDS COMPUTING}: the store as {@code ./bench --list} names it, the
 * numbers of threads, how long each is measured, and how many threads compute beside them without end. A warm-up of a
 * quarter of that time does not count.
 */
public final class CommitCost {
    private static final PrintStream OUT = System.out;
    private static final int TIMED_ONE_IN = 8;

    private final TransactionManager transactionManager = new TransactionManagerImple();
    private final ConcurrentLinkedQueue<Exception> failures = new ConcurrentLinkedQueue<>();

    private CommitCost() {}

    /** Measures and prints; see the class. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        if (arguments.length != 4) {
            throw new IllegalArgumentException("usage: STORE THREADS,THREADS... SECONDS COMPUTING");
        }
        RunDirectory directory = RunDirectory.create(Path.of("benchmarks/target/bench-stores"));
        ForkedJvm.imitate(SubjectCatalog.named(arguments[0]), directory.path().resolve("stores"), directory.path());
        for (int i = Integer.parseInt(arguments[3]); i > 0; i--) {
            Thread computing = new Thread(CommitCost::compute, "computing");
            computing.setDaemon(true);
            computing.start();
        }
        CommitCost cost = new CommitCost();
        for (String threads : arguments[1].split(",")) {
            cost.measure(arguments[0], Integer.parseInt(threads), Long.parseLong(arguments[2]));
        }
        StoreManager.shutdown();
        directory.delete();
        System.exit(0); // threads that compute have no end
    }

    private static void compute() {
        double sum = 0;
        while (sum >= 0) {
            sum += Math.sqrt(sum + 1) - Math.sqrt(sum);
        }
    }

    private void measure(String store, int count, long seconds) throws InterruptedException {
        AtomicBoolean isOver = new AtomicBoolean();
        LongAdder commits = new LongAdder();
        Histogram latencies = new ConcurrentHistogram(LatencySamples.HIGHEST_NANOS, 2);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Thread thread = new Thread(() -> commit(isOver, commits, latencies), "caller");
            threads.add(thread);
            thread.start();
        }
        Thread.sleep(seconds * 250);
        latencies.reset();
        long before = commits.sum();
        MeasuredTurn turn = MeasuredTurn.of(TimeUnit.SECONDS.toNanos(seconds), commits::sum);
        isOver.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        if (!failures.isEmpty()) {
            throw new IllegalStateException("a transaction failed", failures.peek());
        }
        OUT.printf(
                Locale.ROOT,
                "%s threads=%d %.0f tx/s, %.1f us of processor each, p50 %d p99 %d p99.9 %d us (%d commits)%n",
                store,
                count,
                turn.rate(),
                turn.cpuNanos() / 1e3,
                latencies.getValueAtPercentile(50) / 1_000,
                latencies.getValueAtPercentile(99) / 1_000,
                latencies.getValueAtPercentile(99.9) / 1_000,
                commits.sum() - before);
    }

    private void commit(AtomicBoolean isOver, LongAdder commits, Histogram latencies) {
        DummyResources resources = new DummyResources(Protocol.TWO_PHASE);
        try {
            for (long i = 0; !isOver.get(); i++) {
                long begun = System.nanoTime();
                resources.transact(transactionManager);
                commits.increment();
                if (i % TIMED_ONE_IN == 0) {
                    latencies.recordValue(Math.min(System.nanoTime() - begun, LatencySamples.HIGHEST_NANOS));
                }
            }
        } catch (Exception failed) {
            failures.add(failed);
        }
    }
}
