package io.tallystick.store;

import java.util.Optional;

/**
 * The part of a store that a transactional participant uses for its own state. It writes the new value as a shadow in
 * prepare, and makes it the committed value in commit. {@link StateStatus} has the table of moves. Errors are those of
 * {@link TransactionLog#write}.
 */
public interface ParticipantStore {
    /** Makes {@code state} the shadow value of {@code key}; the committed value, if any, stays readable. */
    void writeShadow(StateKey key, byte[] state, Durability durability);

    /** Returns a copy of the shadow value; empty where there is none or the key is hidden. */
    Optional<byte[]> readShadow(StateKey key);

    /**
     * Makes the shadow value the committed value, in one step as far as a crash can see.
     *
     * @return true if there was a shadow
     */
    boolean commitShadow(StateKey key, Durability durability);

    /**
     * Takes the shadow value away.
     *
     * @return true if there was one
     */
    boolean discardShadow(StateKey key, Durability durability);
}
