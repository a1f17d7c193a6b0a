package io.tallystick.benchmarks.report;

import java.util.List;
import java.util.stream.IntStream;

/** The correlation of the orders in which two measurements put the same stores. */
final class RankCorrelation {
    private RankCorrelation() {}

    /**
     * Spearman's: 1 for the same order, -1 for the opposite one. Equal values share the mean of their ranks.
     *
     * @param one values of the things
     * @param other other values of the same things, in the same order; at least two
     */
    static double spearman(List<Double> one, List<Double> other) {
        if (one.size() != other.size() || one.size() < 2) {
            throw new IllegalArgumentException(one.size() + " and " + other.size() + " values");
        }
        double[] x = ranks(one);
        double[] y = ranks(other);
        double mean = (x.length + 1) / 2.0;
        double products = 0;
        double squaresOfX = 0;
        double squaresOfY = 0;
        for (int i = 0; i < x.length; i++) {
            products += (x[i] - mean) * (y[i] - mean);
            squaresOfX += (x[i] - mean) * (x[i] - mean);
            squaresOfY += (y[i] - mean) * (y[i] - mean);
        }
        double both = Math.sqrt(squaresOfX * squaresOfY);
        return both == 0 ? 0 : products / both;
    }

    private static double[] ranks(List<Double> values) {
        return IntStream.range(0, values.size())
                .mapToDouble(i -> {
                    long less = values.stream()
                            .filter(value -> value < values.get(i))
                            .count();
                    long equal = values.stream()
                            .filter(value -> value.equals(values.get(i)))
                            .count();
                    return less + (equal + 1) / 2.0;
                })
                .toArray();
    }
}
