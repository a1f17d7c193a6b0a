package io.tallystick.benchmarks.experiments;

import com.arjuna.ats.arjuna.objectstore.StoreManager;
import com.arjuna.ats.internal.jta.transaction.arjunacore.TransactionManagerImple;
import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.Text;
import io.tallystick.benchmarks.measure.LatencySamples;
import io.tallystick.benchmarks.measure.Measurement;
import io.tallystick.benchmarks.run.ForkedJvm;
import io.tallystick.benchmarks.run.RunDirectory;
import io.tallystick.benchmarks.subject.DummyResources;
import io.tallystick.benchmarks.subject.Subject;
import io.tallystick.benchmarks.subject.SubjectCatalog;
import jakarta.transaction.TransactionManager;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Two-phase commits of platform threads and of virtual threads, which take turns of a second in one JVM, JDK
 * 21 or later. JMH cannot compare the two, because it stops threads by a flag. Virtual threads that compute without a
 * wait, as with a store in memory, let no other virtual thread begin before that.
 *
 * <p>Arguments: the store, as {@code ./bench --list} names it, the number of threads of each kind, or of platform
 * threads and of virtual ones ({@code 400,10000}), then of rounds (10).
 */
public final class ThreadKindTurns {
    private static final int WARM_UP_ROUNDS = 4;
    private static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long TURN_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final TransactionManager transactionManager = new TransactionManagerImple();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition turned = lock.newCondition();
    private final List<List<Caller>> callers;
    private final List<Histogram> latencies = List.of(newHistogram(), newHistogram());
    private volatile Kind turn;

    private ThreadKindTurns(int[] threads) {
        callers = Arrays.stream(Kind.values())
                .map(kind -> IntStream.range(0, threads[kind.ordinal() % threads.length])
                        .mapToObj(unused -> new Caller(kind))
                        .toList())
                .toList();
    }

    private static Histogram newHistogram() {
        return new ConcurrentHistogram(LatencySamples.HIGHEST_NANOS, 2);
    }

    /** Measures and prints; see the class. */
    public static void main(String[] arguments) throws IOException, InvocationTargetException {
        Subject subject = SubjectCatalog.named(arguments[0]);
        int[] threads =
                Stream.of(arguments[1].split(",")).mapToInt(Integer::parseInt).toArray();
        int rounds = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 10;
        RunDirectory directory = RunDirectory.create(Path.of("benchmarks/target/bench-stores"));
        ForkedJvm.imitate(subject, directory.path().resolve("stores"), directory.path());
        new ThreadKindTurns(threads).run(subject, rounds);
        StoreManager.shutdown();
        directory.delete();
        System.exit(0);
    }

    private void run(Subject subject, int rounds) throws InvocationTargetException {
        for (Kind kind : Kind.values()) {
            for (Caller caller : callers.get(kind.ordinal())) {
                kind.start(caller);
            }
        }
        List<List<MeasuredTurn>> turns = List.of(new ArrayList<>(), new ArrayList<>());
        for (int round = -WARM_UP_ROUNDS; round < rounds; round++) {
            if (round == 0) {
                latencies.forEach(Histogram::reset);
            }
            for (int i = 0; i < Kind.values().length; i++) {
                Kind kind = Kind.values()[Math.floorMod(i + round, Kind.values().length)];
                MeasuredTurn measured = turnOf(kind);
                if (round >= 0) {
                    turns.get(kind.ordinal()).add(measured);
                }
            }
        }
        System.out.printf(
                Locale.ROOT,
                "| %s | tx/s | share | middle half of the shares | CPU us a commit"
                        + " | us p50, p99, p99.9 | fewest, most of a thread |%n"
                        + "|---|---|---|---|---|---|---|%n",
                subject.name());
        List<MeasuredTurn> base = turns.get(Kind.PLATFORM.ordinal());
        for (Kind kind : Kind.values()) {
            List<MeasuredTurn> own = turns.get(kind.ordinal());
            List<Double> shares = MeasuredTurn.shares(own, base, MeasuredTurn::rate);
            long[] counts = callers.get(kind.ordinal()).stream()
                    .mapToLong(caller -> caller.count)
                    .sorted()
                    .toArray();
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %s | %.3f | %.3f .. %.3f | %.1f | %s | %d, %d |%n",
                    Text.counted(callers.get(kind.ordinal()).size(), kind.label + " thread"),
                    Text.whole(MeasuredTurn.median(own, MeasuredTurn::rate)),
                    Measurement.median(shares),
                    shares.get(rounds / 4),
                    shares.get(rounds - 1 - rounds / 4),
                    MeasuredTurn.median(own, MeasuredTurn::cpuNanos) / 1_000,
                    Stream.of(50.0, 99.0, 99.9)
                            .map(latencies.get(kind.ordinal())::getValueAtPercentile)
                            .map(nanos -> Text.whole(nanos / 1_000.0))
                            .collect(Collectors.joining(", ")),
                    counts[0],
                    counts[counts.length - 1]);
        }
    }

    private MeasuredTurn turnOf(Kind kind) {
        turn = kind;
        lock.lock();
        try {
            turned.signalAll();
        } finally {
            lock.unlock();
        }
        LockSupport.parkNanos(SETTLE_NANOS);
        return MeasuredTurn.of(TURN_NANOS, () -> count(kind));
    }

    private long count(Kind kind) {
        return callers.get(kind.ordinal()).stream()
                .mapToLong(caller -> caller.count)
                .sum();
    }

    private enum Kind {
        PLATFORM("platform"),
        VIRTUAL("virtual");

        private final String label;

        Kind(String label) {
            this.label = label;
        }

        void start(Runnable caller) throws InvocationTargetException {
            if (this == PLATFORM) { // virtual threads by reflection, so that JDK 17 can build this
                Thread thread = new Thread(caller, "caller");
                thread.setDaemon(true);
                thread.start();
                return;
            }
            try {
                Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, caller);
            } catch (NoSuchMethodException | IllegalAccessException beforeJdk21) {
                throw new IllegalStateException(
                        "virtual threads need JDK 21 or later; this is " + Runtime.version(), beforeJdk21);
            }
        }
    }

    private final class Caller implements Runnable {
        private final Kind kind;
        private final DummyResources resources = new DummyResources(Protocol.TWO_PHASE);
        /** Written by this thread only. */
        private volatile long count;

        Caller(Kind kind) {
            this.kind = kind;
        }

        @Override
        public void run() {
            try {
                for (; ; ) {
                    awaitTurn();
                    while (turn == kind) {
                        long begun = System.nanoTime();
                        resources.transact(transactionManager);
                        latencies
                                .get(kind.ordinal())
                                .recordValue(Math.min(System.nanoTime() - begun, LatencySamples.HIGHEST_NANOS));
                        count = count + 1;
                    }
                }
            } catch (Exception failed) {
                throw new IllegalStateException("a transaction failed", failed);
            }
        }

        private void awaitTurn() {
            lock.lock();
            try {
                while (turn != kind) {
                    turned.awaitUninterruptibly();
                }
            } finally {
                lock.unlock();
            }
        }
    }
}
