package io.tallystick.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleBiFunction;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * The meters of one subject in one registry, with one set of tags. A registry holds the subject weakly: meters without
 * a subject have no value.
 */
final class Meters<T> {
    private final MeterRegistry registry;
    private final T subject;
    private final Tags tags;
    private final List<Meter> made = new ArrayList<>();

    Meters(MeterRegistry registry, T subject, Tags tags) {
        this.registry = registry;
        this.subject = subject;
        this.tags = tags;
    }

    /** A level; NaN if it is not known. */
    Meters<T> gauge(String name, String unit, String description, ToDoubleFunction<T> value) {
        made.add(Gauge.builder(name, subject, value)
                .tags(tags)
                .baseUnit(unit)
                .description(description)
                .register(registry));
        return this;
    }

    /** A time, in nanoseconds; NaN if it is not known. */
    Meters<T> time(String name, String description, ToDoubleFunction<T> nanos) {
        made.add(TimeGauge.builder(name, subject, TimeUnit.NANOSECONDS, nanos)
                .tags(tags)
                .description(description)
                .register(registry));
        return this;
    }

    /** A count that only grows. */
    Meters<T> counter(String name, String unit, String description, ToDoubleFunction<T> count) {
        made.add(FunctionCounter.builder(name, subject, count)
                .tags(tags)
                .baseUnit(unit)
                .description(description)
                .register(registry));
        return this;
    }

    /** The number of events and their total time, nanoseconds. */
    Meters<T> timer(String name, String description, ToLongFunction<T> count, ToDoubleFunction<T> nanos) {
        made.add(FunctionTimer.builder(name, subject, count, nanos, TimeUnit.NANOSECONDS)
                .tags(tags)
                .description(description)
                .register(registry));
        return this;
    }

    /**
     * A histogram in the form that Micrometer gives one where a registry has none of its own: a count for each bound,
     * of everything up to it, with the bound in seconds as the tag {@code le}. It is made of counts that the subject
     * keeps anyway, so nothing is recorded twice.
     *
     * @param boundsNanos without the infinite one
     */
    Meters<T> histogram(
            String name, String description, long[] boundsNanos, ToDoubleBiFunction<T, Long> countUpToNanos) {
        for (long bound : boundsNanos) {
            bucket(
                    name,
                    description,
                    BigDecimal.valueOf(bound, 9).stripTrailingZeros().toPlainString(),
                    it -> countUpToNanos.applyAsDouble(it, bound));
        }
        bucket(name, description, "+Inf", it -> countUpToNanos.applyAsDouble(it, Long.MAX_VALUE));
        return this;
    }

    private void bucket(String name, String description, String bound, ToDoubleFunction<T> count) {
        made.add(FunctionCounter.builder(name, subject, count)
                .tags(tags.and("le", bound))
                .description(description)
                .register(registry));
    }

    /** Takes the meters out of the registry. */
    void remove() {
        made.forEach(registry::remove);
    }
}
