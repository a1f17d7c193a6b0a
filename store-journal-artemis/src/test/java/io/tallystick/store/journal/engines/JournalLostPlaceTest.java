package io.tallystick.store.journal.engines;

import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.testkit.contract.LostPlaceContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;

class JournalLostPlaceTest {
    @Nested
    class OfSegmented extends OfEngine {
        OfSegmented() {
            super("segmented", ".seg");
        }
    }

    @Nested
    class OfArtemis extends OfEngine {
        OfArtemis() {
            super("artemis", ".jnl");
        }
    }

    private abstract static class OfEngine extends LostPlaceContract {
        private final String engine;
        private final String suffix;

        OfEngine(String engine, String suffix) {
            super("io.tallystick");
            this.engine = engine;
            this.suffix = suffix;
        }

        @Override
        protected ObjectStore open(Path in) {
            return JournalStores.open(JournalStores.small(in, engine, "channel")
                    .set(StoreOption.MAX_STATE_SIZE, 4 * 1024L)
                    .set(StoreOption.JOURNAL_SEGMENT_SIZE, 64 * 1024L));
        }

        /** The first one: the store has written one record. */
        @Override
        protected Path fileInUse(Path in) throws IOException {
            try (Stream<Path> paths = Files.list(in)) {
                return paths.filter(path -> path.toString().endsWith(suffix))
                        .sorted()
                        .findFirst()
                        .orElseThrow();
            }
        }
    }
}
