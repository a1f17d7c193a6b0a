package io.tallystick.benchmarks.experiments;

import com.arjuna.ats.internal.jta.transaction.arjunacore.TransactionManagerImple;
import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.Text;
import io.tallystick.benchmarks.measure.Measurement;
import io.tallystick.benchmarks.subject.DummyResource;
import io.tallystick.benchmarks.subject.DummyResources;
import io.tallystick.narayana.NarayanaStores;
import io.tallystick.narayana.doubt.InDoubtLook;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionManager;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/**
 * What {@link InDoubtLook} costs the commits beside it, with this many records of transactions in doubt in the log. In
 * one JVM, and with the same threads, turns of half a second without a look take turns with turns of one look and with
 * turns of ten. One look each five seconds costs too little to be seen, so these look ten and a hundred times as often:
 * it costs a hundredth of what the last ones cost.
 *
 * <p>Arguments: {@code DIRECTORY STORE RECORDS THREADS ROUNDS KEY=VALUE...}. The records are copies of one that
 * Narayana wrote for a transaction whose resource does not answer. The first look, which decodes them, comes before all
 * turns. A share is the rate of a turn by that of the turn without a look in the same round. The interval has the
 * median of all possible shares with 95 %: its ends are the shares at the ranks (n -+ 1.96 sqrt(n)) / 2, by the sign
 * test, which supposes nothing about their distribution.
 */
public final class LookCost {
    private static final PrintStream OUT = System.out;
    private static final String ACTION = "/StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction";
    private static final int FIRST_SETTING = 5;
    private static final int WARM_UP_ROUNDS = 20;
    private static final int ID_BYTES = 28;
    private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double NORMAL_95 = 1.96;

    private final NarayanaStores stores;
    private final TransactionManager transactionManager = new TransactionManagerImple();
    private final ConcurrentLinkedQueue<Exception> failures = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean isOver = new AtomicBoolean();
    private final LongAdder commits = new LongAdder();
    private final List<Long> lookNanos = new ArrayList<>();
    private final List<Long> lookCpuNanos = new ArrayList<>();

    private LookCost(NarayanaStores stores) {
        this.stores = stores;
    }

    /** How often a turn looks. */
    private enum Looking {
        NEVER("no look", 0),
        TWICE_A_SECOND("a look each 500 ms", 1),
        TWENTY_A_SECOND("a look each 50 ms", 10);

        private final String label;
        private final int looks;

        Looking(String label, int looks) {
            this.label = label;
            this.looks = looks;
        }
    }

    /** Measures and prints; see the class. */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length < FIRST_SETTING) {
            throw new IllegalArgumentException("usage: DIRECTORY STORE RECORDS THREADS ROUNDS [KEY=VALUE...]");
        }
        List<String> settings = new ArrayList<>(Arrays.asList(arguments).subList(FIRST_SETTING, arguments.length));
        settings.add("tallystick.jmx=true");
        try (ScratchDirectory scratch = new ScratchDirectory(Path.of(arguments[0]), "look");
                NarayanaStores stores = NarayanaStores.install(scratch.configuration(arguments[1], settings))) {
            LookCost cost = new LookCost(stores);
            cost.leaveInDoubt(Integer.parseInt(arguments[2]));
            cost.run(Integer.parseInt(arguments[3]), Integer.parseInt(arguments[4]));
        }
        System.exit(0); // Narayana's reaper has no end
    }

    private void leaveInDoubt(int records) throws Exception {
        if (records == 0) {
            return;
        }
        transactionManager.begin();
        Transaction transaction = transactionManager.getTransaction();
        XAResource silent = new DummyResource() {
            @Override
            public void commit(Xid xid, boolean onePhase) throws XAException {
                throw new XAException(XAException.XAER_RMFAIL);
            }
        };
        transaction.enlistResource(silent);
        transaction.enlistResource(new DummyResource());
        transactionManager.commit();
        ObjectStore store = stores.store();
        StateKey written = store.keys(ACTION, 1).stream()
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("the transaction left no record"));
        byte[] state = store.read(written).orElseThrow();
        for (int number = 1; number < records; number++) {
            byte[] id = ByteBuffer.allocate(ID_BYTES).putInt(0, number).array();
            store.write(written.withId(ObjectId.of(id)), state, Durability.DEFERRED);
        }
        store.force();
    }

    private void run(int threads, int rounds) throws InterruptedException, IOException {
        InDoubtLook look = stores.inDoubt();
        long begun = System.nanoTime();
        if (look.lookNow().isEmpty()) {
            throw new IllegalStateException("the log cannot be listed");
        }
        OUT.printf(
                Locale.ROOT,
                "%d records, the first look took %.1f ms%n",
                stores.health().inDoubt().orElse(-1),
                (System.nanoTime() - begun) / NANOS_PER_MILLI);
        List<Thread> running = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(this::commit, "caller");
            running.add(thread);
            thread.start();
        }
        List<List<MeasuredTurn>> turns = new ArrayList<>();
        Arrays.stream(Looking.values()).forEach(unused -> turns.add(new ArrayList<>()));
        for (int round = -WARM_UP_ROUNDS; round < rounds; round++) {
            if (round == 0) {
                lookNanos.clear();
                lookCpuNanos.clear();
            }
            for (int turn = 0; turn < turns.size(); turn++) {
                int index = Math.floorMod(turn + round, turns.size());
                MeasuredTurn measured = turnOf(Looking.values()[index], look);
                if (round >= 0) {
                    turns.get(index).add(measured);
                }
            }
        }
        isOver.set(true);
        for (Thread thread : running) {
            thread.join();
        }
        if (!failures.isEmpty()) {
            throw new IllegalStateException("a transaction failed", failures.peek());
        }
        print(threads, rounds, turns);
    }

    private void print(int threads, int rounds, List<List<MeasuredTurn>> turns) {
        OUT.printf(
                Locale.ROOT,
                "| %s | tx/s | share | its interval | CPU us a commit |%n|---|---|---|---|---|%n",
                Text.counted(threads, "thread"));
        for (Looking each : Looking.values()) {
            List<MeasuredTurn> own = turns.get(each.ordinal());
            List<Double> shares = MeasuredTurn.shares(own, turns.get(Looking.NEVER.ordinal()), MeasuredTurn::rate);
            OUT.printf(
                    Locale.ROOT,
                    "| %s | %s | %.3f | %.3f .. %.3f | %.1f |%n",
                    each.label,
                    Text.whole(MeasuredTurn.median(own, MeasuredTurn::rate)),
                    Measurement.median(shares),
                    shares.get(lowest(rounds)),
                    shares.get(rounds - 1 - lowest(rounds)),
                    MeasuredTurn.median(own, MeasuredTurn::cpuNanos) / TimeUnit.MICROSECONDS.toNanos(1));
        }
        OUT.printf(
                Locale.ROOT,
                "a look under this load: median %.2f ms, %.2f ms of it on a processor (%d looks)%n",
                median(lookNanos) / NANOS_PER_MILLI,
                median(lookCpuNanos) / NANOS_PER_MILLI,
                lookNanos.size());
    }

    /** The index of the lower end of the interval, among sorted shares. */
    private static int lowest(int rounds) {
        return (int) Math.max(0, Math.floor((rounds - NORMAL_95 * Math.sqrt(rounds)) / 2));
    }

    private static double median(List<Long> nanos) {
        return Measurement.median(nanos.stream().map(Long::doubleValue).toList());
    }

    private MeasuredTurn turnOf(Looking looking, InDoubtLook look) throws InterruptedException {
        Thread looker = new Thread(() -> look(looking.looks, look), "looker");
        looker.start();
        MeasuredTurn measured = MeasuredTurn.of(TURN_NANOS, commits::sum);
        looker.join();
        return measured;
    }

    private void look(int looks, InDoubtLook look) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        for (int i = 0; i < looks; i++) {
            long begun = System.nanoTime();
            long cpuBefore = threads.getCurrentThreadCpuTime();
            look.lookNow();
            lookCpuNanos.add(threads.getCurrentThreadCpuTime() - cpuBefore);
            lookNanos.add(System.nanoTime() - begun);
            if (i < looks - 1) {
                LockSupport.parkNanos(TURN_NANOS / looks);
            }
        }
    }

    private void commit() {
        DummyResources resources = new DummyResources(Protocol.TWO_PHASE);
        try {
            while (!isOver.get()) {
                resources.transact(transactionManager);
                commits.increment();
            }
        } catch (Exception failed) {
            failures.add(failed);
        }
    }
}
