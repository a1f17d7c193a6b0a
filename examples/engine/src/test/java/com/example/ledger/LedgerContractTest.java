package com.example.ledger;

import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.testkit.contract.ObjectStoreContract;
import java.nio.file.Path;

/** The promises of every store, opened as a user opens it. */
class LedgerContractTest extends ObjectStoreContract {
    @Override
    protected ObjectStore open(Path directory) {
        return ObjectStores.open(StoreConfiguration.builder()
                .store("journal")
                .set("tallystick.journal.engine", "ledger")
                .set("tallystick.ledger.size", "256MiB")
                .directory(directory)
                .build());
    }
}
