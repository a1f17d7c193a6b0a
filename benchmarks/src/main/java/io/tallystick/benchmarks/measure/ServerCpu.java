package io.tallystick.benchmarks.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/** CPU time of the servers that the store uses, which are other processes. */
public final class ServerCpu {
    /** System property: the numbers of the servers' first processes, separated by commas. */
    public static final String PROCESSES_KEY = "bench.servers";

    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    // Fields of /proc/PID/stat after the name of the program: the process' own time, and that of children that ended.
    private static final int USER = 11;

    private static final int SYSTEM = 12;
    private static final int ENDED_USER = 13;
    private static final int ENDED_SYSTEM = 14;

    private ServerCpu() {}

    /** Nanoseconds so far, exact to 10 ms for each process; 0 without servers. */
    static long nanos() {
        String processes = System.getProperty(PROCESSES_KEY, "");
        return processes.isEmpty()
                ? 0
                : Arrays.stream(processes.split(","))
                        .mapToLong(number -> ofTree(Long.parseLong(number)))
                        .sum();
    }

    private static long ofTree(long process) {
        LongStream children = ProcessHandle.of(process).stream()
                .flatMap(ProcessHandle::descendants)
                .mapToLong(ProcessHandle::pid);
        return LongStream.concat(LongStream.of(process), children)
                .map(ServerCpu::ofProcess)
                .sum();
    }

    private static long ofProcess(long process) {
        try {
            return parse(Files.readString(Path.of("/proc", Long.toString(process), "stat")));
        } catch (IOException ended) {
            return 0; // the first process has its time now
        }
    }

    /** The time in a line of /proc/PID/stat. The name of the program is in parentheses and may have spaces. */
    static long parse(String line) {
        String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(fields[USER])
                        + Long.parseLong(fields[SYSTEM])
                        + Long.parseLong(fields[ENDED_USER])
                        + Long.parseLong(fields[ENDED_SYSTEM]))
                * TICK_NANOS;
    }
}
