package io.tallystick.durability.settle;

import java.util.HashMap;
import java.util.Map;

/** The step at which a process ends as by a kill. */
final class Mortality {
    /** That of this process: the classes that the commands make cannot be given another one. */
    static final Mortality OF_THIS_PROCESS = new Mortality();

    private static final int STATUS = 137;

    // Guarded by this.
    private final Map<String, Integer> steps = new HashMap<>();
    private String chosen = "";
    private int times;

    private Mortality() {}

    /** Ends at this occurrence of the step, counted from now on; a step without a name is never reached. */
    synchronized void choose(String step, int occurrence) {
        steps.clear();
        chosen = step;
        times = occurrence;
    }

    /** Is told each step. */
    synchronized void step(String what) {
        if (steps.merge(what, 1, Integer::sum) == times && what.equals(chosen)) {
            Runtime.getRuntime().halt(STATUS);
        }
    }
}
