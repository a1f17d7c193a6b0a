package io.tallystick.store.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreFailedException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A commit's write fails while the housekeeper makes a file. It may end that, but begins nothing more on a disk that
 * has just failed.
 */
@Timeout(180)
class FailedStoreHousekeepingTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final int SEGMENT_BYTES = 1024 * 1024;
    private static final int BATCHES_OF_A_SEGMENT = SEGMENT_BYTES / SimulatedDisk.DIRECT_ALIGNMENT - 1;
    private static final String BEING_MADE = SegmentFormat.fileName(5);
    // So long that one more file is not enough for it.
    private static final byte[] LONG_STATE = new byte[250 * 1024];

    private static final StateKey KEY = key(1);
    private static final StateKey LONG = key(2);

    private final FaultInjectingDisk disk = new FaultInjectingDisk(new SimulatedDisk());
    private final DiskFault.Stall growing = new DiskFault.Stall();
    private final AtomicReference<Throwable> refused = new AtomicReference<>();
    private final Thread longCommitter = new Thread(this::writeLong);
    private ObjectStore store;

    @BeforeEach
    void keepTheHousekeeperBusy() {
        store = JournalStores.openSleeping(configuration(), disk);
        disk.inject(DiskFault.in(DiskOperation.OPEN)
                .onFiles(file -> file.toString().endsWith(BEING_MADE + SegmentFormat.UNFINISHED_SUFFIX))
                .stallingAt(growing));
        longCommitter.start();
        growing.awaitReached();
    }

    private void writeLong() {
        try {
            store.write(LONG, LONG_STATE, Durability.FORCED);
        } catch (RuntimeException thrown) {
            refused.set(thrown);
        }
    }

    @Test
    void noFurtherFileIsMadeOnceTheStoreHasFailed() throws Exception {
        failTheStore();

        endTheHousekeeper();

        assertThat(disk.count(DiskOperation.OPEN, file -> isUnfinished(file) && !isBeingMade(file)))
                .as("further files")
                .isZero();
        assertNothingElseWasChanged();
    }

    @Test
    void noSegmentGetsAnotherLifeOnceTheStoreHasFailed() throws Exception {
        for (int batches = 0; batches < BATCHES_OF_A_SEGMENT + 1; batches += 2) {
            store.write(KEY, new byte[100], Durability.FORCED);
            store.remove(KEY, Durability.FORCED);
        }
        failTheStore();

        endTheHousekeeper();

        assertNothingElseWasChanged();
    }

    private void failTheStore() {
        disk.inject(DiskFault.in(DiskOperation.WRITE).failingWith(DiskFault.EIO));
        assertThatThrownBy(() -> store.write(KEY, new byte[100], Durability.FORCED))
                .isInstanceOf(OutcomeUnknownException.class);
        assertThat(store.failure()).isPresent();
        disk.clearLog();
    }

    private void endTheHousekeeper() throws InterruptedException {
        growing.release();
        longCommitter.join();
        assertThat(refused.get()).as("the caller that waits for room").isInstanceOf(StoreFailedException.class);
        assertThatThrownBy(store::close).isInstanceOf(StoreFailedException.class);
    }

    private void assertNothingElseWasChanged() {
        Predicate<Path> others = file -> !isBeingMade(file);
        assertThat(disk.count(DiskOperation.WRITE, others)).as("writes").isZero();
        assertThat(disk.count(DiskOperation.FORCE, others)).as("forces").isZero();
        assertThat(disk.count(DiskOperation.DELETE, others)).as("deletions").isZero();
    }

    private static boolean isBeingMade(Path file) {
        return file.getFileName().toString().startsWith(BEING_MADE);
    }

    private static boolean isUnfinished(Path file) {
        return file.toString().endsWith(SegmentFormat.UNFINISHED_SUFFIX);
    }

    private static StoreConfiguration.Builder configuration() {
        return JournalStores.small(DIRECTORY, "segmented", "direct")
                .set(StoreOption.JOURNAL_SEGMENT_SIZE, (long) SEGMENT_BYTES)
                .set(StoreOption.JOURNAL_SEGMENTS, 4)
                .set(StoreOption.MAX_STATE_SIZE, 256 * StoreOption.KIB);
    }

    private static StateKey key(int number) {
        return StateKey.of("/T", ObjectId.of(new byte[] {(byte) number}));
    }
}
