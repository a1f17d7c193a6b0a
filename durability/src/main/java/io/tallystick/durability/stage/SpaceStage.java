package io.tallystick.durability.stage;

import io.tallystick.durability.Counts;
import io.tallystick.durability.Stage;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.Subject.Trait;
import io.tallystick.durability.system.Ballast;
import io.tallystick.durability.system.Directories;
import io.tallystick.durability.system.LoopVolume;
import io.tallystick.durability.system.LoopVolume.Kind;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFullException;
import io.tallystick.testkit.oracle.Oracle;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A store on a small, nearly full file system. The free room grows from zero in steps of a block, and changes while
 * several threads write. A write may throw that the disk is full, and then has no effect. A removal must work, and no
 * other exception may be thrown. When there is room again, writes work again. After closing, no file is open.
 */
public final class SpaceStage implements Stage {
    private static final String STEPS = "space steps";
    private static final long BYTES = 12L << 20;
    private static final int THREADS = 3;
    private static final int KEYS = 40; // of each thread; their states take most of the room
    private static final int OPERATIONS_A_KEY = 4;
    private static final int MAX_KIB = 700;
    private static final int STRIDE = 263; // prime to MAX_KIB: all steps occur, and neighbouring cases are far apart
    private static final int PATIENCE_SECONDS = 30;

    @Override
    public String name() {
        return "space";
    }

    @Override
    public String description() {
        return "a small disk that is full, or fills up and empties, while several threads write";
    }

    @Override
    public String unit() {
        return STEPS;
    }

    @Override
    public long quickCount() {
        return 18;
    }

    @Override
    public long fullCount() {
        return 3_000;
    }

    @Override
    public Optional<String> unavailableBecause() {
        return LoopVolume.unavailableBecause(Kind.EXT4);
    }

    /** The leak check compares the threads of the process before and after. */
    @Override
    public boolean toleratesOthers() {
        return false;
    }

    @Override
    public Optional<String> refuses(Subject subject) {
        return subject.is(Trait.DURABLE) ? Optional.empty() : Optional.of("it needs no disk");
    }

    @Override
    public Session open(Subject subject, Path scratch) throws IOException {
        LoopVolume volume = LoopVolume.make(Kind.EXT4, BYTES, List.of("-b", "1024", "-m", "0"));
        volume.mount("defaults");
        return new Session() {
            @Override
            public Counts run(long seed) throws Exception {
                return new Step(subject, volume, seed).run();
            }

            @Override
            public void close() throws IOException {
                volume.close();
            }
        };
    }

    /** One case, on a store of its own. */
    private static final class Step {
        private final Subject subject;
        private final Path root;
        private final Path directory;
        private final long seed;
        private final Random random;
        private final Oracle oracle = new Oracle();
        private final AtomicLong refusals = new AtomicLong();
        private final AtomicLong refusedOpenings = new AtomicLong();

        Step(Subject subject, LoopVolume volume, long seed) {
            this.subject = subject;
            this.root = volume.directory();
            this.directory = root.resolve("store-" + seed);
            this.seed = seed;
            this.random = new Random(seed);
        }

        Counts run() throws Exception {
            int kib = (int) (seed * STRIDE % MAX_KIB);
            LeakCheck leaks = LeakCheck.of(root);
            Path ballastFile = root.resolve("ballast");
            try {
                try (Ballast ballast = new Ballast(ballastFile)) {
                    ballast.leave(kib);
                    live(ballast, kib);
                }
                leaks.check();
            } catch (AssertionError | StoreException broken) {
                throw new AssertionError(kib + " KiB: " + broken.getMessage(), broken);
            } finally {
                Files.deleteIfExists(ballastFile);
                Directories.delete(directory);
            }
            return Counts.of(STEPS, 1)
                    .and("refused writes", refusals.get())
                    .and("refused openings", refusedOpenings.get());
        }

        private void live(Ballast ballast, int kib) throws Exception {
            ObjectStore store = opened(ballast, kib);
            try (ObjectStore watched = oracle.watch(store)) {
                oracle.checkRecovered(store);
                work(watched, ballast);
                removeAll(watched);
            }
            // Closing must work also on a full disk.
            try (ObjectStore again = opened(ballast, 0)) {
                oracle.checkRecovered(again);
                ballast.leaveAll();
                writeAll(oracle.watch(again));
            }
            try (ObjectStore last = subject.open(directory)) {
                oracle.checkRecovered(last);
            }
        }

        /** Opens the store, and gives it more room for as long as it is refused for lack of room. */
        private ObjectStore opened(Ballast ballast, int kib) throws IOException {
            int room = kib;
            while (true) {
                try {
                    return subject.open(directory);
                } catch (StoreException refused) {
                    refusedOpenings.incrementAndGet();
                    room += 1 + room / 4;
                    if (!saysThatTheDiskIsFull(refused) || room > BYTES >> 10) {
                        throw refused;
                    }
                    ballast.leave(room);
                }
            }
        }

        private static boolean saysThatTheDiskIsFull(StoreException refused) {
            return refused instanceof StoreFullException
                    || String.valueOf(refused.getMessage()).contains("No space left");
        }

        private void work(ObjectStore store, Ballast ballast) throws Exception {
            List<FutureTask<Void>> tasks = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                int thread = i;
                FutureTask<Void> task = new FutureTask<>(() -> work(store, thread), null);
                tasks.add(task);
                Thread runner = new Thread(task, "space-" + i);
                runner.setDaemon(true);
                runner.start();
            }
            if (seed % 2 == 0) {
                for (int i = 0; i < 4; i++) {
                    ballast.leave(random.nextInt(MAX_KIB));
                    ballast.leave(random.nextInt(8));
                }
            }
            for (FutureTask<Void> task : tasks) {
                try {
                    task.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
                } catch (ExecutionException failed) {
                    throw new AssertionError(failed.getCause().getMessage(), failed.getCause());
                } catch (TimeoutException stuck) {
                    throw new AssertionError("I12 liveness violated: a write on a full disk does not end", stuck);
                }
            }
        }

        private void work(ObjectStore store, int thread) {
            Random mine = new Random(seed * THREADS + thread);
            for (int i = 0; i < OPERATIONS_A_KEY * KEYS; i++) {
                StateKey key = keyOf(thread, mine.nextInt(KEYS));
                byte[] state = new byte[mine.nextInt(5_000)];
                mine.nextBytes(state);
                Durability durability =
                        subject.is(Trait.DEFERS) && mine.nextInt(3) == 0 ? Durability.DEFERRED : Durability.FORCED;
                if (mine.nextInt(3) > 0) {
                    mayBeFull(() -> store.write(key, state, durability));
                } else {
                    mustWork(
                            "remove",
                            () -> store.remove(
                                    key, subject.is(Trait.WHOLE_CONTRACT) ? durability : Durability.DEFERRED));
                }
            }
        }

        private void mayBeFull(Runnable write) {
            try {
                write.run();
            } catch (StoreFullException full) {
                refusals.incrementAndGet();
            } catch (StoreException other) {
                throw new AssertionError("I13 space violated: a write on a full disk threw " + other, other);
            }
        }

        private static void mustWork(String what, Runnable operation) {
            try {
                operation.run();
            } catch (StoreException refused) {
                throw new AssertionError("I13 space violated: " + what + " threw " + refused, refused);
            }
        }

        private void removeAll(ObjectStore store) {
            for (int i = 0; i < THREADS; i++) {
                for (int number = 0; number < KEYS; number += 2) {
                    StateKey key = keyOf(i, number);
                    mustWork("remove on a full disk", () -> store.remove(key, Durability.DEFERRED));
                }
            }
        }

        private void writeAll(ObjectStore store) {
            for (int i = 0; i < THREADS; i++) {
                for (int number = 0; number < KEYS; number++) {
                    StateKey key = keyOf(i, number);
                    mustWork("a write with room again", () -> store.write(key, new byte[2_000], Durability.FORCED));
                }
            }
        }

        private static StateKey keyOf(int thread, int number) {
            ByteBuffer id = ByteBuffer.allocate(Long.BYTES).putInt(1 + thread).putInt(1 + number);
            return StateKey.of("/Space", ObjectId.of(id.array()));
        }
    }
}
