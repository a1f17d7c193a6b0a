package io.tallystick.micrometer;

import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * A value of a subject that is read again when it is a second old. So all meters of one scrape see one value, which is
 * read once. It does not hold the subject. Any number of threads may use it.
 */
final class CachedValue<S, T> {
    private static final long FRESH_NANOS = 1_000_000_000L;

    private final Function<S, T> source;
    private final LongSupplier nanoTime;
    // Both guarded by this.
    private T value;
    private long readAtNanos;

    CachedValue(Function<S, T> source, LongSupplier nanoTime) {
        this.source = source;
        this.nanoTime = nanoTime;
    }

    synchronized T of(S subject) {
        long now = nanoTime.getAsLong();
        if (value == null || now - readAtNanos >= FRESH_NANOS) {
            value = source.apply(subject);
            readAtNanos = now;
        }
        return value;
    }
}
