package io.tallystick.store;

import java.util.concurrent.CompletionStage;

/** The part of a store that a commit uses: write the decision, and remove it when every resource has carried it out. */
public interface TransactionLog {
    /**
     * Makes {@code state} the committed value of {@code key}. With {@link Durability#FORCED} the value is on disk when
     * the call returns. The bytes are copied before the call returns.
     *
     * <p>An interrupt neither shortens nor spoils the call; the caller's interrupt flag is as it was afterwards.
     *
     * @throws OutcomeUnknownException the value may or may not be on disk; it must not be taken for a failed commit
     * @throws StoreFullException nothing was written
     * @throws StoreException nothing was written
     * @throws IllegalArgumentException the state is larger than the store's maximum
     */
    void write(StateKey key, byte[] state, Durability durability);

    /**
     * As {@link #write} with {@link Durability#FORCED}, without waiting. The stage completes normally when the value
     * is on disk. It completes exceptionally with the exception that {@code write} would have thrown. The bytes are
     * copied before the call returns. Where the store has no room, the calling thread waits until the store has made
     * room, or has found that it cannot.
     *
     * <p>Dependent actions run on {@link StoreConfiguration.Builder#completionExecutor}. By default they run on
     * threads that the store has for nothing else. They never run on a thread that writes, nor on one that another
     * caller lends to the store. They may block, wait for other stages, write, and close the store. An action that is
     * added to a complete stage runs on the thread that adds it, as with every stage.
     *
     * <p>When {@link ObjectStore#close} returns, every stage whose outcome is known is complete; its actions may
     * still run.
     */
    CompletionStage<Void> writeAsync(StateKey key, byte[] state);

    /**
     * Takes the committed value of {@code key} away.
     *
     * @return true if there was one
     * @throws OutcomeUnknownException the value may or may not come back after a crash
     */
    boolean remove(StateKey key, Durability durability);

    /** Brings every {@link Durability#DEFERRED} operation that returned before this call to disk. */
    void force();
}
