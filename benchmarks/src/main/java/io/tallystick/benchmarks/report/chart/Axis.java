package io.tallystick.benchmarks.report.chart;

import java.util.ArrayList;
import java.util.List;

/**
 * The places of values on a chart.
 *
 * @param scale turns values into places
 * @param low the value at {@code start}
 * @param high the value at {@code end}
 * @param start pixels
 * @param end pixels; less than {@code start} where values grow upwards
 */
public record Axis(Scale scale, double low, double high, double start, double end) {
    private static final int LINEAR_TICKS = 6;
    private static final double[] STEPS = {1, 2, 5, 10};

    /** The rule that turns values into places. */
    public enum Scale {
        /** Equal differences are equally far apart. */
        LINEAR,
        /** Equal ratios are equally far apart. */
        LOGARITHMIC;

        private double of(double value) {
            return this == LINEAR ? value : Math.log10(value);
        }
    }

    /** From zero to a round number that is not below {@code highest}. */
    public static Axis linear(double highest, double start, double end) {
        double step = step(highest);
        return new Axis(Scale.LINEAR, 0, step * Math.max(1, Math.ceil(highest / step - 1e-9)), start, end);
    }

    /** Between values that are one, two or five times a power of ten and enclose the given ones. */
    public static Axis logarithmic(double lowest, double highest, double start, double end) {
        double low = below(lowest);
        double high = above(highest);
        return new Axis(Scale.LOGARITHMIC, low, high > low ? high : low * 10, start, end);
    }

    public double at(double value) {
        double within = Math.min(high, Math.max(low, value));
        double share = (scale.of(within) - scale.of(low)) / (scale.of(high) - scale.of(low));
        return start + share * (end - start);
    }

    /** Round values to write on the axis. */
    public List<Double> ticks() {
        List<Double> ticks = new ArrayList<>();
        if (scale == Scale.LINEAR) {
            double step = step(high);
            for (int i = 0; i * step <= high * (1 + 1e-9); i++) {
                ticks.add(i * step);
            }
            return ticks;
        }
        boolean wide = high / low > 300;
        for (double power = Math.pow(10, Math.floor(Math.log10(low))); power <= high * 1.001; power *= 10) {
            for (double factor : wide ? new double[] {1} : new double[] {1, 2, 5}) {
                double tick = power * factor;
                if (tick >= low * 0.999 && tick <= high * 1.001) {
                    ticks.add(tick);
                }
            }
        }
        return ticks;
    }

    private static double step(double highest) {
        if (!(highest > 0)) {
            return 1;
        }
        double rough = highest / LINEAR_TICKS;
        double power = Math.pow(10, Math.floor(Math.log10(rough)));
        for (double factor : STEPS) {
            if (power * factor >= rough) {
                return power * factor;
            }
        }
        return power * 10;
    }

    private static double below(double value) {
        double power = Math.pow(10, Math.floor(Math.log10(value)));
        double round = power;
        for (double factor : STEPS) {
            if (power * factor <= value * 1.0001) {
                round = power * factor;
            }
        }
        return round;
    }

    private static double above(double value) {
        double power = Math.pow(10, Math.floor(Math.log10(value)));
        for (double factor : STEPS) {
            if (power * factor >= value * 0.9999) {
                return power * factor;
            }
        }
        return power * 10;
    }
}
