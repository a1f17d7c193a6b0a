package io.tallystick.store;

/** When the effect of an operation must survive a crash. */
public enum Durability {
    /**
     * The effect is on disk when the call returns, and no reader saw it before. After any crash it is found again, or
     * a later one on the same key.
     */
    FORCED,

    /**
     * The effect is seen by this process at once and reaches the disk with the next forced operation on the store that
     * changes something, with any forced operation on the same key, at {@link TransactionLog#force()}, on
     * {@link ObjectStore#close()}, or soon when the store is idle, whichever comes first. A crash before that loses it as a whole: the state before it is found instead.
     */
    DEFERRED
}
