package io.tallystick.benchmarks.measure;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The figures of one {@link Cell}.
 *
 * @param samples operations per second, one for each iteration that counts, ascending
 * @param metrics median of each metric over the same iterations; the longest of {@link Metric#MAX}
 * @param slices operations per second in each tenth of a second, ascending; empty if they were not sampled
 * @param turns operations per second of each turn, the median of its iterations, in the order of the run: the turns of
 *     two cells that were measured beside each other have the same index
 * @param doubt why this figure is marked, and no ratio is made of it; empty if it is sound
 */
public record Measurement(
        List<Double> samples,
        Map<Metric, Double> metrics,
        List<Double> slices,
        List<Double> turns,
        Optional<String> doubt) {
    /**
     * The greatest share of the cores that other programs may use beside a figure. The system's own threads that write
     * for the store count as others: they use up to 14 % where each commit is a sync.
     */
    public static final double MOST_OF_OTHERS = 0.2;

    /** The greatest share of a core that the compilers may use in a JVM that is called warm. */
    public static final double MOST_OF_COMPILER = 0.25;

    public Measurement {
        if (samples.isEmpty()) {
            throw new IllegalArgumentException("a measurement has at least one sample");
        }
        samples = samples.stream().sorted().toList();
        metrics = metrics.isEmpty() ? Map.of() : new EnumMap<>(metrics);
        slices = slices.stream().sorted().toList();
        turns = List.copyOf(turns);
    }

    /** The rates of the distribution: those of slices, or of iterations where there are none; ascending. */
    public List<Double> rates() {
        return slices.isEmpty() ? samples : slices;
    }

    /** The median of the operations per second. */
    public double median() {
        return median(samples);
    }

    /** The worst iteration, operations per second. */
    public double lowest() {
        return samples.get(0);
    }

    /** The best iteration, operations per second. */
    public double highest() {
        return samples.get(samples.size() - 1);
    }

    public Optional<Double> metric(Metric metric) {
        return Optional.ofNullable(metrics.get(metric));
    }

    /** The middle of the values, or the mean of the two in the middle. */
    public static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }
}
