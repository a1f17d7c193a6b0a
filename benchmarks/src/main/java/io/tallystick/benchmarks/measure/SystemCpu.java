package io.tallystick.benchmarks.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * CPU time that all programs of this machine have used so far.
 *
 * @param busyNanos of all cores together, nanoseconds, exact to 10 ms
 * @param cores of the machine; a container may have fewer
 */
record SystemCpu(long busyNanos, int cores) {
    private static final Path STATISTICS = Path.of("/proc/stat");
    /** The kernel counts in ticks of this length at every rate of its own clock. */
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final Pattern SPACES = Pattern.compile(" +");
    /** Fields of the first line that are not work: idle, and waiting for disks. The last two are part of the first. */
    private static final List<Integer> WORK = List.of(1, 2, 3, 6, 7, 8);

    /** The counters now; empty if the system does not report them. */
    static Optional<SystemCpu> now() {
        try {
            return Optional.of(parse(Files.readAllLines(STATISTICS)));
        } catch (IOException notThisSystem) {
            return Optional.empty();
        }
    }

    static SystemCpu parse(List<String> lines) {
        String[] fields = SPACES.split(lines.get(0));
        long ticks = WORK.stream()
                .filter(field -> field < fields.length)
                .mapToLong(field -> Long.parseLong(fields[field]))
                .sum();
        int cores =
                (int) lines.stream().filter(line -> line.matches("cpu\\d.*")).count();
        return new SystemCpu(ticks * TICK_NANOS, cores);
    }

    /**
     * The share of all cores that was used since {@code earlier}, {@code elapsedNanos} ago, except for {@code
     * ownNanos}.
     */
    double shareOfOthers(SystemCpu earlier, long elapsedNanos, long ownNanos) {
        double others = busyNanos - earlier.busyNanos - (double) ownNanos;
        return Math.max(0, others / ((double) elapsedNanos * cores));
    }
}
