package io.tallystick.store.file;

import io.tallystick.storage.NanoClock;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.ObjectStore;
import io.tallystick.testkit.contract.ObjectStoreContract;
import java.nio.file.Path;

class FileStoreContractTest extends ObjectStoreContract {
    @Override
    protected ObjectStore open(Path directory) {
        return FileStore.open(FileStoreOptions.in(directory), new SystemDisk(), NanoClock.SYSTEM);
    }
}
