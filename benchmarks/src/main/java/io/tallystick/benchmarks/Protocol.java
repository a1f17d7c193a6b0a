package io.tallystick.benchmarks;

import java.util.Arrays;
import java.util.List;

/** The kind of a commit, which follows from the number of resources. */
public enum Protocol {
    /** One resource: it commits at once, and no record is logged. */
    ONE_PHASE("1PC", 1),
    /** Two resources: prepare both, log the decision, commit both, remove the record. */
    TWO_PHASE("2PC", 2);

    /** The largest number of threads that commit. */
    public static final int MOST_THREADS = 10_000;

    private final String label;
    private final int resources;

    Protocol(String label, int resources) {
        this.label = label;
        this.resources = resources;
    }

    public static Protocol labelled(String label) {
        return Arrays.stream(values())
                .filter(protocol -> protocol.label.equalsIgnoreCase(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no protocol '" + label + "'; there are " + labels()));
    }

    public static List<String> labels() {
        return Arrays.stream(values()).map(Protocol::label).toList();
    }

    public String label() {
        return label;
    }

    public int resources() {
        return resources;
    }
}
