package io.tallystick.store.log;

import io.tallystick.store.log.commit.PendingAppend;
import io.tallystick.store.log.spi.Version;
import org.jspecify.annotations.Nullable;

/**
 * What a move did to its key, at the moment when it took effect.
 *
 * @param append the version that the move has queued; null where it changed nothing
 * @param unchanged the latest version, which the move left as it was; null for none, and where it changed something
 */
record MoveOutcome(@Nullable PendingAppend append, @Nullable Version unchanged) {
    boolean changed() {
        return append != null;
    }

    /** Whether the key held a value after the move. Only for moves that remove nothing. */
    boolean found() {
        return append != null || (unchanged != null && !unchanged.isTombstone());
    }
}
