package io.tallystick.reaper;

/**
 * A transaction, as the reaper sees it.
 *
 * <p>The reaper's worker threads call both methods. Its watching thread never does, nor does the thread that
 * registered. A call comes at any moment, also while the transaction's own thread is busy with the transaction. The
 * reaper never interrupts a thread, however long these methods take.
 */
public interface Reapable {
    /**
     * Rolls the transaction back. Called at most once for a registration, and only after the registration can no longer
     * be cancelled. An exception counts as {@link CancelOutcome#REFUSED} and is reported.
     */
    CancelOutcome cancel(ExpiryReason reason);

    /**
     * Makes sure that the transaction will not commit, without waiting for another thread. Called after a {@link
     * #cancel} that was refused or threw, and, on another thread, while one is wedged.
     *
     * @return whether the transaction can no longer commit because of this call
     */
    boolean preventCommit();
}
