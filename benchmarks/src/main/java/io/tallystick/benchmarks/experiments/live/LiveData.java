package io.tallystick.benchmarks.experiments.live;

import io.tallystick.benchmarks.experiments.ScratchDirectory;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * Two measurements of the segmented journal with a heap smaller than the data: run it with {@code -Xmx64m}.
 *
 * <p>{@code live DIRECTORY IO}: four threads overwrite and read records of 10 KB at random. At first the records fill
 * an eighth of the heap. Then the store grows to twice the heap. The program prints throughput and 99th percentile of
 * both, side by side, and compares every record that it reads.
 *
 * <p>{@code recovery DIRECTORY IO}: fills 1 GiB of segments in which 1,000 records are alive. Then it reads the files
 * one after the other and opens the store, with the page cache dropped (as root) and with a warm one. It does so once
 * with full batches, and once with one record in each batch.
 */
public final class LiveData {
    private static final PrintStream OUT = System.out;
    private static final int RECORD_BYTES = 10_000;
    private static final int THREADS = 4;
    private static final long WARM_UP_SECONDS = 8;
    private static final long SECONDS = 15;
    private static final long SUSTAINED_SECONDS = 45;
    private static final long GIB = 1L << 30;
    private static final long SEGMENT_BYTES = 32L << 20;
    private static final int LIVE_RECORDS = 1_000;
    private static final String TYPE = "/StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction";
    private static final Path DROP_CACHES = Path.of("/proc/sys/vm/drop_caches");

    private final Path directory;
    private final String io;

    private LiveData(Path directory, String io) {
        this.directory = directory;
        this.io = io;
    }

    /** Runs one of the measurements. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        if (arguments.length != 3) {
            throw new IllegalArgumentException("usage: live|recovery DIRECTORY channel|direct|auto");
        }
        Path parent = Path.of(arguments[1]);
        if (arguments[0].equals("live")) {
            inOwnDirectory(parent, directory -> new LiveData(directory, arguments[2]).largeLiveData());
        } else {
            inOwnDirectory(parent, directory -> new LiveData(directory, arguments[2]).recovery(true));
            inOwnDirectory(parent, directory -> new LiveData(directory, arguments[2]).recovery(false));
        }
    }

    private interface Task {
        void run(Path directory) throws IOException, InterruptedException;
    }

    private static void inOwnDirectory(Path parent, Task task) throws IOException, InterruptedException {
        try (ScratchDirectory scratch = new ScratchDirectory(parent, "live-data")) {
            task.run(scratch.path());
        }
    }

    private void largeLiveData() throws InterruptedException {
        long heap = Runtime.getRuntime().maxMemory();
        int few = (int) (heap / 8 / RECORD_BYTES);
        int many = (int) (2 * heap / RECORD_BYTES);
        OUT.printf(Locale.ROOT, "heap=%d MiB records=%d bytes io=%s%n", heap >> 20, RECORD_BYTES, io);
        try (ObjectStore store = open(4)) {
            fill(store, 0, few);
            load(store, few, WARM_UP_SECONDS);
            Figures start = load(store, few, SECONDS);
            OUT.println("live=" + few + " " + start);
            fill(store, few, many);
            load(store, many, WARM_UP_SECONDS);
            Figures end = load(store, many, SECONDS);
            OUT.println("live=" + many + " " + end);
            load(store, many, SUSTAINED_SECONDS);
            Figures later = load(store, many, SECONDS);
            OUT.println("live=" + many + " later " + later);
            OUT.println("later/then " + later.against(end));
            OUT.println("end/start " + end.against(start));
        }
        long begun = System.nanoTime();
        try (ObjectStore store = open(4)) {
            OUT.printf(Locale.ROOT, "opened again in %.2f s%n", (System.nanoTime() - begun) / 1e9);
            for (int number = 0; number < many; number++) {
                check(store, number);
            }
            OUT.println("every record is right");
        }
    }

    private static void fill(ObjectStore store, int from, int to) {
        for (int number = from; number < to; number++) {
            store.write(key(number), state(number, 0), Durability.DEFERRED);
            if (number % 100 == 0) {
                store.force();
            }
        }
        store.force();
    }

    /** Half writes, half reads, at random among the first {@code live} keys. */
    private static Figures load(ObjectStore store, int live, long seconds) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        Histogram writes = new Histogram(TimeUnit.MINUTES.toNanos(1), 3);
        Histogram reads = new Histogram(TimeUnit.MINUTES.toNanos(1), 3);
        AtomicLong wrong = new AtomicLong();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            int thread = t;
            threads.add(new Thread(() -> {
                Histogram myWrites = new Histogram(TimeUnit.MINUTES.toNanos(1), 3);
                Histogram myReads = new Histogram(TimeUnit.MINUTES.toNanos(1), 3);
                SplittableRandom random = new SplittableRandom(thread);
                int version = 1;
                while (System.nanoTime() < end) {
                    // Each key is written by one thread.
                    int mine = random.nextInt(live / THREADS) * THREADS + thread;
                    byte[] state = state(mine, version++);
                    long begun = System.nanoTime();
                    store.write(key(mine), state, Durability.FORCED);
                    myWrites.recordValue(System.nanoTime() - begun);
                    int any = random.nextInt(live);
                    begun = System.nanoTime();
                    byte[] read = store.read(key(any)).orElse(null);
                    myReads.recordValue(System.nanoTime() - begun);
                    if (!isRight(read, any)) {
                        wrong.incrementAndGet();
                    }
                }
                synchronized (writes) {
                    writes.add(myWrites);
                    reads.add(myReads);
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        if (wrong.get() != 0) {
            throw new AssertionError(wrong.get() + " reads were wrong");
        }
        return new Figures(writes, reads, seconds);
    }

    private record Figures(Histogram writes, Histogram reads, long seconds) {
        String against(Figures other) {
            return String.format(
                    Locale.ROOT,
                    "pairs/s=%.2f write p50=%.2f p99=%.2f read p50=%.2f p99=%.2f",
                    (double) writes.getTotalCount() / other.writes.getTotalCount(),
                    share(writes, other.writes, 50),
                    share(writes, other.writes, 99),
                    share(reads, other.reads, 50),
                    share(reads, other.reads, 99));
        }

        private static double share(Histogram one, Histogram other, double percentile) {
            return (double) one.getValueAtPercentile(percentile) / other.getValueAtPercentile(percentile);
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "pairs/s=%d write us p50=%.1f p99=%.1f p99.9=%.1f max=%.0f"
                            + " read us p50=%.1f p99=%.1f p99.9=%.1f max=%.0f",
                    writes.getTotalCount() / seconds,
                    writes.getValueAtPercentile(50) / 1e3,
                    writes.getValueAtPercentile(99) / 1e3,
                    writes.getValueAtPercentile(99.9) / 1e3,
                    writes.getMaxValue() / 1e3,
                    reads.getValueAtPercentile(50) / 1e3,
                    reads.getValueAtPercentile(99) / 1e3,
                    reads.getValueAtPercentile(99.9) / 1e3,
                    reads.getMaxValue() / 1e3);
        }
    }

    private void recovery(boolean fullBatches) throws IOException {
        // Files stay in use until fewer than two are spare.
        int segments = (int) (GIB / SEGMENT_BYTES) + 2;
        long written = 0;
        try (ObjectStore store = open(segments)) {
            int number = 0;
            long next = 0;
            while (store.statistics().bytesWritten() < GIB - GIB / 64) {
                boolean stays = written >= next;
                next += stays ? GIB / LIVE_RECORDS : 0;
                StateKey key = key(number++);
                if (fullBatches) {
                    store.write(key, state(number, 600, 0), Durability.DEFERRED);
                    if (number % 1_000 == 0) {
                        store.force();
                    }
                } else {
                    store.write(key, state(number, 600, 0), Durability.FORCED);
                }
                if (!stays) {
                    store.remove(key, Durability.DEFERRED);
                }
                if (number % 256 == 0) {
                    written = store.statistics().bytesWritten();
                }
            }
            store.force();
            OUT.printf(
                    Locale.ROOT,
                    "%s: heap=%d MiB live=%d transactions=%d%n",
                    fullBatches ? "full batches" : "a record a batch",
                    Runtime.getRuntime().maxMemory() >> 20,
                    store.statistics().records(),
                    number);
        }
        for (int round = 0; round < 3; round++) {
            if (!dropCaches()) {
                OUT.println("cold: not measured, the page cache can be dropped by root only");
                break;
            }
            report("cold read", this::readAll);
            dropCaches();
            report("cold open", () -> openAndClose(segments));
        }
        for (int round = 0; round < 3; round++) {
            report("warm read", this::readAll);
            report("warm open", () -> openAndClose(segments));
        }
    }

    private record Done(long bytes, long nanos) {}

    private interface Step {
        Done run() throws IOException;
    }

    private static void report(String what, Step step) throws IOException {
        Done done = step.run();
        double seconds = done.nanos() / 1e9;
        OUT.printf(Locale.ROOT, "  %s: %.2f s, %.0f MiB/s%n", what, seconds, done.bytes() / seconds / (1 << 20));
    }

    /** Reads every file with one thread, as fast as it can. */
    private Done readAll() throws IOException {
        long begun = System.nanoTime();
        long bytes = 0;
        ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 20);
        for (Path file : files()) {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
                for (int count = channel.read(buffer.clear()); count >= 0; count = channel.read(buffer.clear())) {
                    bytes += count;
                }
            }
        }
        return new Done(bytes, System.nanoTime() - begun);
    }

    /** Measures the time until the store is open; the housekeeping while it closes does not count. */
    private Done openAndClose(int segments) throws IOException {
        long bytes = 0;
        for (Path file : files()) {
            bytes += Files.size(file);
        }
        long begun = System.nanoTime();
        try (ObjectStore store = open(segments)) {
            long nanos = System.nanoTime() - begun;
            if (store.statistics().records() < LIVE_RECORDS / 2) {
                throw new AssertionError("records=" + store.statistics().records());
            }
            return new Done(bytes, nanos);
        }
    }

    private static boolean dropCaches() throws IOException {
        if (!Files.isWritable(DROP_CACHES)) {
            return false;
        }
        Files.writeString(DROP_CACHES, "3");
        return true;
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(".seg"))
                    .sorted()
                    .toList();
        }
    }

    private ObjectStore open(int segments) {
        return ObjectStores.open(StoreConfiguration.builder()
                .store("journal")
                .directory(directory)
                .set(StoreOption.JOURNAL_ENGINE, "segmented")
                .set(StoreOption.JOURNAL_IO, io)
                .set(StoreOption.JOURNAL_SEGMENTS, segments)
                .set(StoreOption.JOURNAL_SEGMENT_SIZE, SEGMENT_BYTES)
                .build());
    }

    private static void check(ObjectStore store, int number) {
        if (!isRight(store.read(key(number)).orElse(null), number)) {
            throw new AssertionError("record " + number + " is wrong");
        }
    }

    private static StateKey key(int number) {
        return StateKey.of(
                TYPE,
                ObjectId.of(ByteBuffer.allocate(28).putLong(7).putInt(number).array()));
    }

    private static byte[] state(int number, int version) {
        return state(number, RECORD_BYTES, version);
    }

    private static byte[] state(int number, int length, int version) {
        byte[] state = new byte[length];
        Arrays.fill(state, (byte) (number + version));
        ByteBuffer.wrap(state).putInt(number).putInt(version);
        return state;
    }

    private static boolean isRight(byte[] state, int number) {
        return state != null
                && Arrays.equals(state, state(number, ByteBuffer.wrap(state).getInt(4)));
    }
}
