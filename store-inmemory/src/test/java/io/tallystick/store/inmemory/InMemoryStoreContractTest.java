package io.tallystick.store.inmemory;

import io.tallystick.store.ObjectStore;
import io.tallystick.testkit.contract.ObjectStoreContract;
import java.nio.file.Path;

class InMemoryStoreContractTest extends ObjectStoreContract {
    @Override
    protected ObjectStore open(Path directory) {
        return InMemoryStore.open();
    }

    @Override
    protected boolean isDurable() {
        return false;
    }
}
