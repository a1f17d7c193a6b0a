package io.tallystick.store.journal.engine;

import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.spi.Damage;
import java.nio.file.Path;

/**
 * Decides what becomes of a damage that a reader has met. Opening a store and inspecting it read with the same code:
 * opening refuses at the first damage, an inspection takes note and goes on.
 */
@FunctionalInterface
public interface Judge {
    /**
     * Hears of a damage; returns if the reader is to go on without what is damaged.
     *
     * @param offset where in the file, bytes
     * @param reason what is wrong there
     */
    void damaged(Path file, long offset, Damage.Kind kind, String reason);

    /** Throws {@link CorruptStoreException} at the first damage, with this remedy. */
    static Judge refusing(String remedy) {
        return (file, offset, kind, reason) -> {
            throw new CorruptStoreException(file, offset, reason, remedy);
        };
    }
}
