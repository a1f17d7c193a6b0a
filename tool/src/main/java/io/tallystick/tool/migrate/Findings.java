package io.tallystick.tool.migrate;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Remarks about a source. A remark that comes twice, because the source is read twice, is kept once. */
final class Findings {
    private final Set<Finding> damages = new LinkedHashSet<>();
    private final Set<Finding> remarks = new LinkedHashSet<>();

    /**
     * One thing.
     *
     * @param place the file, row or record
     * @param text the problem
     */
    record Finding(String place, String text) {}

    /** A possible state that cannot be handed over. */
    void damage(Object place, String reason) {
        damages.add(new Finding(place.toString(), reason));
    }

    /** A file, row or record that is no state, or that has two meanings, of which one was chosen. */
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
