package io.tallystick.store;

/** When the effect of an operation must survive a crash. */
public enum Durability {
    /**
     * The effect is on disk when the call returns, and no reader saw it before. After any crash it is found again, or
     * a later one on the same key.
     */
    FORCED,

    /**
     * The effect is seen by this process at once. It rides to the disk along with forced operations that come later; it is
     * there at the latest when {@link TransactionLog#force()} or {@link ObjectStore#close()} returns, or within 100 ms on an
     * idle store. A crash before that loses it as a whole: the state before it is found instead.
     */
    DEFERRED
}
