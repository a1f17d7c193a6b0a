package io.tallystick.store;

/** What became of the mark that keeps the next process from opening a log that lacks what was acknowledged. */
public enum LossMarking {
    /** No loss is known. */
    NO_LOSS,
    /** A loss is known, and a thread of the store is about to mark it. That may take long, on a disk that hangs. */
    PENDING,
    /** It is marked: the next opening is refused until a person accepts the loss. */
    MARKED,
    /** No acknowledged data is known to be missing: another owner has the log. */
    NOT_NEEDED,
    /** It could not be marked: the next process opens what is there. */
    IMPOSSIBLE
}
