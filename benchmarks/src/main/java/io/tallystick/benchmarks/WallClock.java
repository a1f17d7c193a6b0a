package io.tallystick.benchmarks;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ResultRole;
import org.openjdk.jmh.results.ThroughputResult;

/**
 * Throughput as all operations over the time on the wall. JMH adds up the rates of the threads, each over the time in which
 * that thread measured itself; of a hundred threads on two cores many measure themselves for a moment only, and the sum can be
 * a hundred times what the machine has done. {@link ProcessProfiler} reports the true rate beside JMH's; here it takes its
 * place.
 */
final class WallClock {
    /** Label of the rate that {@link ProcessProfiler} adds to an iteration, operations per second. */
    static final String LABEL = "wall-clock";

    private WallClock() {}

    static BenchmarkResult corrected(BenchmarkResult fork) {
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
