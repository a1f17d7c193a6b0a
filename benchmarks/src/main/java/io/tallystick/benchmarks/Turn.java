package io.tallystick.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * What was measured in a turn of one of several ways that take turns in one JVM.
 *
 * @param rate transactions a second
 * @param cpuNanos processor time of the whole process for one of them, timers' threads and the collector's included
 */
record Turn(double rate, double cpuNanos) {
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** What happens from now on, for so long, where {@code commits} counts transactions. */
    static Turn of(long turnNanos, LongSupplier commits) {
        long begun = System.nanoTime();
        long cpuBefore = SYSTEM.getProcessCpuTime();
        long before = commits.getAsLong();
        while (System.nanoTime() - begun < turnNanos) {
            LockSupport.parkNanos(begun + turnNanos - System.nanoTime());
        }
        double done = commits.getAsLong() - before;
        double cpuNanos = SYSTEM.getProcessCpuTime() - cpuBefore;
        return new Turn(done * TimeUnit.SECONDS.toNanos(1) / (System.nanoTime() - begun), cpuNanos / Math.max(1, done));
    }

    static double median(List<Turn> turns, ToDoubleFunction<Turn> figure) {
        return Measurement.median(turns.stream().map(figure::applyAsDouble).toList());
    }

    /** Of each turn to the turn of the same round, ascending. */
    static List<Double> shares(List<Turn> own, List<Turn> base, ToDoubleFunction<Turn> figure) {
        return IntStream.range(0, own.size())
                .mapToObj(round -> figure.applyAsDouble(own.get(round)) / figure.applyAsDouble(base.get(round)))
                .sorted()
                .toList();
    }
}
