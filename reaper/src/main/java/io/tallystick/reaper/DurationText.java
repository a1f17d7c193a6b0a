package io.tallystick.reaper;

import java.time.Duration;

/** Durations as people read them: {@code 100ms}, {@code 5s}, {@code 7200s}. */
final class DurationText {
    private static final long NANOS_PER_MILLI = 1_000_000;

    private DurationText() {}

    static String of(Duration duration) {
        long nanos;
        try {
            nanos = duration.toNanos();
        } catch (ArithmeticException centuries) {
            return duration.toString();
        }
        if (nanos == 0) {
            return "0";
        } else if (nanos % NANOS_PER_MILLI != 0) {
            return nanos + "ns";
        } else if (nanos % (1000 * NANOS_PER_MILLI) != 0) {
            return nanos / NANOS_PER_MILLI + "ms";
        }
        return duration.toSeconds() + "s";
    }
}
