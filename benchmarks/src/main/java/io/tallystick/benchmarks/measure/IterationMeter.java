package io.tallystick.benchmarks.measure;

import io.tallystick.store.StoreStatistics;
import java.util.Optional;

/**
 * The usage of the process between the start of an iteration's threads and their end. JMH opens the store inside the
 * first iteration and closes it inside the last. So the benchmark calls the meter, and not the profiler. The state is
 * static, because JMH makes benchmarks and profilers, and neither gets a reference to the other.
 */
final class IterationMeter {
    private static volatile Reading begun;
    private static volatile Reading ended;

    private IterationMeter() {}

    /** One thread calls this before any operation of the iteration; {@code store} has the counters of the store. */
    static void begin(Optional<StoreStatistics> store) {
        LatencySamples.drain();
        begun = new Reading(ProcessUsage.now(), store, System.nanoTime());
        SliceMeter.begin();
    }

    /** One thread calls this after the last operation of the iteration. */
    static void end(Optional<StoreStatistics> store) {
        long now = System.nanoTime();
        SliceMeter.end();
        ended = new Reading(ProcessUsage.now(), store, now);
    }

    static Reading begun() {
        return begun;
    }

    static Reading ended() {
        return ended;
    }

    /**
     * Counters at one moment.
     *
     * @param process of the process
     * @param store of the store, where it is one of ours
     * @param nanoTime the clock, nanoseconds
     */
    record Reading(ProcessUsage process, Optional<StoreStatistics> store, long nanoTime) {}
}
