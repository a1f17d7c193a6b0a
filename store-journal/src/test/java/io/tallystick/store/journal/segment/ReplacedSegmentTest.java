package io.tallystick.store.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreFullException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A segment of another size is replaced by a new file; on a full disk that cannot be, and the segment stays what it
 * was.
 */
class ReplacedSegmentTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final long SMALL = 64 * StoreOption.KIB;
    private static final StateKey REMOVED = key(0);

    private final SimulatedDisk disk = new SimulatedDisk();

    @ParameterizedTest
    @ValueSource(strings = {"channel", "direct"})
    void aStoreThatCouldNotReplaceASegmentOpensAgainAfterACleanClose(String io) throws IOException {
        int written = liveOnAFullDiskWithAnotherSize(io);
        try (ObjectStore store = open(io, SMALL)) {
            assertThat(store.read(REMOVED)).isEmpty();
            assertThat(store.keys("/T")).hasSize(written);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"channel", "direct"})
    void itReplacesTheSegmentWhenThereIsRoomAgain(String io) throws IOException {
        int written = liveOnAFullDiskWithAnotherSize(io);
        disk.setCapacity(Long.MAX_VALUE / 2);
        try (ObjectStore store = open(io, SMALL)) {
            for (int number = 1; number < 100; number++) {
                store.write(key(number), new byte[5_000], Durability.FORCED);
            }
        }
        try (ObjectStore store = open(io, SMALL)) {
            assertThat(store.keys("/T")).hasSize(Math.max(written, 99));
        }
        for (Path file : disk.list(DIRECTORY)) {
            if (SegmentFormat.fileNumber(file) >= 0) {
                assertThat(disk.size(file)).as("%s", file).isEqualTo(SMALL);
            }
        }
    }

    /** All of the first segment is dead, and no file can be made in its place. Answers how many keys are there. */
    private int liveOnAFullDiskWithAnotherSize(String io) throws IOException {
        try (ObjectStore store = open(io, 2 * SMALL)) {
            store.write(REMOVED, new byte[100], Durability.FORCED);
            store.remove(REMOVED, Durability.FORCED);
        }
        int[] written = {0};
        try (ObjectStore store = open(io, SMALL)) {
            fillTheDisk();
            assertThatThrownBy(() -> {
                        while (written[0] < 1_000) {
                            store.write(key(written[0] + 1), new byte[1_000], Durability.FORCED);
                            written[0]++;
                        }
                    })
                    .isInstanceOf(StoreFullException.class);
        }
        assertThat(written[0]).isPositive();
        return written[0];
    }

    private void fillTheDisk() throws IOException {
        long used = Long.MAX_VALUE / 2;
        disk.setCapacity(used);
        disk.setCapacity(used - disk.usableSpace(DIRECTORY));
    }

    private ObjectStore open(String io, long segmentBytes) {
        return JournalStores.open(
                JournalStores.small(DIRECTORY, "segmented", io)
                        .set(StoreOption.JOURNAL_SEGMENT_SIZE, segmentBytes)
                        .set(StoreOption.JOURNAL_SEGMENTS, 8)
                        .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB),
                disk);
    }

    private static StateKey key(int number) {
        return StateKey.of(
                "/T",
                ObjectId.of(ByteBuffer.allocate(Integer.BYTES).putInt(number).array()));
    }
}
