package io.tallystick.store;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/**
 * The health of a store, for people and for their monitoring. It says whether the store serves, and which causes may
 * soon keep it from serving.
 *
 * @param state whether it is open, has failed or is closed
 * @param failure the reason why it fails every mutation; empty while it is sound
 * @param lockHeld whether no other owner can have the store: its directory's lock is held and the lock's file is
 *     still there
 * @param lastForceAge how long ago the disk last said that everything is on it; empty before the first time, and in
 *     memory
 * @param usableBytes room that is left on the disk, bytes; empty where it is not known, and in memory
 * @param oldestRecordAge how long the oldest record has been seen in the store; empty if there is none. The age
 *     counts from the first look that found the record, so ask for the health regularly. Notes that a transaction
 *     manager keeps for itself do not count. A transaction's record of such an age is in doubt
 * @param storeId the store's unique id; empty in memory
 * @param nodeId the node that the store belongs to; empty where it belongs to none
 */
public record StoreHealth(
        State state,
        Optional<StoreException> failure,
        boolean lockHeld,
        Optional<Duration> lastForceAge,
        OptionalLong usableBytes,
        Optional<Duration> oldestRecordAge,
        Optional<UUID> storeId,
        Optional<String> nodeId) {
    public StoreHealth {
        Objects.requireNonNull(state);
        Objects.requireNonNull(failure);
        Objects.requireNonNull(lastForceAge);
        Objects.requireNonNull(usableBytes);
        Objects.requireNonNull(oldestRecordAge);
        Objects.requireNonNull(storeId);
        Objects.requireNonNull(nodeId);
    }

    /** Whether a store serves. */
    public enum State {
        /** It serves. */
        OPEN,
        /**
         * It works, but its transaction manager lets no new transaction commit: the process is drained before it ends
         * for ever.
         */
        DRAINING,
        /**
         * Its database was out for longer than its patience. It is read, refuses every mutation, and serves again by
         * itself when it has found its log whole. A new start of the process helps no more than that.
         */
        RECOVERING,
        /** It has failed stop: it is read, but refuses every mutation until it is opened again. */
        FAILED,
        /** It is closed. */
        CLOSED
    }

    /**
     * Whether transactions can be logged here. The store is open, no other owner can have its directory, and its
     * transaction manager is not drained.
     */
    public boolean isServing() {
        return state == State.OPEN && lockHeld;
    }

    /** The health of a store that tells only whether it is open and sound. */
    static StoreHealth of(ObjectStore store) {
        State state;
        Optional<StoreException> failure = Optional.empty();
        try {
            failure = store.failure();
            state = failure.isPresent() ? State.FAILED : State.OPEN;
        } catch (StoreClosedException closed) {
            state = State.CLOSED;
        }
        return new StoreHealth(
                state,
                failure,
                state != State.CLOSED,
                Optional.empty(),
                OptionalLong.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    /** One line, such as {@code OPEN lockHeld=true lastForceAge=PT0.2S usableBytes=123456789}. */
    @Override
    public String toString() {
        StringBuilder line = new StringBuilder(state.name());
        failure.ifPresent(why -> line.append(" failure=").append(why.getMessage()));
        line.append(" lockHeld=").append(lockHeld);
        lastForceAge.ifPresent(age -> line.append(" lastForceAge=").append(age));
        usableBytes.ifPresent(bytes -> line.append(" usableBytes=").append(bytes));
        oldestRecordAge.ifPresent(age -> line.append(" oldestRecordAge=").append(age));
        storeId.ifPresent(id -> line.append(" storeId=").append(id));
        nodeId.ifPresent(id -> line.append(" nodeId=").append(id));
        return line.toString();
    }
}
