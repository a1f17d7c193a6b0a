package io.tallystick.narayana.logs;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Remarks about a source. A remark that comes twice, because the source is read twice, is kept once. */
public final class Findings {
    private final Set<Finding> damages = new LinkedHashSet<>();
    private final Set<Finding> remarks = new LinkedHashSet<>();
    private final boolean keepsRemarks;

    /** Nothing is found yet. */
    public Findings() {
        this(true);
    }

    private Findings(boolean keepsRemarks) {
        this.keepsRemarks = keepsRemarks;
    }

    /** Nothing is found yet, and remarks are not kept: a large log may have one for each file. */
    static Findings ofDamages() {
        return new Findings(false);
    }

    /**
     * One finding.
     *
     * @param place the file, row or record
     * @param text the problem
     */
    public record Finding(String place, String text) {}

    /** A possible state that cannot be handed over. */
    public void damage(Object place, String reason) {
        damages.add(new Finding(place.toString(), reason));
    }

    /** A file, row or record that is no state, or that has two meanings, of which one was chosen. */
    public void remark(Object place, String text) {
        if (keepsRemarks) {
            remarks.add(new Finding(place.toString(), text));
        }
    }

    public List<Finding> damages() {
        return List.copyOf(damages);
    }

    public List<Finding> remarks() {
        return List.copyOf(remarks);
    }
}
