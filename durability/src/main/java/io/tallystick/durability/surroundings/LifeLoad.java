package io.tallystick.durability.surroundings;

import io.tallystick.durability.surroundings.LifePlan.Load;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFullException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The work of one life, from several threads, each on keys of its own. A full disk may refuse changes. Any other
 * failure is a violation, until the life ends or where memory and descriptors may run out.
 */
final class LifeLoad {
    /** Long enough for what a store does when it is idle, milliseconds. */
    static final int REST_MILLIS = 420;

    // Not all letters of types are ASCII.
    private static final List<String> TYPES = List.of("/Surroundings/0", "/Surroundings/\u00e4\u0131\u4e2d");
    private static final int KEYS = 10;
    private static final int MORE_KEYS = 40;
    private static final int MANY_KEYS = 400;
    private static final int SHORT_BYTES = 64;
    private static final int USUAL_BYTES = 1_200;
    private static final int MOST_GROWTH_BYTES = 48 * 1_024;
    private static final int LEAST_CALLS = 20;
    private static final int MOST_MILLIS = 2_000;
    private static final int PAUSE_MILLIS = 5;
    private static final long PATIENCE_MILLIS = 60_000;

    private final ObjectStore store;
    private final LifePlan plan;
    private final boolean mayRefuseRemovals;
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicLong answered = new AtomicLong();
    private final AtomicLong acknowledged = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicReference<Throwable> problem = new AtomicReference<>();
    private volatile boolean mayFail;
    private volatile boolean isResting;
    private volatile boolean isOver;

    private LifeLoad(ObjectStore store, LifePlan plan, boolean mayRefuseRemovals) {
        this.store = store;
        this.plan = plan;
        this.mayRefuseRemovals = mayRefuseRemovals;
        this.mayFail = plan.surroundings().isScarce() || plan.isHaltedGrowing();
    }

    /**
     * Load on a store that an oracle watches, begun at once.
     *
     * @param mayRefuseRemovals whether a full disk may refuse removals, because of the shape of files and records
     */
    static LifeLoad begin(ObjectStore watched, LifePlan plan, boolean mayRefuseRemovals) {
        LifeLoad load = new LifeLoad(watched, plan, mayRefuseRemovals);
        for (int i = 0; i < plan.threads(); i++) {
            int number = i;
            Thread thread = new Thread(() -> load.run(number, new Random(plan.seed() + number)), "life-" + i);
            thread.setDaemon(true);
            load.threads.add(thread);
        }
        load.threads.forEach(Thread::start);
        return load;
    }

    /** Lets the load work for its time, and on a slow machine until the store has answered some calls. */
    void work() throws InterruptedException {
        int parts = plan.rest().times() + 1;
        for (int part = 1; part <= parts; part++) {
            TimeUnit.MILLISECONDS.sleep(plan.loadMillis() / parts);
            if (part < parts) {
                isResting = true;
                TimeUnit.MILLISECONDS.sleep(REST_MILLIS);
                isResting = false;
            }
        }
        long deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(MOST_MILLIS);
        while (answered.get() < LEAST_CALLS
                && threads.stream().anyMatch(Thread::isAlive)
                && System.nanoTime() - deadlineNanos < 0) {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        }
    }

    /** From now on the store may throw. */
    void disasterBegins() {
        mayFail = true;
    }

    /** The load ends after the operations that are under way. */
    void stop() {
        isOver = true;
    }

    /** The number of changes that the store has acknowledged. */
    long acknowledged() {
        return acknowledged.get();
    }

    /** The number of changes that a full disk has refused. */
    long refused() {
        return refused.get();
    }

    /**
     * Waits until all threads have ended.
     *
     * @throws AssertionError the store failed without cause, or gave a wrong answer
     */
    void awaitEnd() throws InterruptedException {
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
    }

    private void run(int thread, Random random) {
        try {
            while (!isOver) {
                if (isResting) {
                    TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
                } else {
                    step(thread, random);
                    answered.incrementAndGet();
                }
            }
        } catch (InterruptedException unexpected) {
            problem.compareAndSet(null, unexpected);
        } catch (StoreException | IllegalStateException told) { // the latter carries an Error of the other process
            if (!mayFail) {
                problem.compareAndSet(null, told);
            }
        } catch (RuntimeException | AssertionError wrong) {
            problem.compareAndSet(null, wrong);
        }
    }

    private void step(int thread, Random random) {
        int kind = random.nextInt(20);
        if (plan.load() == Load.GROWTH && kind < 14) {
            StateKey key = keyOf(thread, random.nextInt(MORE_KEYS));
            byte[] state = state(random, Math.min(plan.options().stateBytes(), MOST_GROWTH_BYTES), true);
            change(() -> store.write(key, state, kind < 10 ? Durability.FORCED : Durability.DEFERRED));
        } else if (plan.load() == Load.MANY_KEYS && kind < 18) {
            StateKey key = keyOf(thread, random.nextInt(MANY_KEYS));
            byte[] state = state(random, SHORT_BYTES, false);
            change(() -> store.write(key, state, kind < 15 ? Durability.FORCED : Durability.DEFERRED));
        } else if (plan.load() == Load.SHRINKING && kind < 12) {
            StateKey key = keyOf(thread, random.nextInt(MORE_KEYS));
            remove(key, kind < 9 ? Durability.DEFERRED : Durability.FORCED);
        } else {
            mixed(kind, keyOf(thread, random.nextInt(KEYS)), random);
        }
    }

    private void mixed(int kind, StateKey key, Random random) {
        byte[] state = state(random, plan.options().stateBytes(), random.nextInt(6) == 0);
        Durability durability = random.nextBoolean() ? Durability.FORCED : Durability.DEFERRED;
        switch (kind) {
            case 0, 1, 2, 3, 4 -> change(() -> store.write(key, state, Durability.FORCED));
            case 5 -> change(() -> store.write(key, state, Durability.DEFERRED));
            case 6, 7, 8 -> remove(key, Durability.DEFERRED);
            case 9 -> remove(key, Durability.FORCED);
            case 10, 11 -> change(() -> store.writeShadow(key, state, durability));
            case 12, 13 -> change(() -> store.commitShadow(key, durability));
            case 14 -> change(() -> store.discardShadow(key, durability));
            case 15 -> change(() -> store.hide(key));
            case 16 -> change(() -> store.reveal(key));
            case 17 -> change(store::force);
            case 18 -> change(() -> awaited(key, state));
            default -> scan(key);
        }
    }

    private void awaited(StateKey key, byte[] state) {
        try {
            store.writeAsync(key, state).toCompletableFuture().join();
        } catch (CompletionException failed) {
            throw failed.getCause() instanceof RuntimeException told ? told : failed;
        }
    }

    private void scan(StateKey key) {
        store.types();
        store.keys(key.type());
        store.read(key);
        store.readShadow(key);
        store.statusOf(key);
    }

    /** A change that a full disk may refuse. */
    private void change(Runnable operation) {
        try {
            operation.run();
            acknowledged.incrementAndGet();
        } catch (StoreFullException full) {
            if (!plan.surroundings().mayBeFull()) {
                throw full;
            }
            refused.incrementAndGet();
        }
    }

    /** A removal, which a full disk must not refuse. */
    private void remove(StateKey key, Durability durability) {
        try {
            store.remove(key, durability);
            acknowledged.incrementAndGet();
        } catch (StoreFullException full) {
            if (!plan.surroundings().mayBeFull() || !mayRefuseRemovals && !isShadowLeft(key)) {
                throw new AssertionError("I13 space violated: a removal on a full disk was refused: " + full, full);
            }
            refused.incrementAndGet();
        }
    }

    /** Whether the removal had to write a new image of the key, without its committed value. */
    private boolean isShadowLeft(StateKey key) {
        StateStatus status = store.statusOf(key);
        return status == StateStatus.SHADOW || status == StateStatus.SHADOW_HIDDEN;
    }

    private static byte[] state(Random random, int most, boolean isLong) {
        int length = isLong ? most - random.nextInt(most / 4) : random.nextInt(1 + Math.min(most, USUAL_BYTES));
        byte[] state = new byte[length];
        random.nextBytes(state);
        return state;
    }

    private static StateKey keyOf(int thread, int number) {
        ByteBuffer id = ByteBuffer.allocate(Long.BYTES).putInt(1 + thread).putInt(1 + number);
        return StateKey.of(TYPES.get(thread % TYPES.size()), ObjectId.of(id.array()));
    }
}
