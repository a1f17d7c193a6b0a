package io.tallystick.tool.migrate;

import java.util.Locale;

/** The kinds of new stores. */
enum TargetKind {
    /** One file per state. */
    FILE("file", "segmented"),
    /** Our own journal. */
    SEGMENTED("journal", "segmented"),
    /** The HornetQ journal. */
    ARTEMIS("journal", "artemis"),
    /** A log in a database. */
    POSTGRESQL("postgresql", "segmented");

    private final String store;
    private final String engine;

    TargetKind(String store, String engine) {
        this.store = store;
        this.engine = engine;
    }

    /** The value of {@code tallystick.store}. */
    String store() {
        return store;
    }

    /** The value of {@code tallystick.journal.engine}; without a meaning where the store is no journal. */
    String engine() {
        return engine;
    }

    /** As in the option of the tool. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
