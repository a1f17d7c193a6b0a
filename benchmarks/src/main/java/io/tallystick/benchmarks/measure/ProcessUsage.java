package io.tallystick.benchmarks.measure;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The usage of this process so far.
 *
 * @param cpuNanos CPU time of all threads, nanoseconds
 * @param voluntarySwitches times that each living thread gave up a core to wait, by the system's number of the thread;
 *     empty if the system does not report them
 * @param allocatedBytes bytes that its living threads allocated
 * @param system CPU time of all programs; empty if the system does not report it
 * @param compilerNanos CPU time of the JVM's compilers, nanoseconds
 * @param serverNanos CPU time of the servers of the store, nanoseconds; 0 if it has none
 */
record ProcessUsage(
        long cpuNanos,
        Map<String, Long> voluntarySwitches,
        long allocatedBytes,
        Optional<SystemCpu> system,
        long compilerNanos,
        long serverNanos) {
    private static final Path TASKS = Path.of("/proc/self/task");
    private static final String VOLUNTARY = "voluntary_ctxt_switches:";

    static ProcessUsage now() {
        OperatingSystemMXBean bean = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        return new ProcessUsage(
                bean.getProcessCpuTime(),
                switches(),
                allocated(),
                SystemCpu.now(),
                CompilerCpu.nanosNow(),
                ServerCpu.nanos());
    }

    /** Voluntary switches since {@code earlier}, of the threads that live now. */
    long switchesSince(ProcessUsage earlier) {
        return voluntarySwitches.entrySet().stream()
                .mapToLong(thread -> thread.getValue() - earlier.voluntarySwitches.getOrDefault(thread.getKey(), 0L))
                .sum();
    }

    private static long allocated() {
        ThreadMXBean threads = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
        return Arrays.stream(threads.getThreadAllocatedBytes(threads.getAllThreadIds()))
                .filter(bytes -> bytes > 0)
                .sum();
    }

    private static Map<String, Long> switches() {
        Map<String, Long> switches = new HashMap<>();
        if (Files.isDirectory(TASKS)) {
            try (DirectoryStream<Path> tasks = Files.newDirectoryStream(TASKS)) {
                for (Path task : tasks) {
                    switchesOf(task)
                            .ifPresent(count -> switches.put(task.getFileName().toString(), count));
                }
            } catch (IOException unreadable) {
                return Map.of();
            }
        }
        return switches;
    }

    private static Optional<Long> switchesOf(Path task) throws IOException {
        try {
            for (String line : Files.readAllLines(task.resolve("status"))) {
                if (line.startsWith(VOLUNTARY)) {
                    return Optional.of(
                            Long.parseLong(line.substring(VOLUNTARY.length()).trim()));
                }
            }
        } catch (NoSuchFileException ended) {
            return Optional.empty();
        }
        return Optional.empty();
    }
}
