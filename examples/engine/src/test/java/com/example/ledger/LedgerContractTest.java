package com.example.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreException;
import io.tallystick.testkit.contract.ObjectStoreContract;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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

    /** An empty store in its place would forget what others have decided to commit. */
    @Test
    void aLogThatIsMissingIsNoNewStore(@TempDir Path temporary) throws Exception {
        Path directory = temporary.resolve("store");
        open(directory).close();
        open(directory).close();
        Files.delete(directory.resolve("ledger.log"));

        assertThatThrownBy(() -> open(directory)).isInstanceOf(StoreException.class).hasMessageContaining("was there");
        assertThat(new LedgerInspector().inspect(directory).isHealthy()).isFalse();
    }
}
