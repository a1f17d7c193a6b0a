package io.tallystick.benchmarks;

import java.util.List;
import java.util.SplittableRandom;

/**
 * How many machines reach a rate together. Each of them is, at any moment, in one of the slices of time that were measured,
 * whatever the others do; so the rate of n machines is the sum of n slices drawn at random.
 */
final class Machines {
    private static final int DRAWS = 4_000;
    private static final double CERTAINTY = 0.99;
    private static final int MOST = 100_000;
    /** The same table for the same figures. */
    private static final long SEED = 42;

    private final List<Double> rates;

    /** Rates of slices of one machine, ascending. */
    Machines(List<Double> rates) {
        this.rates = List.copyOf(rates);
    }

    /** If every machine were in its best slice all the time. */
    int atBest(double target) {
        return atMost(Math.ceil(target / rates.get(rates.size() - 1)));
    }

    /** So many that in 99 % of the moments they reach the target. */
    int surely(double target) {
        int low = atBest(target);
        int high = atMost(Math.ceil(target / Math.max(rates.get(0), target / MOST)));
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (reaches(target, middle)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /** A round number of transactions per second, about ten times the given rate. */
    static double targetFor(double rate) {
        double power = Math.pow(10, Math.floor(Math.log10(rate * 10)));
        double leading = rate * 10 / power;
        return power * (leading < 1.5 ? 1 : leading < 3.5 ? 2 : leading < 7.5 ? 5 : 10);
    }

    private boolean reaches(double target, int machines) {
        SplittableRandom random = new SplittableRandom(SEED);
        int reached = 0;
        for (int draw = 0; draw < DRAWS; draw++) {
            double sum = 0;
            for (int machine = 0; machine < machines && sum < target; machine++) {
                sum += rates.get(random.nextInt(rates.size()));
            }
            if (sum >= target) {
                reached++;
            }
        }
        return reached >= CERTAINTY * DRAWS;
    }

    private static int atMost(double machines) {
        return (int) Math.min(MOST, machines);
    }
}
