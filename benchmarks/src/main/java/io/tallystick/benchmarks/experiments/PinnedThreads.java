package io.tallystick.benchmarks.experiments;

import com.arjuna.ats.arjuna.coordinator.TxControl;
import com.arjuna.ats.arjuna.objectstore.StoreManager;
import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.Text;
import io.tallystick.benchmarks.run.ForkedJvm;
import io.tallystick.benchmarks.run.RunDirectory;
import io.tallystick.benchmarks.subject.DummyResources;
import io.tallystick.benchmarks.subject.SubjectCatalog;
import io.tallystick.narayana.TallystickTransactionManager;
import jakarta.transaction.TransactionManager;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/**
 * Where virtual threads keep their carriers while they wait: two-phase commits with a time limit, which our reaper
 * keeps, under a flight recording. JDK 21 or later.
 *
 * <p>A virtual thread that parks below a monitor or a native frame pins its carrier, and the recording has a {@code
 * jdk.VirtualThreadPinned}. Before JDK 24 one that waits for a monitor pins it too; then the recording has a {@code
 * jdk.JavaMonitorEnter} or {@code jdk.JavaMonitorWait} of a virtual thread (JEP 491). Events of any length are counted.
 *
 * <p>Arguments: the store, as {@code ./bench --list} names it, the number of virtual threads, the seconds (10).
 */
public final class PinnedThreads {
    private static final List<String> EVENTS =
            List.of("jdk.VirtualThreadPinned", "jdk.JavaMonitorEnter", "jdk.JavaMonitorWait");
    private static final List<String> OF_THE_JDK = List.of("java.", "jdk.", "sun.");
    private static final int WARM_UP_SECONDS = 5;
    private static final int LIMIT_SECONDS = 300;
    private static final int MOST_ROWS = 12;
    private static final double NANOS_PER_MILLI = 1e6;

    private final TransactionManager transactionManager = new TallystickTransactionManager();
    private final LongAdder commits = new LongAdder();
    private final CountDownLatch ended;
    private volatile boolean isOver;

    private PinnedThreads(int threads) {
        ended = new CountDownLatch(threads);
    }

    /** Measures and prints; see the class. */
    public static void main(String[] arguments) throws Exception {
        int threads = Integer.parseInt(arguments[1]);
        int seconds = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 10;
        RunDirectory directory = RunDirectory.create(Path.of("benchmarks/target/bench-stores"));
        ForkedJvm.imitate(SubjectCatalog.named(arguments[0]), directory.path().resolve("stores"), directory.path());
        TxControl.setDefaultTimeout(LIMIT_SECONDS);
        new PinnedThreads(threads)
                .run(arguments[0], threads, seconds, directory.path().resolve("pinned.jfr"));
        StoreManager.shutdown();
        directory.delete();
        System.exit(0);
    }

    private void run(String store, int threads, int seconds, Path file)
            throws IOException, InterruptedException, InvocationTargetException {
        for (int i = 0; i < threads; i++) {
            startVirtual(this::commitUntilItIsOver);
        }
        pause(WARM_UP_SECONDS);
        long before;
        long measured;
        try (Recording recording = new Recording()) {
            EVENTS.forEach(
                    name -> recording.enable(name).withThreshold(Duration.ZERO).withStackTrace());
            recording.start();
            before = commits.sum();
            long begun = System.nanoTime();
            pause(seconds);
            measured = System.nanoTime() - begun;
            before = commits.sum() - before;
            recording.stop();
            recording.dump(file);
        }
        isOver = true;
        ended.await();
        System.out.printf(
                Locale.ROOT,
                "Java %s, %s, %d virtual threads: %s commits in %.1f s%n",
                Runtime.version(),
                store,
                threads,
                Text.whole(before),
                measured / (double) TimeUnit.SECONDS.toNanos(1));
        print(places(file), before);
    }

    private static void pause(int seconds) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private static void startVirtual(Runnable caller) throws InvocationTargetException {
        try { // by reflection, so that JDK 17 can build this
            Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, caller);
        } catch (NoSuchMethodException | IllegalAccessException beforeJdk21) {
            throw new IllegalStateException(
                    "virtual threads need JDK 21 or later; this is " + Runtime.version(), beforeJdk21);
        }
    }

    private void commitUntilItIsOver() {
        DummyResources resources = new DummyResources(Protocol.TWO_PHASE);
        try {
            while (!isOver) {
                resources.transact(transactionManager);
                commits.increment();
            }
        } catch (Exception failed) {
            throw new IllegalStateException("a transaction failed", failed);
        } finally {
            ended.countDown();
        }
    }

    private static Map<String, Place> places(Path file) throws IOException {
        Map<String, Place> places = new HashMap<>();
        try (RecordingFile recording = new RecordingFile(file)) {
            while (recording.hasMoreEvents()) {
                RecordedEvent event = recording.readEvent();
                if (EVENTS.contains(event.getEventType().getName()) && isOfVirtualThread(event.getThread())) {
                    places.computeIfAbsent(where(event), unused -> new Place()).add(event);
                }
            }
        }
        return places;
    }

    private static boolean isOfVirtualThread(RecordedThread thread) {
        return thread != null && thread.hasField("virtual") && thread.getBoolean("virtual");
    }

    /** The kind of the event, and the first two methods in its stack that are not the JDK's. */
    private static String where(RecordedEvent event) {
        String name = event.getEventType().getName();
        List<RecordedFrame> frames = event.getStackTrace() == null
                ? List.of()
                : event.getStackTrace().getFrames();
        return name.substring(name.indexOf('.') + 1) + " | "
                + frames.stream()
                        .map(RecordedFrame::getMethod)
                        .map(method -> method.getType().getName() + "." + method.getName())
                        .filter(method -> OF_THE_JDK.stream().noneMatch(method::startsWith))
                        .limit(2)
                        .map(method -> method.replaceAll("^(?:[a-z0-9]+\\.)+(?=[A-Z])", ""))
                        .collect(Collectors.joining(", called by "));
    }

    private static void print(Map<String, Place> places, long commits) {
        System.out.printf(
                Locale.ROOT,
                "| event | place | events | for each commit | ms in all | longest ms |%n|---|---|---|---|---|---|%n");
        places.entrySet().stream()
                .sorted(Map.Entry.comparingByValue(
                        Comparator.comparingLong((Place place) -> place.nanos).reversed()))
                .limit(MOST_ROWS)
                .forEach(each -> System.out.printf(
                        Locale.ROOT,
                        "| %s | %s | %.4f | %.1f | %.2f |%n",
                        each.getKey(),
                        Text.whole(each.getValue().count),
                        each.getValue().count / (double) commits,
                        each.getValue().nanos / NANOS_PER_MILLI,
                        each.getValue().longestNanos / NANOS_PER_MILLI));
        if (places.isEmpty()) {
            System.out.println("| none | | 0 | 0 | 0 | 0 |");
        }
    }

    /** The events of one place. */
    private static final class Place {
        private long count;
        private long nanos;
        private long longestNanos;

        void add(RecordedEvent event) {
            long taken = event.getDuration().toNanos();
            count++;
            nanos += taken;
            longestNanos = Math.max(longestNanos, taken);
        }
    }
}
