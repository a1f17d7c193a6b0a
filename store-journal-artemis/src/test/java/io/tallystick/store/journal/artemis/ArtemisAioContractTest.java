package io.tallystick.store.journal.artemis;

import io.tallystick.store.ObjectStore;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.testkit.contract.ObjectStoreContract;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

@Tag("long")
class ArtemisAioContractTest extends ObjectStoreContract {
    @BeforeAll
    static void requireAio() {
        Requirements.device("aio");
    }

    @Override
    protected ObjectStore open(Path directory) {
        return JournalStores.open(JournalStores.small(directory, "artemis", "aio"));
    }
}
