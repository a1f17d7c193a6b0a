package io.tallystick.tool.migrate;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The damage and the remarks about a source. The source is read twice, but each finding is kept once. */
final class Findings {
    private final Set<Finding> damages = new LinkedHashSet<>();
    private final Set<Finding> remarks = new LinkedHashSet<>();

    /**
     * One finding.
     *
     * @param place the file, row or record
     * @param text the problem
     */
    record Finding(String place, String text) {}

    /** Adds a possible state that cannot be migrated. */
    void damage(Object place, String reason) {
        damages.add(new Finding(place.toString(), reason));
    }

    /** Adds a file, row or record that is not a state, or that has two meanings of which one was chosen. */
    void remark(Object place, String text) {
        remarks.add(new Finding(place.toString(), text));
    }

    List<Finding> damages() {
        return List.copyOf(damages);
    }

    List<Finding> remarks() {
        return List.copyOf(remarks);
    }
}
