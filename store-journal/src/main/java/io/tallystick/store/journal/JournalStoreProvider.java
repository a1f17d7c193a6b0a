package io.tallystick.store.journal;

import io.tallystick.storage.NanoClock;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.spi.ObjectStoreProvider;
import java.util.List;

/** Opens {@code tallystick.store=journal}. */
public final class JournalStoreProvider implements ObjectStoreProvider {
    /** For {@link java.util.ServiceLoader}. */
    public JournalStoreProvider() {}

    @Override
    public String name() {
        return "journal";
    }

    /** {@inheritDoc} Here: those of the engines. */
    @Override
    public List<StoreOption<?>> options() {
        return JournalEngines.declared().options();
    }

    @Override
    public List<String> optionTroubles() {
        return JournalEngines.declared().troubles();
    }

    @Override
    public ObjectStore open(StoreConfiguration configuration) {
        return JournalStore.open(JournalOptions.from(configuration), new SystemDisk(), NanoClock.SYSTEM);
    }
}
