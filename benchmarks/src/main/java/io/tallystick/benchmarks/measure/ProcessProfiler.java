package io.tallystick.benchmarks.measure;

import io.tallystick.store.StoreStatistics;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/** Adds every {@link Metric} of an iteration to its result, measured in the JVM that runs it. */
public final class ProcessProfiler implements InternalProfiler {
    /** JMH makes the profiler. */
    public ProcessProfiler() {}

    @Override
    public String getDescription() {
        return "CPU, context switches, allocation, syncs and latency per operation";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        // IterationMeter reads later, when the store is open
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        IterationMeter.Reading begun = IterationMeter.begun();
        IterationMeter.Reading ended = IterationMeter.ended();
        if (begun == null || ended == null) {
            return List.of(); // the benchmark failed before it began; JMH reports the reason
        }
        List<ScalarResult> results = new ArrayList<>();
        // All operations of the iteration, also those while threads were starting and stopping: the meter has them too.
        long operations = result.getMetadata().getAllOps();
        double seconds = (ended.nanoTime() - begun.nanoTime()) / (double) TimeUnit.SECONDS.toNanos(1);
        results.add(new ScalarResult(WallClock.LABEL, operations / seconds, "ops/s", AggregationPolicy.AVG));
        if (operations > 0) {
            addUsage(results, begun.process(), ended.process(), operations);
            addOthers(results, begun, ended);
            add(
                    results,
                    Metric.COMPILER,
                    Math.max(
                                    0,
                                    ended.process().compilerNanos()
                                            - begun.process().compilerNanos())
                            / (seconds * TimeUnit.SECONDS.toNanos(1)));
            begun.store().ifPresent(before -> ended.store().ifPresent(after -> {
                addForces(results, before, after, operations);
            }));
        }
        addLatencies(results, LatencySamples.drain());
        List<Result<?>> all = new ArrayList<>(results);
        List<Double> rates = SliceMeter.rates();
        if (!rates.isEmpty()) {
            all.add(new SliceResult(rates));
        }
        return all;
    }

    private static void addUsage(List<ScalarResult> results, ProcessUsage before, ProcessUsage after, long operations) {
        add(results, Metric.CPU, micros(after.cpuNanos() - before.cpuNanos()) / operations);
        if (!after.voluntarySwitches().isEmpty()) {
            add(results, Metric.SWITCHES, (double) after.switchesSince(before) / operations);
        }
        if (after.serverNanos() > before.serverNanos()) {
            add(results, Metric.SERVER_CPU, micros(after.serverNanos() - before.serverNanos()) / operations);
        }
        add(results, Metric.ALLOCATED, (double) (after.allocatedBytes() - before.allocatedBytes()) / operations);
    }

    private static void addOthers(
            List<ScalarResult> results, IterationMeter.Reading before, IterationMeter.Reading after) {
        before.process()
                .system()
                .ifPresent(systemBefore -> after.process().system().ifPresent(systemAfter -> {
                    long own = after.process().cpuNanos()
                            - before.process().cpuNanos()
                            + after.process().serverNanos()
                            - before.process().serverNanos();
                    long elapsed = after.nanoTime() - before.nanoTime();
                    add(results, Metric.OTHERS, systemAfter.shareOfOthers(systemBefore, elapsed, own));
                }));
    }

    private static void addForces(
            List<ScalarResult> results, StoreStatistics before, StoreStatistics after, long operations) {
        long forces = after.forces() - before.forces();
        if (forces > 0) {
            add(results, Metric.FORCES, (double) forces / operations);
            add(results, Metric.RECORDS_PER_FORCE, (double) (after.recordsForced() - before.recordsForced()) / forces);
        }
    }

    private static void addLatencies(List<ScalarResult> results, Histogram latencies) {
        if (latencies.getTotalCount() > 0) {
            add(results, Metric.P50, micros(latencies.getValueAtPercentile(50)));
            add(results, Metric.P99, micros(latencies.getValueAtPercentile(99)));
            add(results, Metric.P999, micros(latencies.getValueAtPercentile(99.9)));
            add(results, Metric.MAX, micros(latencies.getMaxValue()));
        }
    }

    private static double micros(long nanos) {
        return (double) nanos / TimeUnit.MICROSECONDS.toNanos(1);
    }

    private static void add(List<ScalarResult> results, Metric metric, double value) {
        results.add(new ScalarResult(metric.label(), value, metric.unit(), metric.policy()));
    }
}
