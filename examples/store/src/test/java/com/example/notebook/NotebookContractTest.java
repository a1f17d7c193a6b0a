package com.example.notebook;

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

/** The promises of every store, opened as a user opens it, in a file that is written anew often. */
class NotebookContractTest extends ObjectStoreContract {
    @Override
    protected ObjectStore open(Path directory) {
        return ObjectStores.open(StoreConfiguration.builder()
                .store("notebook")
                .set("tallystick.notebook.rewrite-above", "64KiB")
                .directory(directory)
                .build());
    }

    /** An empty store in its place would forget what others have decided to commit. */
    @Test
    void aLogThatIsMissingIsNoNewStore(@TempDir Path temporary) throws Exception {
        Path directory = temporary.resolve("store");
        open(directory).close();
        open(directory).close();
        Files.delete(directory.resolve("notebook.log"));

        assertThatThrownBy(() -> open(directory)).isInstanceOf(StoreException.class).hasMessageContaining("was there");
        assertThat(new NotebookInspector().inspect(directory).isHealthy()).isFalse();
    }
}
