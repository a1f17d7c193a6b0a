package io.tallystick.store.file;

import io.tallystick.storage.Disk;
import io.tallystick.storage.NanoClock;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.testkit.contract.HealthOnDiskContract;
import java.nio.file.Path;

class FileHealthTest extends HealthOnDiskContract {
    @Override
    protected ObjectStore open(Path in, Disk on, NanoClock by) {
        StoreConfiguration configuration = StoreConfiguration.builder()
                .directory(in)
                .set("tallystick.node-id", NODE)
                .build();
        return FileStore.open(FileStoreOptions.from(configuration), on, by);
    }
}
