package io.tallystick.benchmarks.experiments;

import com.arjuna.ats.arjuna.coordinator.TxControl;
import com.arjuna.ats.internal.jta.transaction.arjunacore.TransactionManagerImple;
import io.tallystick.benchmarks.Text;
import io.tallystick.benchmarks.measure.Measurement;
import io.tallystick.benchmarks.run.ForkedJvm;
import io.tallystick.benchmarks.run.RunDirectory;
import io.tallystick.benchmarks.subject.DummyResource;
import io.tallystick.benchmarks.subject.SubjectCatalog;
import io.tallystick.narayana.TallystickTransactionManager;
import jakarta.transaction.TransactionManager;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * The cost of a time limit for a one-phase commit, with everything else equal: in one JVM, and with the same threads,
 * the reapers take turns of a tenth of a second. The shares of {@link TimeLimitBench} compare different JVMs. They
 * spread by tens of percent if many threads share few cores, because each JVM compiles and schedules in its own way.
 *
 * <p>Arguments: the number of threads, then the number of rounds (16).
 */
public final class TimeLimitTurns {
    private static final int SECONDS = 60;
    private static final int WARM_UP_ROUNDS = 6;
    private static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int BATCH = 64;

    private final List<Caller> callers;
    private volatile Reaping reaping = Reaping.NONE;

    private TimeLimitTurns(int threads) {
        callers = IntStream.range(0, threads).mapToObj(unused -> new Caller()).toList();
    }

    /** Measures and prints; see the class. */
    public static void main(String[] arguments) throws IOException {
        int threads = Integer.parseInt(arguments[0]);
        int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 16;
        RunDirectory directory = RunDirectory.create(Path.of("benchmarks/target/bench-stores"));
        ForkedJvm.imitate(SubjectCatalog.named("inmemory"), directory.path(), directory.path());
        new TimeLimitTurns(threads).run(rounds);
        directory.delete();
        System.exit(0);
    }

    private void run(int rounds) {
        List<List<MeasuredTurn>> turns = new ArrayList<>();
        Arrays.stream(Reaping.values()).forEach(unused -> turns.add(new ArrayList<>()));
        callers.forEach(Thread::start);
        for (int round = -WARM_UP_ROUNDS; round < rounds; round++) {
            for (int turn = 0; turn < Reaping.values().length; turn++) {
                int index = Math.floorMod(turn + round, Reaping.values().length);
                MeasuredTurn measured = turnOf(Reaping.values()[index]);
                if (round >= 0) {
                    turns.get(index).add(measured);
                }
            }
        }
        System.out.printf(
                Locale.ROOT,
                "| %s | tx/s | share | middle half of the shares | CPU ns a commit"
                        + " | share of the commits for a CPU second |%n"
                        + "|---|---|---|---|---|---|%n",
                Text.counted(callers.size(), "thread"));
        List<MeasuredTurn> base = turns.get(Reaping.NONE.ordinal());
        for (Reaping each : Reaping.values()) {
            List<MeasuredTurn> own = turns.get(each.ordinal());
            List<Double> shares = MeasuredTurn.shares(own, base, MeasuredTurn::rate);
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %s | %.3f | %.3f .. %.3f | %s | %.3f |%n",
                    each.label,
                    Text.whole(MeasuredTurn.median(own, MeasuredTurn::rate)),
                    Measurement.median(shares),
                    shares.get(rounds / 4),
                    shares.get(rounds - 1 - rounds / 4),
                    Text.whole(MeasuredTurn.median(own, MeasuredTurn::cpuNanos)),
                    Measurement.median(MeasuredTurn.shares(base, own, MeasuredTurn::cpuNanos)));
        }
    }

    private MeasuredTurn turnOf(Reaping next) {
        TxControl.setDefaultTimeout(next.seconds);
        reaping = next;
        LockSupport.parkNanos(SETTLE_NANOS);
        return MeasuredTurn.of(TURN_NANOS, this::count);
    }

    private long count() {
        return callers.stream().mapToLong(caller -> caller.count).sum();
    }

    /** The reaper that keeps the time limits, and the transaction manager that registers with it. */
    private enum Reaping {
        NONE("no reaper", false, 0),
        NARAYANA("Narayana's reaper", false, SECONDS),
        TALLYSTICK("our reaper", true, SECONDS),
        NONE_THROUGH_OURS("no reaper, through our transaction manager", true, 0);

        private final String label;
        private final boolean isOurs;
        private final int seconds;

        Reaping(String label, boolean isOurs, int seconds) {
            this.label = label;
            this.isOurs = isOurs;
            this.seconds = seconds;
        }
    }

    private final class Caller extends Thread {
        private final TransactionManager narayanas = new TransactionManagerImple();
        private final TransactionManager ours = new TallystickTransactionManager();
        private final DummyResource resource = new DummyResource();
        /** Written by this thread only. */
        private volatile long count;

        Caller() {
            super("caller");
            setDaemon(true);
        }

        @Override
        public void run() {
            try {
                for (; ; ) {
                    boolean isOurs = reaping.isOurs;
                    for (int i = 0; i < BATCH; i++) {
                        if (isOurs) {
                            transactByOurs();
                        } else {
                            transactByNarayanas();
                        }
                    }
                    count = count + BATCH;
                }
            } catch (Exception failed) {
                throw new IllegalStateException("a transaction failed", failed);
            }
        }

        // Two methods, so that each is compiled for one class of transaction manager.

        private void transactByOurs() throws Exception {
            ours.begin();
            ours.getTransaction().enlistResource(resource);
            ours.commit();
        }

        private void transactByNarayanas() throws Exception {
            narayanas.begin();
            narayanas.getTransaction().enlistResource(resource);
            narayanas.commit();
        }
    }
}
