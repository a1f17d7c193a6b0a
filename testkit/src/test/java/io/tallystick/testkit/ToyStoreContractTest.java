package io.tallystick.testkit;

import io.tallystick.storage.SystemDisk;
import io.tallystick.store.ObjectStore;
import io.tallystick.testkit.contract.ObjectStoreContract;
import java.nio.file.Path;

/** The contract suite on a durable store, on a real disk. */
class ToyStoreContractTest extends ObjectStoreContract {
    @Override
    protected ObjectStore open(Path directory) {
        return ToyStore.open(new SystemDisk(), directory);
    }

    @Override
    protected int maxStateBytes() {
        return ToyStore.MAX_STATE_BYTES;
    }
}
