package io.tallystick.store.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The direct memory that an opening takes. It comes back only with a garbage collection, and the heap does not tell the
 * collector how much of it waits.
 */
class OpeningMemoryTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final long SEGMENT_BYTES = 64 * StoreOption.KIB;

    @ParameterizedTest
    @ValueSource(strings = {"direct", "channel"})
    void aNewStoreOfSmallSegmentsTakesLittleDirectMemory(String io) {
        assertThat(takenByAnOpening(new SimulatedDisk(), io)).isLessThan(16 * SEGMENT_BYTES);
    }

    @ParameterizedTest
    @ValueSource(strings = {"direct", "channel"})
    void aStoreOfSmallSegmentsThatIsOpenedAgainTakesLittleDirectMemory(String io) {
        SimulatedDisk disk = new SimulatedDisk();
        takenByAnOpening(disk, io);

        assertThat(takenByAnOpening(disk, io)).isLessThan(8 * SEGMENT_BYTES);
    }

    /** Bytes; fewer if there is a garbage collection on the way. */
    private static long takenByAnOpening(SimulatedDisk disk, String io) {
        StoreConfiguration.Builder configuration = JournalStores.small(DIRECTORY, "segmented", io)
                .set(StoreOption.JOURNAL_SEGMENT_SIZE, SEGMENT_BYTES)
                .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB);
        long before = directBytes();
        try (ObjectStore store = JournalStores.open(configuration, disk)) {
            assertThat(store.failure()).isEmpty();
            return directBytes() - before;
        }
    }

    private static long directBytes() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }
}
