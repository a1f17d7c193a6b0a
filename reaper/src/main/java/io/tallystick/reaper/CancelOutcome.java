package io.tallystick.reaper;

/** What {@link Reapable#cancel} came to. */
public enum CancelOutcome {
    /** The transaction was rolled back. */
    CANCELLED,
    /** There was nothing to roll back: the transaction had ended before. */
    ENDED_BEFORE,
    /** The transaction could not be rolled back now; the reaper goes on with {@link Reapable#preventCommit}. */
    REFUSED
}
