package io.tallystick.store.journal.artemis;

import io.tallystick.store.ObjectStore;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.testkit.contract.ObjectStoreContract;
import java.nio.file.Path;

class ArtemisDirectContractTest extends ObjectStoreContract {
    @Override
    protected ObjectStore open(Path directory) {
        return JournalStores.open(JournalStores.small(directory, "artemis", "direct"));
    }
}
