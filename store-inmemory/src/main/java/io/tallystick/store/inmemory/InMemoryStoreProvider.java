package io.tallystick.store.inmemory;

import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.spi.ObjectStoreProvider;

/** Opens an {@link InMemoryStore} for {@code tallystick.store=inmemory}. */
public final class InMemoryStoreProvider implements ObjectStoreProvider {
    /** For {@link java.util.ServiceLoader}. */
    public InMemoryStoreProvider() {}

    @Override
    public String name() {
        return InMemoryStore.NAME;
    }

    @Override
    public ObjectStore open(StoreConfiguration configuration) {
        return InMemoryStore.open(Math.toIntExact(configuration.get(StoreOption.MAX_STATE_SIZE)));
    }
}
