package io.tallystick.benchmarks.measure;

import io.tallystick.benchmarks.report.Results;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.Aggregator;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ResultRole;
import org.openjdk.jmh.util.ListStatistics;
import org.openjdk.jmh.util.Statistics;

/** Carries the rates of {@link SliceMeter} out of the JVM that measured them. */
public final class SliceResult extends Result<SliceResult> {
    /** Name in JMH's JSON, where it has the mean only; all slices are in the key of {@link Results}. */
    static final String LABEL = "slices";

    private static final long serialVersionUID = 1;

    SliceResult(List<Double> rates) {
        this(new ListStatistics(rates.stream().mapToDouble(Double::doubleValue).toArray()));
    }

    private SliceResult(Statistics rates) {
        super(ResultRole.SECONDARY, LABEL, rates, "ops/s", AggregationPolicy.AVG);
    }

    /** The rates of an iteration, in ascending order; empty if none were sampled. */
    public static List<Double> of(IterationResult iteration) {
        Result<?> result = iteration.getSecondaryResults().get(LABEL);
        return result == null ? List.of() : rates(result);
    }

    private static List<Double> rates(Result<?> result) {
        List<Double> rates = new ArrayList<>();
        result.getStatistics().getRawData().forEachRemaining((Map.Entry<Double, Long> entry) -> {
            for (long i = 0; i < entry.getValue(); i++) {
                rates.add(entry.getKey());
            }
        });
        return rates.stream().sorted().toList();
    }

    @Override
    protected Aggregator<SliceResult> getThreadAggregator() {
        return SliceResult::together;
    }

    @Override
    protected Aggregator<SliceResult> getIterationAggregator() {
        return SliceResult::together;
    }

    private static SliceResult together(Collection<SliceResult> results) {
        return new SliceResult(
                results.stream().flatMap(result -> rates(result).stream()).toList());
    }
}
