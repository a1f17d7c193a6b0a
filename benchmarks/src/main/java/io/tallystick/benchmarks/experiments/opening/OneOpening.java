package io.tallystick.benchmarks.experiments.opening;

import com.arjuna.ats.arjuna.exceptions.ObjectStoreException;
import com.sun.management.OperatingSystemMXBean;
import io.tallystick.benchmarks.measure.RecoveryBenchmark;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The new JVM of {@link Openings}: opens the store that its system properties name, reads all of it, prints one line of
 * numbers, and is halted.
 *
 * <p>Nothing but the store runs before the times are taken, so that all of its classes are cold. The costs are taken
 * afterwards; what the JVM alone costs is the figure of {@link Way#NOTHING}.
 */
final class OneOpening {
    private static final Path IO = Path.of("/proc/self/io");

    private OneOpening() {}

    /** What the JVM does between the two clock readings. */
    enum Way {
        /** Nothing: the costs of a JVM. */
        NOTHING,
        /** Opens the store itself, and reads every state. */
        STORE,
        /** Has Narayana open the store, and reads its records as recovery does. */
        NARAYANA
    }

    /**
     * Times in nanoseconds, and costs of the whole process.
     *
     * @param cpuNanos CPU time of all threads
     * @param writtenBytes bytes that it gave to write calls; 0 where the system does not tell
     */
    record Figures(
            long toMainNanos,
            long openNanos,
            long readNanos,
            long cpuNanos,
            long classes,
            long writtenBytes,
            long records) {
        private String line() {
            return toMainNanos + " " + openNanos + " " + readNanos + " " + cpuNanos + " " + classes + " " + writtenBytes
                    + " " + records;
        }

        static Figures of(String line) {
            String[] words = line.strip().split(" ");
            long[] numbers = new long[words.length];
            for (int i = 0; i < words.length; i++) {
                numbers[i] = Long.parseLong(words[i]);
            }
            return new Figures(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6]);
        }
    }

    /**
     * Arguments: a {@link Way}, and the parent's {@link System#nanoTime} when it started this JVM; both JVMs read one
     * clock.
     */
    public static void main(String[] arguments) throws IOException, ObjectStoreException {
        long inMain = System.nanoTime();
        long started = Long.parseLong(arguments[1]);
        long opened = inMain;
        int records = 0;
        switch (arguments[0]) {
            case "STORE" -> {
                ObjectStore store = ObjectStores.open();
                opened = System.nanoTime();
                records = readAll(store);
            }
            case "NARAYANA" -> {
                RecoveryBenchmark.recoveryStore();
                opened = System.nanoTime();
                records = RecoveryBenchmark.readAll();
            }
            default -> {}
        }
        long read = System.nanoTime();
        OperatingSystemMXBean process = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        Figures figures = new Figures(
                inMain - started,
                opened - inMain,
                read - opened,
                process.getProcessCpuTime(),
                ManagementFactory.getClassLoadingMXBean().getTotalLoadedClassCount(),
                writtenBytes(),
                records);
        System.out.println(figures.line());
        System.out.flush();
        // Not closed: the process that it measures is one that is halted.
        Runtime.getRuntime().halt(0);
    }

    private static int readAll(ObjectStore store) {
        int records = 0;
        for (String type : store.types()) {
            for (StateKey key : store.keys(type)) {
                records += store.read(key).isPresent() ? 1 : 0;
            }
        }
        return records;
    }

    private static long writtenBytes() throws IOException {
        if (!Files.isReadable(IO)) {
            return 0;
        }
        Map<String, Long> counts = Files.readAllLines(IO).stream()
                .map(line -> line.split(": "))
                .collect(Collectors.toMap(field -> field[0], field -> Long.parseLong(field[1])));
        return counts.getOrDefault("wchar", 0L);
    }
}
