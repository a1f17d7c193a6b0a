package io.tallystick.micrometer;

import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A value that is asked for again when it is a second old: the meters of one scrape, of which each asks by itself,
 * see one value, and pay for it once. May be used by any number of threads.
 */
final class Recent<T> {
    private static final long FRESH_NANOS = 1_000_000_000L;

    private final Supplier<T> source;
    private final LongSupplier nanoTime;
    // Both guarded by this.
    private T value;
    private long askedAtNanos;

    Recent(Supplier<T> source, LongSupplier nanoTime) {
        this.source = source;
        this.nanoTime = nanoTime;
    }

    synchronized T get() {
        long now = nanoTime.getAsLong();
        if (value == null || now - askedAtNanos >= FRESH_NANOS) {
            value = source.get();
            askedAtNanos = now;
        }
        return value;
    }
}
