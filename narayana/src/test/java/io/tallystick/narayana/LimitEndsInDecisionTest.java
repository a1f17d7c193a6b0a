package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;

import com.arjuna.ats.arjuna.objectstore.StoreManager;
import com.arjuna.ats.internal.jta.transaction.arjunacore.TransactionManagerImple;
import io.tallystick.reaper.ReaperListener;
import io.tallystick.reaper.ReaperOptions;
import io.tallystick.reaper.TransactionReaper;
import io.tallystick.storage.NanoClock;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.Durability;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.journal.JournalOptions;
import io.tallystick.store.journal.JournalStore;
import io.tallystick.store.spi.ForwardingStore;
import io.tallystick.testkit.Threads;
import jakarta.transaction.RollbackException;
import jakarta.transaction.TransactionManager;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A time limit ends while the decision to commit is being written on a slow disk. For each transaction everything is
 * committed or everything is rolled back, {@code commit()} tells the same, and nothing is rolled back after its
 * decision is on disk.
 */
class LimitEndsInDecisionTest {
    private static final int SLOWNESS_MILLIS = 20;
    private static final int ROUND = 5_000;
    /** 100,000 take minutes for each reaper. */
    private static final int MANY = Integer.getInteger("narayana.limit-ends", 10_000);

    private static final long LAST_ROLLBACK_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final ThreadLocal<Attempt> current = new ThreadLocal<>();
    private final TransactionReaper reaper = TransactionReaper.open(ReaperOptions.builder()
            .precision(Duration.ofMillis(1))
            .listener(ReaperListener.silent())
            .build());

    /** One transaction over two resources, and what became of it. */
    private static final class Attempt {
        private final ScriptedResource first = new ScriptedResource();
        private final ScriptedResource second = new ScriptedResource();
        private volatile boolean isDecided;
        private volatile String answer = "none";

        private boolean isCommitted() {
            return answer.equals("committed")
                    && isDecided
                    && resources().allMatch(resource -> has(resource, "commit", "rollback"));
        }

        /** Where the limit ended before a resource was enlisted, as on a busy machine, that one has no part in it. */
        private boolean isRolledBack() {
            boolean isTooLate = answer.equals(IllegalStateException.class.getSimpleName())
                    && second.calls().isEmpty();
            return (isTooLate || answer.equals(RollbackException.class.getSimpleName()))
                    && !isDecided
                    && resources()
                            .allMatch(resource -> resource.calls().isEmpty() || has(resource, "rollback", "commit"));
        }

        private Stream<ScriptedResource> resources() {
            return Stream.of(first, second);
        }

        private static boolean has(ScriptedResource resource, String call, String never) {
            return resource.calls().contains(call) && !resource.calls().contains(never);
        }

        @Override
        public String toString() {
            return "answer=" + answer + " decided=" + isDecided + " first=" + first.calls() + " second="
                    + second.calls();
        }
    }

    private interface Begin {
        /** Begins a transaction, and returns after how long its limit ends, nanoseconds. */
        long begin() throws Exception;
    }

    @BeforeEach
    void open(@TempDir Path directory) {
        SlowDisk disk = new SlowDisk(new SystemDisk());
        JournalOptions options = JournalOptions.from(StoreConfiguration.builder()
                .directory(directory.resolve("store"))
                .set("tallystick.journal.io", "channel")
                .set("tallystick.journal.segment-size", "4MiB")
                .build());
        ForwardingStore store = new ForwardingStore(JournalStore.open(options, disk, NanoClock.SYSTEM)) {
            @Override
            public void write(StateKey key, byte[] state, Durability durability) {
                super.write(key, state, durability);
                if (key.type().startsWith(TallystickDrain.ACTIONS)) {
                    current.get().isDecided = true;
                }
            }
        };
        StoreManager.shutdown(); // of a store that another test in this process has left
        new StoreManager(
                new TallystickObjectStore(store), new TallystickObjectStore(store), new TallystickObjectStore(store));
        disk.slowDown(SLOWNESS_MILLIS);
    }

    @AfterEach
    void close() {
        reaper.close();
        StoreManager.shutdown();
    }

    @Test
    void ourReaperLeavesATransactionWhole() throws Exception {
        underOurReaper(2_500);
    }

    @Test
    void narayanasReaperLeavesATransactionWhole() throws Exception {
        underNarayanasReaper(600, 300);
    }

    @Test
    @Tag("long")
    void ourReaperLeavesEachOfManyTransactionsWhole() throws Exception {
        underOurReaper(MANY);
    }

    @Test
    @Tag("long")
    void narayanasReaperLeavesEachOfManyTransactionsWhole() throws Exception {
        underNarayanasReaper(MANY, 500);
    }

    private void underOurReaper(int transactions) throws Exception {
        TallystickTransactionManager manager = new TallystickTransactionManager(reaper);
        run(manager, transactions, 50, () -> {
            Duration limit = Duration.ofNanos(millisBetween(SLOWNESS_MILLIS - 5, SLOWNESS_MILLIS + 5));
            TimedTransaction.begin(reaper, 1, limit);
            return limit.toNanos();
        });
    }

    /** Its limits are whole seconds, so there are more threads, and each waits until its second is nearly over. */
    private void underNarayanasReaper(int transactions, int threads) throws Exception {
        TransactionManagerImple manager = new TransactionManagerImple();
        run(manager, transactions, threads, () -> {
            manager.setTransactionTimeout(1);
            manager.begin();
            return TimeUnit.SECONDS.toNanos(1);
        });
    }

    private void run(TransactionManager manager, int transactions, int threads, Begin begin) throws Exception {
        Queue<Attempt> attempts = new ConcurrentLinkedQueue<>();
        while (attempts.size() < transactions) {
            AtomicInteger left = new AtomicInteger(Math.min(ROUND, transactions - attempts.size()));
            Threads.run(threads, thread -> {
                while (left.getAndDecrement() > 0) {
                    Attempt attempt = new Attempt();
                    attempts.add(attempt);
                    current.set(attempt);
                    attempt(manager, attempt, begin);
                }
            });
        }
        awaitLastRollbacks(attempts);
        assertThat(attempts).hasSize(transactions);
        assertThat(attempts.stream().filter(attempt -> !attempt.isCommitted() && !attempt.isRolledBack()))
                .as("neither all committed nor all rolled back, or told otherwise")
                .isEmpty();
        long committed = attempts.stream().filter(Attempt::isCommitted).count();
        System.out.printf(
                Locale.ROOT,
                "%s: transactions=%d committed=%d rolled back=%d%n",
                manager.getClass().getSimpleName(),
                transactions,
                committed,
                transactions - committed);
        assertThat(committed).as("both happen").isBetween(1L, transactions - 1L);
    }

    private static void attempt(TransactionManager manager, Attempt attempt, Begin begin) {
        try {
            long begunNanos = System.nanoTime();
            long limitNanos = begin.begin();
            manager.getTransaction().enlistResource(attempt.first);
            manager.getTransaction().enlistResource(attempt.second);
            // The decision takes one or two forces: the limit ends before it, in it, or after it.
            pauseUntil(begunNanos + limitNanos - millisBetween(-2 * SLOWNESS_MILLIS, 2 * SLOWNESS_MILLIS));
            manager.commit();
            attempt.answer = "committed";
        } catch (Exception told) {
            attempt.answer = told.getClass().getSimpleName();
        } finally {
            suspend(manager);
        }
    }

    private static void suspend(TransactionManager manager) {
        try {
            manager.suspend();
        } catch (jakarta.transaction.SystemException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** A rollback of a reaper's may still be under way when {@code commit()} has told of it. */
    private static void awaitLastRollbacks(Queue<Attempt> attempts) {
        long begunNanos = System.nanoTime();
        while (!attempts.stream().allMatch(attempt -> attempt.isCommitted() || attempt.isRolledBack())
                && System.nanoTime() - begunNanos < LAST_ROLLBACK_NANOS) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
    }

    private static void pauseUntil(long nanos) {
        for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private static long millisBetween(int least, int most) {
        return ThreadLocalRandom.current()
                .nextLong(TimeUnit.MILLISECONDS.toNanos(least), TimeUnit.MILLISECONDS.toNanos(most));
    }
}
