package io.tallystick.durability.stage;

import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.Subject.Trait;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Load from several threads, each on keys of its own. A thread ends with its first exception. Operations that end
 * before {@link #disasterBegins} must not fail; later ones may.
 */
public final class Torture {
    /** The number of threads if no other is given. */
    static final int THREADS = 4;

    private static final int KEYS = 6;
    private static final long PATIENCE_MILLIS = 60_000;

    private final ObjectStore store;
    private final boolean wholeContract;
    private final int count;
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicLong answered = new AtomicLong();
    private final AtomicReference<Throwable> problem = new AtomicReference<>();
    private volatile boolean isDisaster;
    private volatile boolean isOver;

    /** Load on a store that an oracle watches, begun at once. */
    public static Torture begin(Subject subject, ObjectStore watched, long seed) {
        return begin(subject, watched, seed, THREADS);
    }

    /** As {@link #begin(Subject, ObjectStore, long)}, from this many threads. */
    static Torture begin(Subject subject, ObjectStore watched, long seed, int count) {
        Torture torture = new Torture(watched, subject.is(Trait.WHOLE_CONTRACT), count);
        for (int i = 0; i < count; i++) {
            int number = i;
            Thread thread = new Thread(() -> torture.run(number, new Random(seed * count + number)), "torture-" + i);
            thread.setDaemon(true);
            torture.threads.add(thread);
        }
        torture.threads.forEach(Thread::start);
        return torture;
    }

    private Torture(ObjectStore store, boolean wholeContract, int count) {
        this.store = store;
        this.wholeContract = wholeContract;
        this.count = count;
    }

    /** From now on the store may throw. */
    public void disasterBegins() {
        isDisaster = true;
    }

    /** Interrupts a random thread of the load. */
    public void interruptOne(Random random) {
        threads.get(random.nextInt(threads.size())).interrupt();
    }

    /** The number of operations that the store has answered so far. */
    public long answered() {
        return answered.get();
    }

    /** The load ends after the operations that are under way. */
    public void stop() {
        isOver = true;
    }

    /**
     * Waits until all threads have ended.
     *
     * @return the number of operations that the store has answered
     * @throws AssertionError the store failed without cause, or gave a wrong answer
     */
    public long awaitEnd() throws InterruptedException {
        long deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
        for (Thread thread : threads) {
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime())));
            if (thread.isAlive()) {
                throw new AssertionError(
                        "I12 liveness violated: " + thread.getName() + " waits in " + List.of(thread.getStackTrace()));
            }
        }
        Throwable found = problem.get();
        if (found instanceof AssertionError violation) {
            throw violation;
        }
        if (found != null) {
            throw new AssertionError("the store failed without cause: " + found, found);
        }
        return answered.get();
    }

    private void run(int thread, Random random) {
        try {
            while (!isOver) {
                step(thread, random);
                answered.incrementAndGet();
                Thread.interrupted();
            }
        } catch (StoreException told) {
            if (!isDisaster) {
                problem.compareAndSet(null, told);
            }
        } catch (OutOfMemoryError told) {
            if (!isDisaster) {
                problem.compareAndSet(null, told);
            }
        } catch (RuntimeException | AssertionError wrong) {
            problem.compareAndSet(null, wrong);
        }
    }

    private void step(int thread, Random random) {
        StateKey key = keyOf(thread, random.nextInt(KEYS));
        byte[] state = new byte[1 + random.nextInt(random.nextInt(8) == 0 ? 6_000 : 1_200)];
        random.nextBytes(state);
        int kind = random.nextInt(wholeContract ? 20 : 10);
        if (kind < 5) {
            store.write(key, state, Durability.FORCED);
        } else if (kind < 8) {
            store.remove(key, Durability.DEFERRED);
        } else if (kind == 8) {
            store.read(keyOf(random.nextInt(count), random.nextInt(KEYS)));
        } else if (kind == 9) {
            store.keys(key.type());
        } else {
            perform(kind, key, state, random.nextBoolean() ? Durability.FORCED : Durability.DEFERRED);
        }
    }

    /** Operations that not every store has. */
    private void perform(int kind, StateKey key, byte[] state, Durability durability) {
        switch (kind) {
            case 10 -> store.writeShadow(key, state, durability);
            case 11, 12 -> {
                store.writeShadow(key, state, Durability.DEFERRED);
                store.commitShadow(key, durability);
            }
            case 13 -> store.discardShadow(key, durability);
            case 14 -> store.write(key, state, Durability.DEFERRED);
            case 15 -> store.remove(key, Durability.FORCED);
            case 16 -> {
                store.hide(key);
                store.reveal(key);
            }
            case 17 -> store.force();
            case 18 -> await(store.writeAsync(key, state));
            default -> store.statusOf(key);
        }
    }

    private static void await(CompletionStage<Void> written) {
        try {
            written.toCompletableFuture().join();
        } catch (CompletionException failed) {
            throw failed.getCause() instanceof StoreException told ? told : failed;
        }
    }

    private static StateKey keyOf(int thread, int number) {
        ByteBuffer id = ByteBuffer.allocate(Long.BYTES).putInt(1 + thread).putInt(1 + number);
        return StateKey.of("/Torture/" + thread % 2, ObjectId.of(id.array()));
    }
}
