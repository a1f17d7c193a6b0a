package io.tallystick.reaper;

/** The outcome of {@link Reapable#cancel}. */
public enum CancelOutcome {
    /** The transaction was rolled back. */
    CANCELLED,
    /** There was nothing to roll back: the transaction had ended before. */
    ENDED_BEFORE,
    /** The transaction could not be rolled back now; the reaper goes on with {@link Reapable#preventCommit}. */
    REFUSED
}
