package io.tallystick.micrometer;

import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A value that is read again when it is a second old. So all meters of one scrape see one value, which is read once.
 * Any number of threads may use it.
 */
final class CachedValue<T> {
    private static final long FRESH_NANOS = 1_000_000_000L;

    private final Supplier<T> source;
    private final LongSupplier nanoTime;
    // Both guarded by this.
    private T value;
    private long readAtNanos;

    CachedValue(Supplier<T> source, LongSupplier nanoTime) {
        this.source = source;
        this.nanoTime = nanoTime;
    }

    synchronized T get() {
        long now = nanoTime.getAsLong();
        if (value == null || now - readAtNanos >= FRESH_NANOS) {
            value = source.get();
            readAtNanos = now;
        }
        return value;
    }
}
