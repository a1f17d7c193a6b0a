package io.tallystick.store.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** A batch rots while the store is open, and the housekeeper meets it when it moves live records out of the way. */
class RottenBatchTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final Path FIRST_SEGMENT = DIRECTORY.resolve(SegmentFormat.fileName(1));
    private static final int BLOCK = SimulatedDisk.DIRECT_ALIGNMENT;
    private static final int SEGMENTS = 8;
    private static final int BATCHES_OF_A_SEGMENT = 64 * 1024 / BLOCK - 1;

    private static final StateKey ROTTEN = key(1);
    private static final StateKey SOUND = key(2);
    private static final StateKey FILLER = key(3);

    private final SimulatedDisk disk = new SimulatedDisk();

    @Test
    void theStoreGoesOnAndKeepsTheSegmentWithTheRottenBatch() throws IOException {
        try (ObjectStore store = open()) {
            writeBothAndRotTheFirst(store);
            fill(store);
            assertThat(store.failure()).isEmpty();
            assertThat(store.read(SOUND)).isPresent();
        }
        assertThatThrownBy(this::open)
                .isInstanceOf(CorruptStoreException.class)
                .hasMessageContaining(FIRST_SEGMENT.toString());
    }

    @Test
    void theSegmentIsUsedAgainWhenNothingInTheRottenBatchIsNeeded() throws IOException {
        byte[] headerBefore;
        try (ObjectStore store = open()) {
            headerBefore = header();
            writeBothAndRotTheFirst(store);
            fill(store);
            assertThat(header()).isEqualTo(headerBefore);
            store.remove(ROTTEN, Durability.FORCED);
            fill(store);
        }
        assertThat(header()).isNotEqualTo(headerBefore);
        try (ObjectStore store = open()) {
            assertThat(store.read(ROTTEN)).isEmpty();
            assertThat(store.read(SOUND)).isPresent();
        }
    }

    private void writeBothAndRotTheFirst(ObjectStore store) throws IOException {
        store.write(ROTTEN, new byte[100], Durability.FORCED);
        store.write(SOUND, new byte[100], Durability.FORCED);
        byte[] segment = disk.contents(FIRST_SEGMENT);
        Arrays.fill(segment, BLOCK + 80, BLOCK + 90, (byte) 0x55);
        disk.replaceContents(FIRST_SEGMENT, segment);
    }

    private byte[] header() throws IOException {
        return Arrays.copyOf(disk.contents(FIRST_SEGMENT), SegmentFormat.SEGMENT_HEADER_BYTES);
    }

    /** Several times as much as all segments hold. */
    private static void fill(ObjectStore store) {
        for (int batch = 0; batch < 3 * SEGMENTS * BATCHES_OF_A_SEGMENT; batch++) {
            store.write(FILLER, new byte[100], Durability.FORCED);
        }
    }

    private ObjectStore open() {
        return JournalStores.open(
                JournalStores.small(DIRECTORY, "segmented", "direct")
                        .set(StoreOption.JOURNAL_SEGMENT_SIZE, 64 * StoreOption.KIB)
                        .set(StoreOption.JOURNAL_SEGMENTS, SEGMENTS)
                        .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB),
                disk);
    }

    private static StateKey key(int number) {
        return StateKey.of("/T", ObjectId.of(new byte[] {(byte) number}));
    }
}
