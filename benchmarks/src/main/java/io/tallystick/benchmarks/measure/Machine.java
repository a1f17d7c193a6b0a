package io.tallystick.benchmarks.measure;

import io.tallystick.storage.FileSystemConcern;
import io.tallystick.storage.Mount;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The machine of a run, as facts that are printed beside the figures. Every fact is text under a fixed name, so two
 * runs can be compared fact by fact.
 *
 * @param facts by name, in the order to print them
 */
public record Machine(Map<String, String> facts) {
    /** The machine of a file without facts. */
    public static final Machine UNKNOWN = new Machine(Map.of());

    public static final String DATE = "date";
    public static final String COMMAND = "command";
    public static final String CORES = "cores";
    public static final String CPU = "cpu";
    public static final String MEMORY = "memory";
    public static final String SYSTEM = "system";
    public static final String JVM = "jvm";
    public static final String DIRECTORY = "directory";
    public static final String FILE_SYSTEM = "fileSystem";
    public static final String MOUNT_DEVICE = "mountDevice";
    /** The mount point and its options: some options switch syncs off. */
    public static final String MOUNT = "mount";

    public static final String WRITE_CACHE = "writeCache";
    /** The date on which the run was continued, if it was. */
    public static final String RESUMED = "resumed";

    /** Write operations a second that the disk was allowed to do, if it was slowed down. */
    public static final String THROTTLED = "throttled";
    /** How the disk was slowed down to the speed of 2011, if it was. */
    public static final String CALIBRATED = "calibrated";

    /** The version of PostgreSQL and where its programs are, if stores in a database were measured. */
    public static final String POSTGRESQL = "postgresql";

    public static final String OTHERS = "cpuOfOthersAtStart";

    /** Facts that make figures of two runs incomparable where they differ. */
    static final List<String> DECISIVE =
            List.of(CORES, CPU, MEMORY, SYSTEM, JVM, FILE_SYSTEM, MOUNT_DEVICE, WRITE_CACHE, THROTTLED);

    private static final String NOT_KNOWN = "not known";
    private static final String CHOICE = "choice.";
    private static final String PERCENT = " %";
    private static final long WATCH_MILLIS = 500;
    /** If other programs use more than this share of all cores, the figures suffer. */
    public static final double BUSY_SHARE = 0.1;

    public Machine {
        facts = Collections.unmodifiableMap(new LinkedHashMap<>(facts));
    }

    /** This machine, with the stores in {@code directory}, which exists. */
    public static Machine here(Path directory, String command) throws IOException, InterruptedException {
        FileStore store = Files.getFileStore(directory);
        Mount mount = Mount.of(directory);
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put(
                DATE,
                ZonedDateTime.now().truncatedTo(ChronoUnit.SECONDS).format(DateTimeFormatter.ISO_OFFSET_DATE_TIME));
        facts.put(COMMAND, command);
        facts.put(CORES, String.valueOf(Runtime.getRuntime().availableProcessors()));
        facts.put(CPU, lineValue(Path.of("/proc/cpuinfo"), "model name").orElse(NOT_KNOWN));
        facts.put(
                MEMORY,
                lineValue(Path.of("/proc/meminfo"), "MemTotal")
                        .map(Machine::gibibytes)
                        .orElse(NOT_KNOWN));
        facts.put(SYSTEM, property("os.name") + " " + property("os.version") + " " + property("os.arch"));
        facts.put(JVM, property("java.vm.name") + " " + property("java.runtime.version"));
        facts.put(DIRECTORY, directory.toString());
        facts.put(FILE_SYSTEM, store.type());
        facts.put(MOUNT_DEVICE, store.name());
        facts.put(MOUNT, mount.point().isEmpty() ? NOT_KNOWN : mount.point() + " (" + mount.options() + ")");
        facts.put(
                WRITE_CACHE,
                writeCache(Path.of("/sys/class/block"), store.name()).orElse(NOT_KNOWN));
        facts.put(
                OTHERS, others().map(share -> Math.round(share * 100) + PERCENT).orElse(NOT_KNOWN));
        return new Machine(facts);
    }

    /** The share of other programs during a pause. The load average would also count the build before the run. */
    private static Optional<Double> others() throws InterruptedException {
        Optional<SystemCpu> before = SystemCpu.now();
        long begun = System.nanoTime();
        TimeUnit.MILLISECONDS.sleep(WATCH_MILLIS);
        long elapsed = System.nanoTime() - begun;
        return before.flatMap(earlier -> SystemCpu.now().map(now -> now.shareOfOthers(earlier, elapsed, 0)));
    }

    /** The same with the choice of a store, such as its way to the disk. */
    public Machine withChoice(String store, String choice) {
        return with(CHOICE + store, choice);
    }

    /** The same with one more fact. */
    public Machine with(String fact, String value) {
        Map<String, String> more = new LinkedHashMap<>(facts);
        more.put(fact, value);
        return new Machine(more);
    }

    /** The machine of a run that is continued at the date of {@code later}, with the choices of {@code later}. */
    public Machine resumedOn(Machine later) {
        Map<String, String> more = new LinkedHashMap<>(facts);
        more.put(RESUMED, later.fact(DATE));
        later.choices().forEach((store, choice) -> more.put(CHOICE + store, choice));
        return new Machine(more);
    }

    /** The differences for which figures of two machines may not be compared, a line each. */
    public List<String> differencesTo(Machine now) {
        return DECISIVE.stream()
                .filter(fact -> !fact(fact).equals(now.fact(fact)))
                .map(fact -> fact + " was " + fact(fact) + ", is " + now.fact(fact))
                .toList();
    }

    /**
     * The differences for which ratios of two machines may not be compared, a line each: cores, processor, file system
     * and version of Java. A fact that is not known is a difference.
     */
    public List<String> differencesOfKindTo(Machine now) {
        List<String> differences = new ArrayList<>();
        for (String fact : List.of(CORES, CPU, FILE_SYSTEM)) {
            if (!fact(fact).equals(now.fact(fact)) || fact(fact).equals(NOT_KNOWN)) {
                differences.add(fact + " was " + fact(fact) + ", is " + now.fact(fact));
            }
        }
        if (!feature(this).equals(feature(now))) {
            differences.add(JVM + " was " + fact(JVM) + ", is " + now.fact(JVM));
        }
        return differences;
    }

    /** The fact of the JVM up to the number of the feature release: {@code OpenJDK 64-Bit Server VM 17}. */
    private static String feature(Machine machine) {
        return machine.fact(JVM).replaceFirst("( \\d+)[.+].*", "$1");
    }

    /** The choices of the stores, by store. */
    public Map<String, String> choices() {
        Map<String, String> choices = new LinkedHashMap<>();
        facts.forEach((name, value) -> {
            if (name.startsWith(CHOICE)) {
                choices.put(name.substring(CHOICE.length()), value);
            }
        });
        return choices;
    }

    public String fact(String name) {
        return facts.getOrDefault(name, NOT_KNOWN);
    }

    public int cores() {
        String cores = facts.get(CORES);
        return cores == null ? 1 : Integer.parseInt(cores);
    }

    /** Whether the directory is in memory, so that no figure of a durable store means anything. */
    public boolean isMemoryFileSystem() {
        return FileSystemConcern.about(fact(FILE_SYSTEM)).equals(Optional.of(FileSystemConcern.MEMORY));
    }

    /** Whether other programs took so much of the cores when the run began that figures suffer. */
    public boolean wasBusy() {
        String others = fact(OTHERS);
        return others.endsWith(PERCENT)
                && Integer.parseInt(others.substring(0, others.length() - PERCENT.length())) > BUSY_SHARE * 100;
    }

    /**
     * The write caches of the block devices under {@code device}. {@code write back} keeps unflushed data in the
     * memory of the device; {@code write through} has no such data.
     */
    static Optional<String> writeCache(Path blockClass, String device) {
        Path name = Path.of(device).getFileName();
        if (name == null) {
            return Optional.empty();
        }
        try {
            Path block = blockClass.resolve(name).toRealPath();
            List<String> settings = new ArrayList<>();
            for (Path disk : disksUnder(block)) {
                Path setting = disk.resolve("queue/write_cache");
                if (Files.isReadable(setting)) {
                    settings.add(
                            disk.getFileName() + " " + Files.readString(setting).trim());
                }
            }
            return settings.isEmpty() ? Optional.empty() : Optional.of(String.join(", ", settings));
        } catch (IOException notABlockDevice) {
            return Optional.empty();
        }
    }

    /** A mapped device lies on others, a partition on the device in whose directory it is. */
    private static List<Path> disksUnder(Path block) throws IOException {
        Path slaves = block.resolve("slaves");
        if (Files.isDirectory(slaves)) {
            List<Path> disks = new ArrayList<>();
            try (Stream<Path> links = Files.list(slaves)) {
                for (Path link : links.sorted().toList()) {
                    disks.addAll(disksUnder(link.toRealPath()));
                }
            }
            if (!disks.isEmpty()) {
                return disks;
            }
        }
        return List.of(Files.exists(block.resolve("partition")) ? block.getParent() : block);
    }

    private static Optional<String> lineValue(Path file, String key) {
        try (Stream<String> lines = Files.lines(file, StandardCharsets.UTF_8)) {
            return lines.filter(line -> line.startsWith(key))
                    .findFirst()
                    .map(line -> line.substring(line.indexOf(':') + 1).trim());
        } catch (IOException notThisSystem) {
            return Optional.empty();
        }
    }

    private static String gibibytes(String kibibytes) {
        long value = Long.parseLong(kibibytes.replaceAll("\\D", ""));
        return String.format(Locale.ROOT, "%.0f GiB", value / 1024.0 / 1024.0);
    }

    private static String property(String name) {
        return System.getProperty(name, NOT_KNOWN);
    }
}
