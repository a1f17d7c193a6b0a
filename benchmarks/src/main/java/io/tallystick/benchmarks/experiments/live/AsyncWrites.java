package io.tallystick.benchmarks.experiments.live;

import io.tallystick.benchmarks.experiments.ScratchDirectory;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the asynchronous writes of 600 bytes that a store completes in a second. Arguments: {@code DIRECTORY STORE
 * SECONDS KEY=VALUE...}.
 *
 * <p>{@code window N}: one thread writes while fewer than N stages are incomplete; the record of a stage is removed
 * when the stage completes. {@code chains N}: N chains, in each of which a completed write begins the next one. Each
 * figure is the median of five rounds, after one that does not count.
 */
public final class AsyncWrites {
    private static final PrintStream OUT = System.out;
    private static final String TYPE = "/StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction";
    private static final byte[] STATE = new byte[600];
    private static final int ROUNDS = 5;

    private final ObjectStore store;
    private final long nanos;
    private final AtomicLong numbers = new AtomicLong();

    private AsyncWrites(ObjectStore store, long nanos) {
        this.store = store;
        this.nanos = nanos;
    }

    /** Measures and prints; see the class. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        if (arguments.length < 3) {
            throw new IllegalArgumentException("usage: DIRECTORY STORE SECONDS [KEY=VALUE...]");
        }
        List<String> settings = Arrays.asList(arguments).subList(3, arguments.length);
        try (ScratchDirectory scratch = new ScratchDirectory(Path.of(arguments[0]), "async-writes");
                ObjectStore store = ObjectStores.open(scratch.configuration(arguments[1], settings))) {
            AsyncWrites writes = new AsyncWrites(store, TimeUnit.SECONDS.toNanos(Long.parseLong(arguments[2])));
            for (int window : new int[] {1, 16, 256}) {
                writes.report("window " + window, () -> writes.window(window));
            }
            for (int chains : new int[] {4, 16, 64}) {
                writes.report("chains " + chains, () -> writes.chains(chains));
            }
        }
    }

    private interface Round {
        /** Returns the number of completed writes. */
        long run() throws InterruptedException;
    }

    private void report(String name, Round round) throws InterruptedException {
        List<Double> speeds = new ArrayList<>();
        for (int i = 0; i <= ROUNDS; i++) {
            long begun = System.nanoTime();
            long completed = round.run();
            if (i > 0) {
                speeds.add(completed * 1e9 / (System.nanoTime() - begun));
            }
        }
        speeds.sort(Comparator.naturalOrder());
        OUT.printf(
                Locale.ROOT,
                "%-12s %,10.0f writes/s (%,.0f to %,.0f)%n",
                name,
                speeds.get(ROUNDS / 2),
                speeds.get(0),
                speeds.get(ROUNDS - 1));
    }

    private long window(int size) throws InterruptedException {
        Semaphore free = new Semaphore(size);
        long end = System.nanoTime() + nanos;
        long completed = 0;
        while (System.nanoTime() - end < 0) {
            free.acquire();
            StateKey key = key();
            store.writeAsync(key, STATE).thenRun(() -> {
                store.remove(key, Durability.DEFERRED);
                free.release();
            });
            completed++;
        }
        free.acquire(size);
        return completed;
    }

    private long chains(int count) {
        AtomicLong completed = new AtomicLong();
        long end = System.nanoTime() + nanos;
        List<CompletableFuture<Void>> chains = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            CompletableFuture<Void> over = new CompletableFuture<>();
            chains.add(over);
            link(end, completed, over);
        }
        chains.forEach(CompletableFuture::join);
        return completed.get();
    }

    private void link(long end, AtomicLong completed, CompletableFuture<Void> over) {
        if (System.nanoTime() - end >= 0) {
            over.complete(null);
            return;
        }
        StateKey key = key();
        store.writeAsync(key, STATE).whenComplete((nothing, failure) -> {
            if (failure != null) {
                over.completeExceptionally(failure);
                return;
            }
            store.remove(key, Durability.DEFERRED);
            completed.incrementAndGet();
            link(end, completed, over);
        });
    }

    private StateKey key() {
        return StateKey.of(
                TYPE,
                ObjectId.of(ByteBuffer.allocate(28)
                        .putLong(20, numbers.incrementAndGet())
                        .array()));
    }
}
