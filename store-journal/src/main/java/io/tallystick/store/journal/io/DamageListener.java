package io.tallystick.store.journal.io;

import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.spi.Damage;
import java.nio.file.Path;

/**
 * Hears of all damage that a reader of a log meets, and decides whether the reader goes on. Opening a store and
 * inspecting it read with the same code: opening refuses at the first damaged place, an inspection takes note and goes
 * on.
 */
@FunctionalInterface
public interface DamageListener {
    /**
     * Hears of a damaged place. When it returns, the reader goes on without the damaged bytes.
     *
     * @param offset where in the file, bytes
     * @param reason why the bytes there are damaged
     */
    void damaged(Path file, long offset, Damage.Kind kind, String reason);

    /** Throws {@link CorruptStoreException} at the first damaged place, with this remedy. */
    static DamageListener refusing(String remedy) {
        return (file, offset, kind, reason) -> {
            throw new CorruptStoreException(file, offset, reason, remedy);
        };
    }
}
