package io.tallystick.testkit.oracle;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;

/** Performs the moves of the model on a store. */
public final class StoreMoves {
    private StoreMoves() {}

    /** Performs the move and returns the store's answer; true for a void operation. */
    public static boolean perform(
            ObjectStore store, ModelMove move, StateKey key, byte[] state, Durability durability) {
        return switch (move) {
            case WRITE -> {
                store.write(key, state, durability);
                yield true;
            }
            case WRITE_SHADOW -> {
                store.writeShadow(key, state, durability);
                yield true;
            }
            case REMOVE -> store.remove(key, durability);
            case COMMIT_SHADOW -> store.commitShadow(key, durability);
            case DISCARD_SHADOW -> store.discardShadow(key, durability);
            case HIDE -> store.hide(key);
            case REVEAL -> store.reveal(key);
        };
    }
}
