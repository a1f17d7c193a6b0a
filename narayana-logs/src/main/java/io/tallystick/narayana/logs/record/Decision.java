package io.tallystick.narayana.logs.record;

import java.util.Locale;
import java.util.Set;

/** The outcome that a transaction's record demands of its participants. */
public enum Decision {
    /** Recovery commits. */
    COMMIT,
    /** Recovery rolls back: the record is of a rollback that some participant has not heard of. */
    ROLLBACK,
    /** An imported transaction is prepared, and its parent, in another transaction manager, decides. */
    PARENT,
    /** The record does not tell, or cannot be read. */
    UNKNOWN;

    // As Narayana's RecoverAtomicAction.replayPhase2 has it.
    private static final Set<String> COMMITTING =
            Set.of("PREPARED", "COMMITTING", "COMMITTED", "H_COMMIT", "H_MIXED", "H_HAZARD");
    private static final Set<String> ABORTING = Set.of("ABORTED", "H_ROLLBACK", "ABORTING", "ABORT_ONLY");
    private static final Set<String> OPEN = Set.of("PREPARED", "COMMITTING");

    /** One word for people. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * @param status Narayana's status in the record
     * @param isImported whether a parent decides
     */
    static Decision of(String status, boolean isImported) {
        if (isImported && OPEN.contains(status)) {
            return PARENT;
        }
        if (COMMITTING.contains(status)) {
            return COMMIT;
        }
        return ABORTING.contains(status) ? ROLLBACK : UNKNOWN;
    }
}
