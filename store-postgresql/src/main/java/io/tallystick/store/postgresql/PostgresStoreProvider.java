package io.tallystick.store.postgresql;

import io.tallystick.storage.NanoClock;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.spi.ObjectStoreProvider;

/** Opens {@code tallystick.store=postgresql}. */
public final class PostgresStoreProvider implements ObjectStoreProvider {
    /** For {@link java.util.ServiceLoader}. */
    public PostgresStoreProvider() {}

    @Override
    public String name() {
        return PostgresStore.NAME;
    }

    @Override
    public ObjectStore open(StoreConfiguration configuration) {
        return PostgresStore.open(PostgresOptions.from(configuration), NanoClock.SYSTEM);
    }
}
