package io.tallystick.store.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.store.journal.passages.Gate;
import io.tallystick.store.journal.passages.PassageLoader;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A caller is stopped between the moment at which its version is queued and the moment at which the index shows it.
 * Other callers write that version to the disk meanwhile, and the housekeeper moves the segment in which it lies.
 */
@Timeout(120)
class LatePublicationTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final Path FIRST_SEGMENT = DIRECTORY.resolve(SegmentFormat.fileName(1));
    private static final String LATE_CALLER = "late-caller";
    private static final String HOUSEKEEPER = "tallystick-journal-housekeeper";
    private static final int SEGMENTS = 8;
    private static final int BATCHES_OF_A_SEGMENT = 64 * 1024 / SimulatedDisk.DIRECT_ALIGNMENT - 1;

    private static final StateKey LATE = key(1);
    private static final StateKey FILLER = key(2);

    private final SimulatedDisk disk = new SimulatedDisk();
    private final Gate queued = new Gate(LATE_CALLER);
    private final CountDownLatch judged = new CountDownLatch(1);

    @Test
    void aRecordThatTheIndexDoesNotShowYetIsMovedAndNotTakenForDamaged() throws Exception {
        byte[] headerBefore;
        try (PassageLoader journal = new PassageLoader(Map.of(
                        "GroupCommit.push returns",
                        queued,
                        "Housekeeper.hasRottenRecords returns",
                        judged::countDown));
                ObjectStore store = journal.open(configuration(), disk)) {
            headerBefore = header();
            Thread late = new Thread(() -> store.write(LATE, new byte[100], Durability.FORCED), LATE_CALLER);
            late.start();
            queued.awaitReached();
            Thread filler = new Thread(() -> fill(store)); // it may wait for room while the housekeeper waits
            filler.start();
            awaitHousekeeperAtTheRecord();
            queued.open();
            late.join();
            filler.join();
            assertThat(store.failure()).isEmpty();
            assertThat(header()).as("the first segment is in use again").isNotEqualTo(headerBefore);
        }
        try (ObjectStore recovered = JournalStores.open(configuration(), disk.crash(0))) {
            assertThat(recovered.read(LATE)).as("acknowledged").isPresent();
        }
    }

    /** It waits for the late caller, or has judged the segment without it. */
    private void awaitHousekeeperAtTheRecord() throws InterruptedException {
        while (!isHousekeeperBlocked() && !judged.await(1, TimeUnit.MILLISECONDS)) {
            Thread.onSpinWait();
        }
    }

    private static boolean isHousekeeperBlocked() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals(HOUSEKEEPER) && thread.getState() == Thread.State.BLOCKED);
    }

    private byte[] header() throws IOException {
        return Arrays.copyOf(disk.contents(FIRST_SEGMENT), SegmentFormat.SEGMENT_HEADER_BYTES);
    }

    /** Several times as much as all segments hold. */
    private static void fill(ObjectStore store) {
        for (int batch = 0; batch < 6 * SEGMENTS * BATCHES_OF_A_SEGMENT; batch++) {
            store.write(FILLER, new byte[100], Durability.FORCED);
        }
    }

    private static StoreConfiguration.Builder configuration() {
        return JournalStores.small(DIRECTORY, "segmented", "direct")
                .set(StoreOption.JOURNAL_SEGMENT_SIZE, 64 * StoreOption.KIB)
                .set(StoreOption.JOURNAL_SEGMENTS, SEGMENTS)
                .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB);
    }

    private static StateKey key(int number) {
        return StateKey.of("/T", ObjectId.of(new byte[] {(byte) number}));
    }
}
