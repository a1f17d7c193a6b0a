package io.tallystick.benchmarks.measure;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * The histograms of all threads of a forked JVM, one for each thread. They are static, because JMH makes thread states
 * and profilers, and neither gets a reference to the other. They are read only between iterations, when no thread
 * records.
 */
public final class LatencySamples {
    /** A longer latency counts as this one. */
    public static final long HIGHEST_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final int SIGNIFICANT_DIGITS = 2;
    private static final List<Histogram> HISTOGRAMS = new ArrayList<>();

    private LatencySamples() {}

    static Histogram newHistogram() {
        Histogram histogram = new Histogram(HIGHEST_NANOS, SIGNIFICANT_DIGITS);
        synchronized (HISTOGRAMS) {
            HISTOGRAMS.add(histogram);
        }
        return histogram;
    }

    /** Everything recorded since the last call. */
    static Histogram drain() {
        Histogram sum = new Histogram(HIGHEST_NANOS, SIGNIFICANT_DIGITS);
        synchronized (HISTOGRAMS) {
            for (Histogram histogram : HISTOGRAMS) {
                sum.add(histogram);
                histogram.reset();
            }
        }
        return sum;
    }
}
