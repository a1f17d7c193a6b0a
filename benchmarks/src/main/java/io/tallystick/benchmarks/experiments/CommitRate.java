package io.tallystick.benchmarks.experiments;

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
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/**
 * The commits per second of a store, from threads that do nothing else. A commit is a forced write of 600 bytes and a
 * deferred removal, without a transaction manager. For comparing two builds: run this main class of each build in
 * turns.
 *
 * <p>Arguments: {@code DIRECTORY STORE THREADS SECONDS KEY=VALUE...}. It prints the rate alone, after a warm-up of one
 * second that does not count.
 */
public final class CommitRate {
    private static final PrintStream OUT = System.out;
    private static final String TYPE = "/StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction";
    private static final int STATE_BYTES = 600;
    private static final long WARM_UP_MILLIS = 1_000;

    private CommitRate() {}

    /** Measures and prints; see the class. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        if (arguments.length < 4) {
            throw new IllegalArgumentException("usage: DIRECTORY STORE THREADS SECONDS [KEY=VALUE...]");
        }
        List<String> settings = Arrays.asList(arguments).subList(4, arguments.length);
        try (ScratchDirectory scratch = new ScratchDirectory(Path.of(arguments[0]), "commit-rate");
                ObjectStore store = ObjectStores.open(scratch.configuration(arguments[1], settings))) {
            OUT.printf(Locale.ROOT, "%.0f%n", rate(store, Integer.parseInt(arguments[2]), arguments[3]));
        }
    }

    private static double rate(ObjectStore store, int threads, String seconds) throws InterruptedException {
        AtomicBoolean isOver = new AtomicBoolean();
        LongAdder commits = new LongAdder();
        List<Thread> running = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int number = i;
            Thread thread = new Thread(() -> commit(store, number, isOver, commits));
            running.add(thread);
            thread.start();
        }
        Thread.sleep(WARM_UP_MILLIS);
        long begun = System.nanoTime();
        long before = commits.sum();
        Thread.sleep(Long.parseLong(seconds) * 1_000);
        double rate = (commits.sum() - before) * 1e9 / (System.nanoTime() - begun);
        isOver.set(true);
        for (Thread thread : running) {
            thread.join();
        }
        return rate;
    }

    /** Commits until it is over: a forced write of 600 bytes and a deferred removal each. */
    static void commit(ObjectStore store, int thread, AtomicBoolean isOver, LongAdder commits) {
        byte[] state = new byte[STATE_BYTES];
        for (long i = 0; !isOver.get(); i++) {
            byte[] id =
                    ByteBuffer.allocate(28).putInt(16, thread).putLong(20, i).array();
            StateKey key = StateKey.of(TYPE, ObjectId.of(id));
            store.write(key, state, Durability.FORCED);
            store.remove(key, Durability.DEFERRED);
            commits.increment();
        }
    }
}
