package io.tallystick.benchmarks.experiments;

import com.sun.management.OperatingSystemMXBean;
import io.tallystick.benchmarks.measure.Measurement;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * The figures of one turn, if several variants take turns in one JVM.
 *
 * @param rate transactions a second
 * @param cpuNanos processor time of the whole process for each transaction, with the timers' threads and the collector
 */
record MeasuredTurn(double rate, double cpuNanos) {
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** Measures a turn that begins now; {@code commits} counts the transactions of all callers. */
    static MeasuredTurn of(long turnNanos, LongSupplier commits) {
        long begun = System.nanoTime();
        long cpuBefore = SYSTEM.getProcessCpuTime();
        long before = commits.getAsLong();
        while (System.nanoTime() - begun < turnNanos) {
            LockSupport.parkNanos(begun + turnNanos - System.nanoTime());
        }
        double done = commits.getAsLong() - before;
        double cpuNanos = SYSTEM.getProcessCpuTime() - cpuBefore;
        return new MeasuredTurn(
                done * TimeUnit.SECONDS.toNanos(1) / (System.nanoTime() - begun), cpuNanos / Math.max(1, done));
    }

    static double median(List<MeasuredTurn> turns, ToDoubleFunction<MeasuredTurn> figure) {
        return Measurement.median(turns.stream().map(figure::applyAsDouble).toList());
    }

    /** The ratio of each turn to the turn of the same round, ascending. */
    static List<Double> shares(List<MeasuredTurn> own, List<MeasuredTurn> base, ToDoubleFunction<MeasuredTurn> figure) {
        return IntStream.range(0, own.size())
                .mapToObj(round -> figure.applyAsDouble(own.get(round)) / figure.applyAsDouble(base.get(round)))
                .sorted()
                .toList();
    }
}
