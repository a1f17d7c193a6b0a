package io.tallystick.benchmarks;

import io.tallystick.store.StoreStatistics;
import java.util.Optional;

/**
 * What the process used from the moment an iteration's threads may start to the moment all have stopped. JMH opens the
 * store inside the first iteration and closes it inside the last, so the benchmarks themselves, and not the profiler, say
 * when to look. Static, because JMH makes benchmarks and profilers by itself and introduces neither to the other.
 */
final class IterationMeter {
    private static volatile Reading begun;
    private static volatile Reading ended;

    private IterationMeter() {}

    /** By one thread, before any operation of the iteration; {@code store} tells what the store counted so far. */
    static void begin(Optional<StoreStatistics> store) {
        LatencySamples.drain();
        begun = new Reading(ProcessUsage.now(), store, System.nanoTime());
        SliceMeter.begin();
    }

    /** By one thread, after every operation of the iteration. */
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
