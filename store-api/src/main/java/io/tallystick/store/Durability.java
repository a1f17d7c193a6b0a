package io.tallystick.store;

/** When the effect of an operation must survive a crash. */
public enum Durability {
    /**
     * The effect is on disk when the call returns, and no reader saw it before. After any crash it is found again, or
     * a later one on the same key. So is the effect of each operation that had returned before the call began, whatever
     * its thread, key and durability.
     */
    FORCED,

    /**
     * The effect is seen by this process at once. It is on disk at the latest when a forced operation that begins
     * later, {@link TransactionLog#force()} or {@link ObjectStore#close()} returns. An idle store takes it there within
     * 100 ms. A crash before that loses the whole effect: recovery finds the state before it. The call waits for the
     * disk only where much is deferred already (1 MiB in a store over a log), or where it builds on the value of a
     * forced change that is on its way.
     */
    DEFERRED
}
