package io.tallystick.store.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.store.journal.passages.PassageLoader;
import io.tallystick.testkit.disk.OpenFileWatch;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The process has no direct memory left once the store is open. */
class ScarceDirectMemoryTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final StateKey KEY = StateKey.of("/T", ObjectId.of(new byte[] {1}));

    @ParameterizedTest
    @ValueSource(ints = {100, 1024 * 1024 - 200, 1024 * 1024, 2_500_000})
    void noWriteFailsForItHoweverLongTheRecord(int length) {
        SimulatedDisk disk = new SimulatedDisk();
        byte[] state = new byte[length];
        new Random(length).nextBytes(state);
        AtomicBoolean scarce = new AtomicBoolean();
        Runnable noMemory = () -> {
            if (scarce.get()) {
                throw new OutOfMemoryError("thrown by the test");
            }
        };
        try (PassageLoader journal = new PassageLoader(Map.of("BatchWriter.allocate calls allocateDirect", noMemory))) {
            try (ObjectStore store = journal.open(configuration(), disk)) {
                scarce.set(true);
                store.write(KEY, state, Durability.FORCED);
                assertThat(store.failure()).isEmpty();
            }
        }
        try (ObjectStore store = JournalStores.open(configuration(), disk.crash(0))) {
            assertThat(store.read(KEY).orElseThrow()).isEqualTo(state);
        }
    }

    @Test
    void noFileStaysOpenWhereTheHeaderThatClosingWritesHasNoMemory() {
        OpenFileWatch files = new OpenFileWatch(new SimulatedDisk());
        AtomicBoolean scarce = new AtomicBoolean();
        OutOfMemoryError thrown = new OutOfMemoryError("thrown by the test");
        Runnable noMemory = () -> {
            if (scarce.get()) {
                throw thrown;
            }
        };
        String place = "SegmentFactory.writeHeader calls allocateDirect";
        try (PassageLoader journal = new PassageLoader(Map.of(place, noMemory))) {
            ObjectStore store = journal.open(configuration(), files.disk());
            store.write(KEY, new byte[100], Durability.FORCED);
            scarce.set(true);
            assertThatThrownBy(store::close).isSameAs(thrown);
        }
        assertThat(files.open()).isEmpty();
    }

    private static StoreConfiguration.Builder configuration() {
        return JournalStores.small(DIRECTORY, "segmented", "direct")
                .set(StoreOption.JOURNAL_SEGMENT_SIZE, 16 * StoreOption.MIB)
                .set(StoreOption.JOURNAL_SEGMENTS, 4)
                .set(StoreOption.MAX_STATE_SIZE, 3 * StoreOption.MIB);
    }
}
