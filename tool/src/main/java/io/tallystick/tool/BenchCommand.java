package io.tallystick.tool;

import com.eclipsesource.json.Json;
import com.eclipsesource.json.JsonArray;
import com.eclipsesource.json.JsonObject;
import io.tallystick.storage.StoreIdentity;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreStatistics;
import io.tallystick.tool.command.Escaped;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.GivenSettings;
import io.tallystick.tool.command.NewPlace;
import io.tallystick.tool.command.Progress;
import io.tallystick.tool.command.ToolCommand;
import io.tallystick.tool.command.ToolException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A short measurement of a new store. */
@Command(
        name = "bench",
        description = {
            "Measure a store on a directory's disk: forced writes of a commit record and deferred removals, in a new"
                    + " store"
                    + " in a sub-directory that is deleted afterwards. An estimate in seconds; ./bench of the project"
                    + " compares stores properly.",
            ""
        })
final class BenchCommand extends ToolCommand {
    private static final String TYPE = "/Tallystick/Bench";
    private static final String PREFIX = "tallystick-bench-";

    @Parameters(index = "0", paramLabel = "DIRECTORY", description = "an existing directory on the disk to measure")
    private Path directory;

    @Option(
            names = "--store",
            paramLabel = "STORE",
            description = "journal, file or inmemory (default: ${DEFAULT-VALUE})")
    private String storeName = "journal";

    @Option(
            names = "--threads",
            paramLabel = "N",
            split = ",",
            description = "numbers of threads, one measurement for each (default: 1,16,100)")
    private List<Integer> threadCounts = List.of(1, 16, 100);

    @Option(
            names = "--millis",
            paramLabel = "N",
            description = "time of each measurement after a fifth of it to warm up, milliseconds (default:"
                    + " ${DEFAULT-VALUE})")
    private long millis = 3000;

    @Option(names = "--bytes", paramLabel = "N", description = "size of a record (default: ${DEFAULT-VALUE})")
    private int bytes = 600;

    @Option(
            names = "-D",
            paramLabel = "KEY=VALUE",
            description = "a configuration key of the store, such as -Dtallystick.journal.engine=artemis")
    private Map<String, String> settings = new LinkedHashMap<>();

    private record Result(int threads, double perSecond, Histogram nanos, double recordsPerForce) {}

    @Override
    protected ExitStatus run() throws IOException, InterruptedException {
        checkPositive("--millis", millis);
        checkPositive("--bytes", bytes);
        threadCounts.forEach(threads -> checkPositive("--threads", threads));
        checkDirectory();
        Path place = Files.createTempDirectory(directory, PREFIX);
        Thread cleaner = new Thread(() -> deleteAtEnd(place), "tallystick-bench-cleaner");
        Runtime.getRuntime().addShutdownHook(cleaner);
        try {
            measure(place.resolve("store"));
        } finally {
            deleteTree(place);
            Runtime.getRuntime().removeShutdownHook(cleaner);
        }
        return ExitStatus.OK;
    }

    private void checkDirectory() throws IOException {
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            throw new ToolException(
                    ExitStatus.USAGE,
                    "directory=" + directory.toAbsolutePath() + " is not an existing directory; give one on the disk in"
                            + " question");
        }
        if (Files.exists(directory.resolve(StoreIdentity.FILE_NAME), LinkOption.NOFOLLOW_LINKS)) {
            throw new ToolException(
                    ExitStatus.REFUSED,
                    "directory=" + directory.toAbsolutePath()
                            + " is a store, and the measurement does not write there; give a"
                            + " directory beside it on the same disk");
        }
        NewPlace.checkOutsideStores(new SystemDisk(), directory);
        if (threadCounts.stream().anyMatch(count -> count < 1) || millis < 1 || bytes < 1) {
            throw new ToolException(ExitStatus.USAGE, "--threads, --millis and --bytes take numbers of 1 or more");
        }
    }

    private void measure(Path place) throws InterruptedException {
        StoreConfiguration.Builder builder = StoreConfiguration.builder();
        GivenSettings.apply(settings, builder);
        StoreConfiguration configuration =
                builder.store(storeName).directory(place).build();
        List<Result> results = new ArrayList<>();
        String description;
        try (ObjectStore store = ObjectStores.open(configuration);
                Progress progress = output().progress("measuring")) {
            description = store.description().toString();
            output().remark("%s", Escaped.message(description));
            for (int threads : threadCounts) {
                progress.at(results.size(), threadCounts.size(), "measurements");
                run(store, threads, Math.max(1, millis / 5));
                Result result = run(store, threads, millis);
                results.add(result);
                progress.clear();
                if (!output().isJson()) {
                    print(result);
                }
            }
        }
        if (output().isJson()) {
            output().json(json(description, results));
        }
    }

    private Result run(ObjectStore store, int threads, long duration) throws InterruptedException {
        StoreStatistics before = store.statistics();
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            CountDownLatch ready = new CountDownLatch(threads);
            List<Future<Histogram>> running = new ArrayList<>();
            long begun = System.nanoTime();
            for (int thread = 0; thread < threads; thread++) {
                int number = thread;
                running.add(executor.submit(() -> commits(store, number, ready, duration)));
            }
            Histogram all = new Histogram(3);
            for (Future<Histogram> each : running) {
                all.add(finished(each));
            }
            double seconds = (System.nanoTime() - begun) / 1e9;
            StoreStatistics after = store.statistics();
            long forces = after.forces() - before.forces();
            return new Result(
                    threads,
                    all.getTotalCount() / seconds,
                    all,
                    forces == 0 ? 0 : (double) (after.recordsForced() - before.recordsForced()) / forces);
        } finally {
            executor.shutdownNow();
            executor.awaitTermination(1, TimeUnit.MINUTES);
        }
    }

    private Histogram commits(ObjectStore store, int thread, CountDownLatch ready, long duration)
            throws InterruptedException {
        byte[] state = new byte[bytes];
        Histogram nanos = new Histogram(3);
        StateKey anyKey = StateKey.of(TYPE, ObjectId.of(new byte[1]));
        ready.countDown();
        ready.await();
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(duration);
        long number = 0;
        while (System.nanoTime() - end < 0) {
            StateKey key = anyKey.withId(ObjectId.of(
                    ByteBuffer.allocate(12).putInt(thread).putLong(number++).array()));
            long begun = System.nanoTime();
            store.write(key, state, Durability.FORCED);
            nanos.recordValue(System.nanoTime() - begun);
            store.remove(key, Durability.DEFERRED);
        }
        return nanos;
    }

    private static Histogram finished(Future<Histogram> running) throws InterruptedException {
        try {
            return running.get();
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof StoreException refused) {
                throw refused;
            }
            throw new IllegalStateException(failed.getCause());
        }
    }

    private void print(Result result) {
        output().line(
                        "%4d threads %,12.0f commits/s   write p50 %,9.1f us  p99 %,9.1f us  max %,9.1f us%s",
                        result.threads,
                        result.perSecond,
                        result.nanos.getValueAtPercentile(50) / 1e3,
                        result.nanos.getValueAtPercentile(99) / 1e3,
                        result.nanos.getMaxValue() / 1e3,
                        result.recordsPerForce == 0
                                ? ""
                                : String.format(Locale.ROOT, "  records a sync %.1f", result.recordsPerForce));
    }

    private static JsonObject json(String description, List<Result> results) {
        JsonArray rows = Json.array();
        for (Result result : results) {
            rows.add(Json.object()
                    .add("threads", result.threads)
                    .add("commitsPerSecond", Math.round(result.perSecond))
                    .add("p50Nanos", result.nanos.getValueAtPercentile(50))
                    .add("p99Nanos", result.nanos.getValueAtPercentile(99))
                    .add("maxNanos", result.nanos.getMaxValue())
                    .add("recordsPerForce", Math.round(result.recordsPerForce * 10) / 10.0));
        }
        return Json.object().add("store", description).add("measurements", rows);
    }

    private static void deleteTree(Path place) throws IOException {
        try (Stream<Path> files = Files.walk(place)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    /**
     * Deletes the files of the measurement. Some may stay if a signal ends the process, because the store is still open
     * then.
     */
    private void deleteAtEnd(Path place) {
        try {
            deleteTree(place);
        } catch (IOException | UncheckedIOException stillWritten) {
            output().remark("%s could not be deleted; delete it", place);
        }
    }
}
