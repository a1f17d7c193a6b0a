package io.tallystick.benchmarks.experiments;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/**
 * The processor time of the thread that looks whether a store still lies where it was opened, in each second: while
 * nothing happens, and under load.
 *
 * <p>Arguments: {@code DIRECTORY STORE STATES THREADS SECONDS KEY=VALUE...}: the states that the store has, the threads
 * that commit in the second turn, and how long each turn is measured. A warm-up of ten seconds does not count.
 */
public final class PlaceWatchCost {
    private static final PrintStream OUT = System.out;
    private static final String WATCH = "-place";
    private static final int FIRST_SETTING = 5;
    private static final long WARM_UP_MILLIS = 10_000;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double NANOS_PER_SECOND = 1e9;

    private PlaceWatchCost() {}

    /** Measures and prints; see the class. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        if (arguments.length < FIRST_SETTING) {
            throw new IllegalArgumentException("usage: DIRECTORY STORE STATES THREADS SECONDS [KEY=VALUE...]");
        }
        List<String> settings = Arrays.asList(arguments).subList(FIRST_SETTING, arguments.length);
        try (ScratchDirectory scratch = new ScratchDirectory(Path.of(arguments[0]), "place-watch");
                ObjectStore store = ObjectStores.open(scratch.configuration(arguments[1], settings))) {
            for (int i = 0; i < Integer.parseInt(arguments[2]); i++) {
                byte[] id = ByteBuffer.allocate(4).putInt(i).array();
                store.write(StateKey.of("/Kept", ObjectId.of(id)), new byte[100], Durability.FORCED);
            }
            long millis = 1_000 * Long.parseLong(arguments[4]);
            print("idle", millis);
            underLoad(store, Integer.parseInt(arguments[3]), millis);
        }
    }

    private static void underLoad(ObjectStore store, int threads, long millis) throws InterruptedException {
        AtomicBoolean isOver = new AtomicBoolean();
        List<Thread> running = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int number = i;
            Thread thread = new Thread(() -> CommitRate.commit(store, number, isOver, new LongAdder()));
            running.add(thread);
            thread.start();
        }
        print("threads=" + threads, millis);
        isOver.set(true);
        for (Thread thread : running) {
            thread.join();
        }
    }

    private static void print(String turn, long millis) throws InterruptedException {
        Thread.sleep(WARM_UP_MILLIS);
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        ThreadInfo watch = Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
                .filter(each -> each != null && each.getThreadName().endsWith(WATCH))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no thread looks at the place of this store"));
        long begun = System.nanoTime();
        long before = threads.getThreadCpuTime(watch.getThreadId());
        Thread.sleep(millis);
        double used = (threads.getThreadCpuTime(watch.getThreadId()) - before) / NANOS_PER_MILLI;
        double seconds = (System.nanoTime() - begun) / NANOS_PER_SECOND;
        OUT.printf(Locale.ROOT, "%s %s: %.2f ms a second%n", watch.getThreadName(), turn, used / seconds);
    }
}
