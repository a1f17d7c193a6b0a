package io.tallystick.benchmarks.measure;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.ScalarResult;

/** Reports the last run of pgbench in {@link StatementBenchmark}. */
public final class StatementProfiler implements InternalProfiler {
    /** JMH makes the profiler. */
    public StatementProfiler() {}

    @Override
    public String getDescription() {
        return "statements a second, as pgbench counts them";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        // a run of pgbench counts by itself
    }

    @Override
    public Collection<ScalarResult> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        Run run = StatementBenchmark.last();
        return run == null ? List.of() : run.results(); // without a run the benchmark failed, and JMH reports it
    }

    /**
     * One run.
     *
     * @param statements in the whole time
     * @param perSecond without the time of connecting
     * @param serverNanos CPU time of the servers
     */
    record Run(long statements, double perSecond, long serverNanos) {
        private static final Pattern COUNT = Pattern.compile("number of transactions actually processed: (\\d+)");
        private static final Pattern RATE =
                Pattern.compile("tps = ([0-9.]+) \\((?:without initial connection time|excluding connections .*)\\)");

        /** Reads the report of pgbench, of version 12 or later. */
        static Run of(String report, long serverNanos) {
            Matcher count = COUNT.matcher(report);
            Matcher rate = RATE.matcher(report);
            if (!count.find() || !rate.find()) {
                throw new IllegalArgumentException("this is no report of pgbench: " + report);
            }
            return new Run(Long.parseLong(count.group(1)), Double.parseDouble(rate.group(1)), serverNanos);
        }

        private List<ScalarResult> results() {
            double micros = (double) serverNanos / TimeUnit.MICROSECONDS.toNanos(1);
            return List.of(
                    new ScalarResult(WallClock.LABEL, perSecond, "ops/s", AggregationPolicy.AVG),
                    new ScalarResult(
                            Metric.SERVER_CPU.label(),
                            micros / Math.max(1, statements),
                            Metric.SERVER_CPU.unit(),
                            Metric.SERVER_CPU.policy()));
        }
    }
}
