package io.tallystick.store.file;

import io.tallystick.storage.NanoClock;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.spi.ObjectStoreProvider;

/** Opens a {@link FileStore} for {@code tallystick.store=file}. */
public final class FileStoreProvider implements ObjectStoreProvider {
    /** For {@link java.util.ServiceLoader}. */
    public FileStoreProvider() {}

    @Override
    public String name() {
        return FileStore.NAME;
    }

    @Override
    public ObjectStore open(StoreConfiguration configuration) {
        return FileStore.open(FileStoreOptions.from(configuration), new SystemDisk(), NanoClock.SYSTEM);
    }
}
