package io.tallystick.store.spi;

import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import java.nio.file.Path;
import java.util.Comparator;

/** One record of a store: its key, its status, and its place. Its checksum has been found to fit. */
public interface InspectedRecord {
    /** By type, then by id. */
    Comparator<StateKey> ORDER = Comparator.comparing(StateKey::type).thenComparing(StateKey::id);

    /** The key. */
    StateKey key();

    /** The status of the key; never {@link StateStatus#ABSENT}. */
    StateStatus status();

    /** The file that it lies in; of a log in a database table and row, such as {@code tallystick_batch/17}. */
    Path file();

    /** Where in the file it begins, bytes. */
    long offset();

    /** State bytes in both values. */
    long bytes();

    /**
     * The values, read from the file if need be.
     *
     * @throws io.tallystick.store.CorruptStoreException the bytes are not those that the inspection found
     * @throws io.tallystick.store.StoreIoException it cannot be read
     */
    StateImage image();
}
