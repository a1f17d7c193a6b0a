package io.tallystick.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The places where a rule does not hold: how badly at each, and the details for a person. */
final class Findings {
    private final Map<String, Integer> counts = new TreeMap<>();
    private final Map<String, List<String>> details = new TreeMap<>();

    /** One violation more at a place. */
    Findings add(String place, String detail) {
        return add(place, 1, detail);
    }

    /** So many violations more at a place. */
    Findings add(String place, int count, String detail) {
        counts.merge(place, count, Integer::sum);
        details.computeIfAbsent(place, first -> new ArrayList<>()).add(detail);
        return this;
    }

    /** The number of violations at each place. */
    Map<String, Integer> counts() {
        return counts;
    }

    List<String> detailsOf(String place) {
        return details.getOrDefault(place, List.of());
    }

    @Override
    public String toString() {
        return details.toString();
    }
}
