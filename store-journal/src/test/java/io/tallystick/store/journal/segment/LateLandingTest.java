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
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * A batch lands long after those that were laid out behind it. Its thread is stopped between the moment at which its
 * sequence counts as durable and the moment at which its callers are told; the housekeeper looks for segments to free
 * meanwhile.
 */
class LateLandingTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final Path FIRST_SEGMENT = DIRECTORY.resolve(SegmentFormat.fileName(1));
    private static final String LATE_COMMITTER = "late-committer";
    private static final int SEGMENT_BYTES = 1024 * 1024;
    private static final int BATCHES_OF_A_SEGMENT = SEGMENT_BYTES / SimulatedDisk.DIRECT_ALIGNMENT - 1;
    private static final int LONG_STATE_BYTES = 200 * 1024;
    private static final int PATIENCE_SECONDS = 60;

    private static final StateKey LATE = key(1);
    private static final StateKey FILLER = key(2);
    private static final StateKey KEPT = key(3);
    private static final StateKey LONG = key(4);

    private ObjectStore store;
    private final SimulatedDisk simulated = new SimulatedDisk();
    private final FaultInjectingDisk disk = new FaultInjectingDisk(simulated);
    private final DiskFault.Stall growing = new DiskFault.Stall();
    private final DiskFault.Stall lateWrite = new DiskFault.Stall();
    private final CountDownLatch housekeeperHasDecided = new CountDownLatch(1);
    private final Thread longCommitter = new Thread(this::writeLong);
    private final Gate published = new Gate(LATE_COMMITTER);

    @Test
    void aRecordThatLandsLastInItsSegmentSurvivesTheHousekeeperThatSeesItsSequenceFirst() throws Exception {
        live(store -> {
            int batches = 1;
            for (; batches < BATCHES_OF_A_SEGMENT; batches += 2) {
                writeAndRemove(store, FILLER);
            }
        });
        try (ObjectStore recovered = JournalStores.open(configuration(), simulated.crash(0))) {
            assertThat(recovered.read(LATE)).as("acknowledged").isPresent();
        }
    }

    /** The removal lands before what it removes, and takes a record away from the count that is not there yet. */
    @Test
    void aRecordSurvivesBesideOneWhoseRemovalLandedFirst() throws Exception {
        live(store -> {
            store.write(KEPT, new byte[100], Durability.FORCED);
            store.remove(LATE, Durability.FORCED);
            for (int batches = 3; batches < BATCHES_OF_A_SEGMENT; batches += 2) {
                writeAndRemove(store, FILLER);
            }
        });
        try (ObjectStore recovered = JournalStores.open(configuration(), simulated.crash(0))) {
            assertThat(recovered.read(KEPT)).as("acknowledged").isPresent();
            assertThat(recovered.read(LATE)).as("removed").isEmpty();
        }
    }

    private interface Filling {
        void fill(ObjectStore store);
    }

    private void live(Filling filling) throws InterruptedException {
        try (PassageLoader journal = new PassageLoader(Map.of("SegmentPool.durable returns", published));
                ObjectStore opened = journal.openSleeping(configuration(), disk)) {
            store = opened;
            keepTheHousekeeperBusy();
            disk.inject(DiskFault.in(DiskOperation.WRITE)
                    .onFiles(FIRST_SEGMENT::equals)
                    .stallingAt(lateWrite));
            Thread late = new Thread(() -> store.write(LATE, new byte[100], Durability.FORCED), LATE_COMMITTER);
            late.start();
            lateWrite.awaitReached();
            filling.fill(store);
            writeAndRemove(store, FILLER); // in the second segment: the first one is full
            watchTheHousekeeper();
            lateWrite.release();
            published.awaitReached();
            growing.release();
            assertThat(housekeeperHasDecided.await(PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .as("the housekeeper has decided what to do with the first segment")
                    .isTrue();
            published.open();
            late.join();
            longCommitter.join();
        }
    }

    /**
     * A long record wants room, so it has asked for what was queued to be forced and makes a file; no segment is full
     * yet.
     */
    private void keepTheHousekeeperBusy() {
        disk.inject(DiskFault.in(DiskOperation.OPEN)
                .onFiles(file -> file.toString().endsWith("000005.seg" + SegmentFormat.UNFINISHED_SUFFIX))
                .stallingAt(growing));
        longCommitter.start();
        growing.awaitReached();
    }

    private void writeLong() {
        store.write(LONG, new byte[LONG_STATE_BYTES], Durability.FORCED);
    }

    /** It frees the first segment, or moves what is live in it, or makes another file. */
    private void watchTheHousekeeper() {
        disk.inject(DiskFault.in(DiskOperation.WRITE)
                .onFiles(FIRST_SEGMENT::equals)
                .preceding(housekeeperHasDecided::countDown));
        disk.inject(DiskFault.in(DiskOperation.READ)
                .onFiles(FIRST_SEGMENT::equals)
                .preceding(housekeeperHasDecided::countDown));
        disk.inject(DiskFault.in(DiskOperation.OPEN)
                .onFiles(file -> file.toString().endsWith("000006.seg" + SegmentFormat.UNFINISHED_SUFFIX))
                .preceding(housekeeperHasDecided::countDown));
    }

    private static void writeAndRemove(ObjectStore store, StateKey key) {
        store.write(key, new byte[100], Durability.FORCED);
        store.remove(key, Durability.FORCED);
    }

    private static StoreConfiguration.Builder configuration() {
        return JournalStores.small(DIRECTORY, "segmented", "direct")
                .set(StoreOption.JOURNAL_SEGMENT_SIZE, (long) SEGMENT_BYTES)
                .set(StoreOption.MAX_STATE_SIZE, 256 * StoreOption.KIB);
    }

    private static StateKey key(int number) {
        return StateKey.of("/T", ObjectId.of(new byte[] {(byte) number}));
    }
}
