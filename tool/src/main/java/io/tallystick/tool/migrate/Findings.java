package io.tallystick.tool.migrate;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** What was met in a source beside its states. Said twice, because the source is read twice, it is kept once. */
final class Findings {
    private final Set<Finding> damages = new LinkedHashSet<>();
    private final Set<Finding> remarks = new LinkedHashSet<>();

    /**
     * One thing.
     *
     * @param place the file, row or record
     * @param text what is the matter
     */
    record Finding(String place, String text) {}

    /** Something that may have been a state, and cannot be handed over. */
    void damage(Object place, String reason) {
        damages.add(new Finding(place.toString(), reason));
    }

    /** Something that is no state, or that was understood in one of two ways. */
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
