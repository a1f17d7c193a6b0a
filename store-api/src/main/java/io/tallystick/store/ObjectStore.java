package io.tallystick.store;

import java.util.Optional;

/**
 * A durable map from {@link StateKey} to state, made for the log of a transaction manager.
 *
 * <p>All methods may be called by any number of platform or virtual threads at once. State bytes belong to the caller:
 * the store copies them in and out and never interprets them. A key without a value is not an error. A method called
 * with {@code null} throws {@link NullPointerException}; after {@link #close} every method except {@code close}, {@link
 * #description}, {@link #statistics}, {@link #health} and {@link #setDraining} throws {@link StoreClosedException}.
 *
 * <p><b>Two keys cannot be written in one step.</b> Each operation is about one key, and a crash between two operations
 * may keep the first one alone. What must be found together belongs into one state.
 *
 * <p><b>Failing stop.</b> The first write or force whose outcome is unknown ends the store's life as a log. The
 * callers of the operations that it carried get {@link OutcomeUnknownException}. The caller of every later mutation
 * gets {@link StoreFailedException}. Reads of values that are known to be on disk go on. Close the store, mend the
 * cause, and open it again: recovery tells which values were written.
 *
 * <p>A store whose log is on another machine may do the last by itself after an outage. Until then its health is {@link
 * StoreHealth.State#RECOVERING}, and it refuses and is read as one that has failed.
 */
public interface ObjectStore extends TransactionLog, ParticipantStore, RecoveryStore, AutoCloseable {
    /**
     * The kind of the store, its engine, its way to the disk and its directory. The same for the whole life of the
     * store.
     */
    StoreDescription description();

    /** Counts and latencies since the store was opened. */
    StoreStatistics statistics();

    /** Why the store fails every mutation, or empty while it is sound. */
    Optional<StoreException> failure();

    /**
     * Proves that the log is this store's own at this moment, as far as the store can without writing: on files it lies
     * where it was opened, and on another machine the server has said so within the last lease. A store in memory does
     * nothing.
     *
     * <p>A caller that finds a prepared branch at a resource, calls this, and then finds no record of the branch, knows
     * that no decision was acknowledged. Without this the record may be missing only from the memory of a process that
     * was replaced.
     *
     * @throws StoreException it is not, or that cannot be proven now
     */
    void proveOwned();

    /**
     * What became of the mark of a loss that this store has noticed. A store marks a loss by itself; this only tells,
     * asks nothing and never waits. Also after {@link #close}.
     */
    default LossMarking lossMarking() {
        return LossMarking.NO_LOSS;
    }

    /**
     * The health of the store. Asks the file system and looks at the records, so it is for health checks every few
     * seconds rather than for a commit. Never throws, also after {@link #close}.
     */
    default StoreHealth health() {
        return StoreHealth.of(this);
    }

    /**
     * Tells the store that its transaction manager lets no new transaction commit, or does so again, for {@link
     * #health} to say. Nothing else changes. A store without a health of its own does nothing. Never throws, also
     * after {@link #close}.
     */
    default void setDraining(boolean draining) {}

    /**
     * Forces the deferred operations, ends the store's threads and gives the directory up. Operations in progress are
     * completed first. A second call does nothing.
     *
     * @throws StoreException a deferred operation may not be on disk; the store is closed nevertheless
     */
    @Override
    void close();
}
