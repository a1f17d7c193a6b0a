package io.tallystick.store.spi;

import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreConfiguration;

/** Opens stores of one kind; found by {@link java.util.ServiceLoader}. */
public interface ObjectStoreProvider {
    /** The value of {@code tallystick.store} that selects this provider. */
    String name();

    /**
     * Opens a store: takes the directory, recovers the records in it, and starts the threads of the store.
     *
     * @throws io.tallystick.store.StoreException the store cannot be opened; nothing that was stored is changed
     * @throws IllegalArgumentException the configuration does not suffice, naming the key
     */
    ObjectStore open(StoreConfiguration configuration);
}
