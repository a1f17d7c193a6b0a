package io.tallystick.durability;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Named counters of a case or a run. The first counter counts the unit of the stage. A counter that is named
 * {@code DIMENSION=VALUE} counts how often the value was drawn. Immutable.
 */
public final class Counts {
    private static final char IS = '=';

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

    /** Such as {@code "points=4 operations=2"}; blanks in names become hyphens. Drawn values are in the table. */
    @Override
    public String toString() {
        return counters.entrySet().stream()
                .filter(counter -> counter.getKey().indexOf(IS) < 0)
                .map(counter -> counter.getKey().replace(' ', '-') + "=" + counter.getValue())
                .collect(Collectors.joining(" "));
    }

    /** A line for each dimension, such as {@code "locale: root=20 tr-TR=17"}, in the order of their names. */
    public List<String> table() {
        Map<String, Map<String, Long>> dimensions = new TreeMap<>();
        counters.forEach((name, count) -> {
            int end = name.indexOf(IS);
            if (end >= 0) {
                dimensions
                        .computeIfAbsent(name.substring(0, end), dimension -> new TreeMap<>())
                        .put(name.substring(end + 1), count);
            }
        });
        return dimensions.entrySet().stream()
                .map(dimension -> dimension.getKey() + ": "
                        + dimension.getValue().entrySet().stream()
                                .map(value -> value.getKey() + IS + value.getValue())
                                .collect(Collectors.joining(" ")))
                .toList();
    }
}
