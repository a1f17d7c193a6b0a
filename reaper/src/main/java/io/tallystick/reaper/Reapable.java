package io.tallystick.reaper;

/**
 * A transaction, as the reaper sees it.
 *
 * <p>Both methods are called on the reaper's worker threads, never on its watching thread and never on the thread that
 * registered, and at any moment: the transaction manager must expect them while the transaction's own thread is busy
 * with it. The reaper never interrupts a thread, whatever these methods take.
 */
public interface Reapable {
    /**
     * Rolls the transaction back. Called at most once for a registration, and only after the registration can no longer
     * be cancelled. An exception counts as {@link CancelOutcome#REFUSED} and is reported.
     */
    CancelOutcome cancel(ExpiryReason reason);

    /**
     * Makes sure that the transaction will not commit, without waiting for anyone. Called after a {@link #cancel} that
     * was refused or threw, and, on another thread, while one is wedged.
     *
     * @return whether the transaction can no longer commit because of this call
     */
    boolean preventCommit();
}
