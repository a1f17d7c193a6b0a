package io.tallystick.store.spi;

import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import java.nio.file.Path;
import java.util.Comparator;

/** What a store holds for one key, and where it lies. Its checksum has been found to fit. */
public interface InspectedRecord {
    /** By type, then by id. */
    Comparator<StateKey> ORDER = Comparator.comparing(StateKey::type).thenComparing(StateKey::id);

    /** The key. */
    StateKey key();

    /** What is held; never {@link StateStatus#ABSENT}. */
    StateStatus status();

    /** The file that it lies in. */
    Path file();

    /** Where in the file it begins, bytes. */
    long offset();

    /** State bytes in both values. */
    long bytes();

    /**
     * The values, read from the file if need be.
     *
     * @throws io.tallystick.store.CorruptStoreException what is there now is not what was found
     * @throws io.tallystick.store.StoreIoException it cannot be read
     */
    StateImage image();
}
