package io.tallystick.benchmarks.experiments.reaper;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * The timer's part of a transaction that ends in time: the owner registers it for 60 seconds and cancels the
 * registration. Meanwhile {@link #live} other transactions stay registered for five to ten minutes.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class RegisterCancelBenchmark {
    private static final int SECONDS = 60;

    /** Name of the {@link TimerKind}. */
    @Param("TALLYSTICK")
    public String timer;

    /** Transactions that are registered all the time. */
    @Param("10")
    public int live;

    private Timers timers;

    /** Opens the timer and registers the transactions that stay. */
    @Setup
    public void open() {
        timers = TimerKind.valueOf(timer).open();
        for (int i = 0; i < live; i++) {
            timers.register(new IdleTransaction(), 5 * SECONDS + i % (5 * SECONDS));
        }
    }

    /** Begins to measure time and CPU time. */
    @Setup(Level.Iteration)
    public void begin() {
        CpuMeter.begin();
    }

    /** Ends the measurement. */
    @TearDown(Level.Iteration)
    public void end() {
        CpuMeter.end();
    }

    /** Closes the timer. */
    @TearDown
    public void close() {
        timers.close();
    }

    /** One transaction. */
    @Benchmark
    public void registerAndCancel(Owner owner) {
        timers.cancel(owner.transaction, timers.register(owner.transaction, SECONDS));
    }

    /** The transaction of one thread. */
    @State(Scope.Thread)
    public static class Owner {
        private final IdleTransaction transaction = new IdleTransaction();
    }
}
