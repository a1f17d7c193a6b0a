package io.tallystick.store.journal.engines;

import io.tallystick.storage.Disk;
import io.tallystick.storage.NanoClock;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.journal.JournalOptions;
import io.tallystick.store.journal.JournalStore;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.testkit.contract.HealthOnDiskContract;
import java.nio.file.Path;
import org.junit.jupiter.api.Nested;

class JournalHealthTest {
    @Nested
    class OfSegmented extends OfEngine {
        OfSegmented() {
            super("segmented");
        }
    }

    @Nested
    class OfArtemis extends OfEngine {
        OfArtemis() {
            super("artemis");
        }
    }

    private abstract static class OfEngine extends HealthOnDiskContract {
        private final String engine;

        OfEngine(String engine) {
            this.engine = engine;
        }

        @Override
        protected ObjectStore open(Path in, Disk on, NanoClock by) {
            return JournalStore.open(
                    JournalOptions.from(JournalStores.small(in, engine, "channel")
                            .set("tallystick.node-id", NODE)
                            .build()),
                    on,
                    by);
        }
    }
}
