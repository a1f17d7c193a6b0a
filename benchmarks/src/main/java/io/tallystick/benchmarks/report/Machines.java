package io.tallystick.benchmarks.report;

import java.util.List;
import java.util.SplittableRandom;

/**
 * The number of machines that reach a rate together. At any moment each machine is in one of the measured slices of
 * time, independent of the others. So the rate of n machines is the sum of n slices drawn at random.
 */
public final class Machines {
    private static final int DRAWS = 4_000;
    private static final double CERTAINTY = 0.99;
    private static final int MOST = 100_000;
    /** Fixed, so that the same figures give the same table. */
    private static final long SEED = 42;

    private final List<Double> rates;

    /** Rates of slices of one machine, ascending. */
    public Machines(List<Double> rates) {
        this.rates = List.copyOf(rates);
    }

    /** The number if every machine were in its best slice all the time. */
    public int atBest(double target) {
        return atMost(Math.ceil(target / rates.get(rates.size() - 1)));
    }

    /** The number that reaches the target in 99 % of the moments. */
    public int surely(double target) {
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
    public static double targetFor(double rate) {
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
