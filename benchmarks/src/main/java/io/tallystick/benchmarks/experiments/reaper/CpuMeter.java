package io.tallystick.benchmarks.experiments.reaper;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * Adds the cost of one operation to each iteration: the time on the wall, and the CPU time of the whole process with
 * the timer's own thread and the garbage collector. The rate that JMH reports is a sum over threads. Each thread
 * counts the time in which it ran its loop, so the sum says little where threads outnumber cores.
 */
public final class CpuMeter implements InternalProfiler {
    /** Label of the CPU time of an operation, nanoseconds. */
    static final String CPU = "cpu";
    /** Label of the time on the wall of an operation, nanoseconds. */
    static final String WALL = "wall";

    // Static, because JMH makes benchmarks and profilers by itself, and neither gets a reference to the other.
    private static volatile long cpuNanos;
    private static volatile long wallNanos;

    /** JMH makes the profiler. */
    public CpuMeter() {}

    /** The benchmark calls this before the threads of an iteration start. */
    static void begin() {
        cpuNanos = processCpu();
        wallNanos = System.nanoTime();
    }

    /** The benchmark calls this after the threads have ended. */
    static void end() {
        wallNanos = System.nanoTime() - wallNanos;
        cpuNanos = processCpu() - cpuNanos;
    }

    @Override
    public String getDescription() {
        return "time on the wall and CPU time of the process, for each operation";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        // the benchmark calls begin() after its setup
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        double operations = Math.max(1, result.getMetadata().getAllOps());
        return List.of(
                new ScalarResult(CPU, cpuNanos / operations, "ns/op", AggregationPolicy.AVG),
                new ScalarResult(WALL, wallNanos / operations, "ns/op", AggregationPolicy.AVG));
    }

    private static long processCpu() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }
}
