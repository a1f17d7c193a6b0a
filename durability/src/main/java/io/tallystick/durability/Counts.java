package io.tallystick.durability;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** Named counters of a case or a run. The first counter counts the unit of the stage. Immutable. */
public final class Counts {
    public static final Counts NOTHING = new Counts(Map.of());

    private final Map<String, Long> counters;

    private Counts(Map<String, Long> counters) {
        this.counters = counters;
    }

    public static Counts of(String what, long count) {
        return NOTHING.and(what, count);
    }

    /** These counters, with this many added to one of them. */
    public Counts and(String what, long count) {
        Map<String, Long> more = new LinkedHashMap<>(counters);
        more.merge(what, count, Long::sum);
        return new Counts(more);
    }

    /** The sum of both. */
    public Counts plus(Counts others) {
        Counts sum = this;
        for (Map.Entry<String, Long> other : others.counters.entrySet()) {
            sum = sum.and(other.getKey(), other.getValue());
        }
        return sum;
    }

    public long of(String what) {
        return counters.getOrDefault(what, 0L);
    }

    public Map<String, Long> asMap() {
        return Collections.unmodifiableMap(counters);
    }

    /** Such as {@code "points=4 operations=2"}; blanks in names become hyphens. */
    @Override
    public String toString() {
        return counters.entrySet().stream()
                .map(counter -> counter.getKey().replace(' ', '-') + "=" + counter.getValue())
                .collect(Collectors.joining(" "));
    }
}
