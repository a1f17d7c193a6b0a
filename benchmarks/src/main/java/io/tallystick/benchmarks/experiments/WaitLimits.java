package io.tallystick.benchmarks.experiments;

import com.arjuna.ats.arjuna.objectstore.StoreManager;
import com.arjuna.ats.internal.jta.transaction.arjunacore.TransactionManagerImple;
import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.Text;
import io.tallystick.benchmarks.measure.Measurement;
import io.tallystick.benchmarks.run.ForkedJvm;
import io.tallystick.benchmarks.run.RunDirectory;
import io.tallystick.benchmarks.subject.DummyResources;
import io.tallystick.benchmarks.subject.SubjectCatalog;
import jakarta.transaction.TransactionManager;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * The most that any store can do whose callers wait for a write: two-phase commits in memory, after which the caller
 * waits until a write ends that began after its commit. The write is a pause of one thread. It takes no processor, and
 * there is no record, no copy, no checksum and no index. What is left beside the transaction is the wait itself. The
 * ways to wait take turns of a second in one JVM.
 *
 * <p>Arguments: {@code THREADS WRITE-MICROSECONDS ROUNDS}.
 */
public final class WaitLimits {
    private static final PrintStream OUT = System.out;
    private static final int WARM_UP_ROUNDS = 5;
    private static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long TURN_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final TransactionManager transactionManager = new TransactionManagerImple();
    private final LongAdder commits = new LongAdder();
    private final AtomicReference<Ticket> queue = new AtomicReference<>();
    private volatile Way way = Way.NONE;

    private WaitLimits() {}

    /** Measures and prints; see the class. */
    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 3) {
            throw new IllegalArgumentException("usage: THREADS WRITE-MICROSECONDS ROUNDS");
        }
        RunDirectory directory = RunDirectory.create(Path.of("benchmarks/target/bench-stores"));
        ForkedJvm.imitate(SubjectCatalog.named("inmemory"), directory.path().resolve("stores"), directory.path());
        long writeNanos = TimeUnit.MICROSECONDS.toNanos(Long.parseLong(arguments[1]));
        new WaitLimits().run(Integer.parseInt(arguments[0]), writeNanos, Integer.parseInt(arguments[2]));
        StoreManager.shutdown();
        directory.delete();
        System.exit(0); // the callers have no end
    }

    private void run(int threads, long writeNanos, int rounds) {
        start(() -> write(writeNanos));
        for (int i = 0; i < threads; i++) {
            start(this::commit);
        }
        Map<Way, List<MeasuredTurn>> turns = new EnumMap<>(Way.class);
        for (int round = -WARM_UP_ROUNDS; round < rounds; round++) {
            for (int i = 0; i < Way.values().length; i++) {
                way = Way.values()[Math.floorMod(i + round, Way.values().length)];
                LockSupport.parkNanos(SETTLE_NANOS);
                MeasuredTurn turn = MeasuredTurn.of(TURN_NANOS, commits::sum);
                if (round >= 0) {
                    turns.computeIfAbsent(way, unused -> new ArrayList<>()).add(turn);
                }
            }
        }
        OUT.printf(
                Locale.ROOT,
                "| %s | tx/s | of memory | CPU us a commit |%n|---|---|---|---|%n",
                Text.counted(threads, "thread"));
        List<MeasuredTurn> memory = turns.get(Way.NONE);
        turns.forEach((each, own) -> OUT.printf(
                Locale.ROOT,
                "| %s | %s | %.2f | %.1f |%n",
                each.text,
                Text.whole(MeasuredTurn.median(own, MeasuredTurn::rate)),
                Measurement.median(MeasuredTurn.shares(own, memory, MeasuredTurn::rate)),
                MeasuredTurn.median(own, MeasuredTurn::cpuNanos) / 1_000));
    }

    private static void start(Runnable body) {
        Thread thread = new Thread(body);
        thread.setDaemon(true);
        thread.start();
    }

    /** The body of a caller. */
    private void commit() {
        DummyResources resources = new DummyResources(Protocol.TWO_PHASE);
        try {
            for (; ; ) {
                resources.transact(transactionManager);
                if (way != Way.NONE) {
                    Ticket ticket = new Ticket(way);
                    do {
                        ticket.next = queue.get();
                    } while (!queue.compareAndSet(ticket.next, ticket));
                    ticket.await();
                }
                commits.increment();
            }
        } catch (Exception failed) {
            throw new IllegalStateException("a transaction failed", failed);
        }
    }

    /** The body of the thread that is the disk. */
    private void write(long nanos) {
        for (; ; ) {
            Ticket batch = queue.getAndSet(null);
            LockSupport.parkNanos(nanos);
            Ticket.releaseAll(batch);
        }
    }

    /** A way to wait for the end of a write. */
    private enum Way {
        NONE("in memory, no wait"),
        PARK("each parks, and the writer unparks each"),
        TREE("each parks, and those that were unparked unpark two others"),
        MONITOR("each waits on its monitor, and the writer notifies each"),
        YIELD("each yields until its write has ended"),
        YIELD_THEN_PARK("each yields four times, and then parks");

        private final String text;

        Way(String text) {
            this.text = text;
        }
    }

    /** A commit that waits for the end of its write. */
    private static final class Ticket {
        private static final int YIELDS = 4;

        private final Way way;
        private final Thread caller = Thread.currentThread();
        private Ticket next;
        private volatile boolean isReleased;
        /** Whether the caller may be parked; it looks for its release after it has set this. */
        private volatile boolean parks;

        /** The batch and the place in it, if the callers release each other; written before the release. */
        private List<Ticket> batch;

        private int index;

        Ticket(Way way) {
            this.way = way;
        }

        void await() throws InterruptedException {
            for (int i = 0; !isReleased && (way == Way.YIELD || way == Way.YIELD_THEN_PARK && i < YIELDS); i++) {
                Thread.yield();
            }
            if (way == Way.MONITOR) {
                synchronized (this) {
                    while (!isReleased) {
                        wait();
                    }
                }
                return;
            }
            parks = !isReleased;
            while (!isReleased) {
                LockSupport.park(this);
            }
            if (batch != null) {
                releaseIn(batch, 2 * index + 1);
                releaseIn(batch, 2 * index + 2);
            }
        }

        static void releaseAll(Ticket first) {
            List<Ticket> batch = new ArrayList<>();
            for (Ticket ticket = first; ticket != null; ticket = ticket.next) {
                batch.add(ticket);
            }
            if (batch.stream().anyMatch(ticket -> ticket.way != Way.TREE)) { // a batch has two ways where turns meet
                batch.forEach(Ticket::release);
                return;
            }
            for (int i = 0; i < batch.size(); i++) {
                batch.get(i).index = i;
                batch.get(i).batch = batch;
            }
            releaseIn(batch, 0);
        }

        private static void releaseIn(List<Ticket> batch, int index) {
            if (index < batch.size()) {
                batch.get(index).release();
            }
        }

        private synchronized void notifyReleased() {
            isReleased = true;
            notifyAll();
        }

        private void release() {
            if (way == Way.MONITOR) {
                notifyReleased();
                return;
            }
            isReleased = true;
            if (parks) {
                LockSupport.unpark(caller);
            }
        }
    }
}
