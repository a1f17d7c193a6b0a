package io.tallystick.benchmarks;

import com.arjuna.ats.arjuna.coordinator.TxControl;
import com.arjuna.ats.internal.jta.transaction.arjunacore.TransactionManagerImple;
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
 * What time limits cost a one-phase commit, with everything else equal: one JVM, the same threads, and those who keep time
 * limits taking turns of a tenth of a second. Shares between JVMs, as {@link TimeLimitBench} has them, spread by tens of
 * percent where many threads share few cores, because each JVM is compiled and scheduled in its own way.
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
    private volatile Keeper keeper = Keeper.NOBODY;

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
        List<List<Turn>> turns = new ArrayList<>();
        Arrays.stream(Keeper.values()).forEach(unused -> turns.add(new ArrayList<>()));
        callers.forEach(Thread::start);
        for (int round = -WARM_UP_ROUNDS; round < rounds; round++) {
            for (int turn = 0; turn < Keeper.values().length; turn++) {
                int index = Math.floorMod(turn + round, Keeper.values().length);
                Turn measured = turnOf(Keeper.values()[index]);
                if (round >= 0) {
                    turns.get(index).add(measured);
                }
            }
        }
        System.out.printf(
                Locale.ROOT,
                "| %s | tx/s | share | middle half of the shares | CPU ns a commit | share of the commits for a CPU second |%n"
                        + "|---|---|---|---|---|---|%n",
                Text.counted(callers.size(), "thread"));
        List<Turn> base = turns.get(Keeper.NOBODY.ordinal());
        for (Keeper each : Keeper.values()) {
            List<Turn> own = turns.get(each.ordinal());
            List<Double> shares = Turn.shares(own, base, Turn::rate);
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %s | %.3f | %.3f .. %.3f | %s | %.3f |%n",
                    each.label,
                    Text.whole(Turn.median(own, Turn::rate)),
                    Measurement.median(shares),
                    shares.get(rounds / 4),
                    shares.get(rounds - 1 - rounds / 4),
                    Text.whole(Turn.median(own, Turn::cpuNanos)),
                    Measurement.median(Turn.shares(base, own, Turn::cpuNanos)));
        }
    }

    private Turn turnOf(Keeper next) {
        TxControl.setDefaultTimeout(next.seconds);
        keeper = next;
        LockSupport.parkNanos(SETTLE_NANOS);
        return Turn.of(TURN_NANOS, this::count);
    }

    private long count() {
        return callers.stream().mapToLong(caller -> caller.count).sum();
    }

    /** Who keeps the time limits, and through which transaction manager. */
    private enum Keeper {
        NOBODY("nobody", false, 0),
        NARAYANA("Narayana's reaper", false, SECONDS),
        TALLYSTICK("our reaper", true, SECONDS),
        NOBODY_THROUGH_OURS("nobody, through our transaction manager", true, 0);

        private final String label;
        private final boolean isOurs;
        private final int seconds;

        Keeper(String label, boolean isOurs, int seconds) {
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
                    boolean isOurs = keeper.isOurs;
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
