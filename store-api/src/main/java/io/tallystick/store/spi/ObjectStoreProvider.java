package io.tallystick.store.spi;

import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import java.util.List;

/** Opens stores of one kind; found by {@link java.util.ServiceLoader}. */
public interface ObjectStoreProvider {
    /** The value of {@code tallystick.store} that selects this provider. */
    String name();

    /**
     * The options that only stores of this kind have, made by {@link StoreOption#of} and kept in constants: the same
     * objects at each call. While this provider is on the class path, every reader of a configuration takes their keys.
     * Asked without a store, also where another one is chosen; so it reads nothing and starts nothing.
     */
    default List<StoreOption<?>> options() {
        return List.of();
    }

    /**
     * What keeps this provider from telling all of its options, each with who and why; for the error of a key that is
     * not known.
     */
    default List<String> optionTroubles() {
        return List.of();
    }

    /**
     * Opens a store: takes the directory, recovers the records in it, and starts the threads of the store.
     *
     * @throws io.tallystick.store.StoreException the store cannot be opened; nothing that was stored is changed
     * @throws IllegalArgumentException the configuration does not suffice, naming the key
     */
    ObjectStore open(StoreConfiguration configuration);
}
