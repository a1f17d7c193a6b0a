package io.tallystick.benchmarks;

import java.util.Arrays;
import java.util.List;

/** How many resources take part, and with that how a transaction commits. */
enum Protocol {
    /** One resource: it is told to commit at once, and nothing is logged. */
    ONE_PHASE("1PC", 1),
    /** Two resources: prepare both, log the decision, commit both, remove the record. */
    TWO_PHASE("2PC", 2);

    private final String label;
    private final int resources;

    Protocol(String label, int resources) {
        this.label = label;
        this.resources = resources;
    }

    static Protocol labelled(String label) {
        return Arrays.stream(values())
                .filter(protocol -> protocol.label.equalsIgnoreCase(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no protocol '" + label + "'; there are " + labels()));
    }

    static List<String> labels() {
        return Arrays.stream(values()).map(Protocol::label).toList();
    }

    String label() {
        return label;
    }

    int resources() {
        return resources;
    }
}
