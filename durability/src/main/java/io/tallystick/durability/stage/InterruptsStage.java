package io.tallystick.durability.stage;

import io.tallystick.durability.Counts;
import io.tallystick.durability.Stage;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.system.Directories;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.testkit.Seeds;
import io.tallystick.testkit.oracle.Oracle;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads commit while all threads of the store are interrupted many times, with odd seeds the committing threads too.
 * No operation may fail or hang because of it (I12). Each caller must find its interrupt flag set, and all states must
 * be there afterwards.
 */
public final class InterruptsStage implements Stage {
    private static final String INTERRUPTS = "interrupts";
    private static final int CALLERS = 3;
    private static final int INTERRUPTS_A_CASE = 250;
    private static final long PAUSE_NANOS = 200_000;
    private static final int PATIENCE_SECONDS = 30;

    @Override
    public String name() {
        return "interrupts";
    }

    @Override
    public String description() {
        return "callers and the store's own threads are interrupted while they commit";
    }

    @Override
    public String unit() {
        return INTERRUPTS;
    }

    @Override
    public long quickCount() {
        return 2_000;
    }

    @Override
    public long fullCount() {
        return 100_000;
    }

    /** It interrupts all new threads, also those of other stores. */
    @Override
    public boolean toleratesOthers() {
        return false;
    }

    @Override
    public int patienceSeconds() {
        return PATIENCE_SECONDS;
    }

    @Override
    public Optional<String> refuses(Subject subject) {
        return Optional.empty();
    }

    @Override
    public Session open(Subject subject, Path scratch) {
        return seed -> run(subject, scratch.resolve("store-" + seed), Seeds.random(seed), seed % 2 != 0);
    }

    private static Counts run(Subject subject, Path directory, Random random, boolean callersToo) throws Exception {
        Set<Thread> others = new HashSet<>(Thread.getAllStackTraces().keySet());
        Oracle oracle = new Oracle();
        AtomicBoolean over = new AtomicBoolean();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        try (ObjectStore store = subject.open(directory)) {
            ObjectStore watched = oracle.watch(store);
            List<Thread> callers = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                int caller = i;
                Thread thread = new Thread(() -> call(watched, caller, callersToo, over, failure), "caller-" + i);
                thread.setDaemon(true);
                callers.add(thread);
                thread.start();
            }
            if (!callersToo) {
                others.addAll(callers);
            }
            for (int i = 0; i < INTERRUPTS_A_CASE && failure.get() == null; i++) {
                Map<Thread, StackTraceElement[]> alive = Thread.getAllStackTraces();
                List<Thread> targets = alive.keySet().stream()
                        .filter(thread -> !others.contains(thread))
                        .toList();
                if (!targets.isEmpty()) { // a store may have no threads of its own
                    targets.get(random.nextInt(targets.size())).interrupt();
                }
                LockSupport.parkNanos(random.nextInt((int) PAUSE_NANOS));
            }
            over.set(true);
            for (Thread caller : callers) {
                caller.join();
            }
        }
        if (failure.get() != null) {
            throw new AssertionError(
                    "I12 liveness violated: an operation failed because of an interrupt: " + failure.get(),
                    failure.get());
        }
        try {
            if (subject.is(Subject.Trait.DURABLE)) {
                try (ObjectStore store = subject.open(directory)) {
                    oracle.checkRecovered(store);
                }
            }
        } finally {
            Directories.delete(directory);
        }
        return Counts.of(INTERRUPTS, INTERRUPTS_A_CASE);
    }

    private static void call(
            ObjectStore store,
            int caller,
            boolean isInterrupted,
            AtomicBoolean over,
            AtomicReference<Throwable> failure) {
        try {
            for (int i = 0; !over.get(); i++) {
                StateKey key = StateKey.of(
                        "/Interrupts",
                        ObjectId.of(ByteBuffer.allocate(Long.BYTES)
                                .putLong(10L * caller + i % 3)
                                .array()));
                if (isInterrupted) {
                    Thread.currentThread().interrupt();
                }
                store.write(key, new byte[100 + i % 50], Durability.FORCED);
                if (isInterrupted && !Thread.interrupted()) {
                    throw new AssertionError("the caller's interrupt flag was lost");
                }
                store.read(key);
                if (i % 2 == 0) {
                    store.remove(key, Durability.DEFERRED);
                }
            }
        } catch (RuntimeException | AssertionError harmed) {
            failure.compareAndSet(null, harmed);
        }
    }
}
