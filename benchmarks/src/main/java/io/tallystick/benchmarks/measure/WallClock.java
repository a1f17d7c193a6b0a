package io.tallystick.benchmarks.measure;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ResultRole;
import org.openjdk.jmh.results.ThroughputResult;

/**
 * Throughput as {@code operations of all threads / wall-clock time}. JMH adds up the rates of the threads, and each
 * thread measures its own time. Of a hundred threads on two cores many measure only a moment, so the sum can be a
 * hundred times the work of the machine. {@link ProcessProfiler} reports the true rate beside JMH's; this class
 * replaces JMH's rate by it.
 */
public final class WallClock {
    /** Label of the rate that {@link ProcessProfiler} adds to an iteration, operations per second. */
    static final String LABEL = "wall-clock";

    private WallClock() {}

    public static BenchmarkResult corrected(BenchmarkResult fork) {
        List<IterationResult> iterations =
                fork.getIterationResults().stream().map(WallClock::corrected).toList();
        return new BenchmarkResult(fork.getParams(), iterations, fork.getMetadata());
    }

    private static IterationResult corrected(IterationResult iteration) {
        Result<?> rate = iteration.getSecondaryResults().get(LABEL);
        if (rate == null) {
            throw new IllegalArgumentException("an iteration was measured without ProcessProfiler");
        }
        IterationResult corrected =
                new IterationResult(iteration.getBenchmarkParams(), iteration.getParams(), iteration.getMetadata());
        corrected.addResult(new ThroughputResult(
                ResultRole.PRIMARY,
                iteration.getPrimaryResult().getLabel(),
                rate.getScore(),
                TimeUnit.SECONDS.toNanos(1),
                TimeUnit.SECONDS));
        for (Result<?> secondary : iteration.getSecondaryResults().values()) {
            if (secondary != rate) {
                corrected.addResult(secondary);
            }
        }
        return corrected;
    }
}
