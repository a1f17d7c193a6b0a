package io.tallystick.store.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Segments that are smaller than in the life before. */
class SmallerSegmentsTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final int RECORDS = 150;

    private final SimulatedDisk disk = new SimulatedDisk();

    /** What is live in the old segment does not fit into a spare. An opening has copied a part when it sees that. */
    @ParameterizedTest
    @ValueSource(strings = {"channel", "direct"})
    void copiesThatAnOpeningGivesUpLeaveNoSequenceThatTheNextOneRequires(String io) {
        List<StateKey> written = new ArrayList<>();
        try (ObjectStore store = open(io, 512)) {
            for (int number = 0; number < RECORDS; number++) {
                written.add(key(number));
                store.write(key(number), new byte[2_000], Durability.DEFERRED);
            }
            for (int number = 0; number < RECORDS / 2; number++) {
                store.remove(written.remove(0), Durability.FORCED);
            }
        }
        for (int life = 1; life <= 3; life++) {
            try (ObjectStore store = open(io, 64)) {
                assertThat(store.keys("/T")).as("life %s", life).containsExactlyInAnyOrderElementsOf(written);
                store.remove(written.remove(0), Durability.FORCED);
            }
        }
    }

    private ObjectStore open(String io, int kibibytes) {
        return JournalStores.open(
                JournalStores.small(DIRECTORY, "segmented", io)
                        .set(StoreOption.JOURNAL_SEGMENT_SIZE, kibibytes * StoreOption.KIB)
                        .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB),
                disk);
    }

    private static StateKey key(int number) {
        return StateKey.of(
                "/T",
                ObjectId.of(ByteBuffer.allocate(Integer.BYTES).putInt(number).array()));
    }
}
