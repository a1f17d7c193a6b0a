package io.tallystick.store.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.Disk;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A crash leaves acknowledged batches behind one that never landed. No mark covers them, so recovery writes what is in
 * them again; when they rot afterwards, nothing is lost and nothing comes back.
 */
class BeyondGapTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final Path FIRST_SEGMENT = DIRECTORY.resolve(SegmentFormat.fileName(1));
    private static final int BLOCK = SimulatedDisk.DIRECT_ALIGNMENT;
    /** Blocks of the segment: header, removed, other, the gap, removal, kept. */
    private static final int FIRST_BEYOND = 4 * BLOCK;

    private static final int END_BEYOND = 6 * BLOCK;

    private static final StateKey REMOVED = key(1);
    private static final StateKey OTHER = key(2);
    private static final StateKey STALLED = key(3);
    private static final StateKey KEPT = key(4);

    /** Dead, so that each test may have copies. */
    private final SimulatedDisk crashed = new SimulatedDisk();

    @BeforeEach
    void crashWithAGap() throws InterruptedException {
        FaultInjectingDisk disk = new FaultInjectingDisk(crashed);
        DiskFault.Stall stall = new DiskFault.Stall();
        try (ObjectStore store = open(disk)) {
            store.write(REMOVED, new byte[100], Durability.FORCED);
            store.write(OTHER, new byte[100], Durability.FORCED);
            disk.inject(DiskFault.in(DiskOperation.WRITE).stallingAt(stall));
            Thread stalled =
                    new Thread(() -> assertThatThrownBy(() -> store.write(STALLED, new byte[100], Durability.FORCED))
                            .isInstanceOf(StoreException.class));
            stalled.start();
            stall.awaitReached();
            store.remove(REMOVED, Durability.FORCED);
            store.write(KEPT, new byte[100], Durability.FORCED);
            crashed.crash(0);
            stall.release();
            stalled.join();
        } catch (StoreException dead) {
            assertThat(crashed.crashedDuring()).isPresent();
        }
    }

    @Test
    void aRemovalBeyondAGapHoldsWhenItRotsAfterTheNextOpening() throws IOException {
        SimulatedDisk disk = crashed.crash(0);
        try (ObjectStore store = open(disk)) {
            assertThat(store.read(REMOVED)).isEmpty();
            assertThat(store.read(KEPT)).isPresent();
        }
        rot(disk);
        assertHolds(disk, "rotten");
    }

    @Test
    void itHoldsThroughManyOpenings() throws IOException {
        SimulatedDisk disk = crashed.crash(0);
        for (int opening = 0; opening < 5; opening++) {
            assertHolds(disk, "opening " + opening);
        }
        rot(disk);
        assertHolds(disk, "rotten");
    }

    @Test
    void itHoldsWhenTheNextOpeningCrashesAnywhereAndTheOneAfterItDoesNot() throws IOException {
        int crashes = 0;
        for (long operation = 1; ; operation++) {
            SimulatedDisk dying = crashed.crash(0);
            dying.crashAt(dying.operations() + operation);
            try (ObjectStore store = open(dying)) {
                assertThat(store.description()).isNotNull();
            } catch (StoreException died) {
                assertThat(dying.crashedDuring()).isPresent();
            }
            if (dying.crashedDuring().isEmpty()) {
                break;
            }
            crashes++;
            SimulatedDisk disk = dying.crash(operation);
            assertHolds(disk, "operation " + operation);
            rot(disk);
            assertHolds(disk, "operation " + operation + ", rotten");
        }
        assertThat(crashes).isGreaterThan(5);
    }

    private static void assertHolds(SimulatedDisk disk, String when) {
        try (ObjectStore store = open(disk)) {
            assertThat(store.read(REMOVED)).as("removed, %s", when).isEmpty();
            assertThat(store.read(KEPT)).as("kept, %s", when).isPresent();
            assertThat(store.read(OTHER)).as("other, %s", when).isPresent();
        }
    }

    private static void rot(SimulatedDisk disk) throws IOException {
        byte[] segment = disk.contents(FIRST_SEGMENT);
        Arrays.fill(segment, FIRST_BEYOND, END_BEYOND, (byte) 0x55);
        disk.replaceContents(FIRST_SEGMENT, segment);
    }

    private static ObjectStore open(Disk disk) {
        return JournalStores.openSleeping(
                JournalStores.small(DIRECTORY, "segmented", "direct")
                        .set(StoreOption.JOURNAL_SEGMENT_SIZE, 64 * StoreOption.KIB)
                        .set(StoreOption.JOURNAL_SEGMENTS, 8)
                        .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB),
                disk);
    }

    private static StateKey key(int number) {
        return StateKey.of("/T", ObjectId.of(new byte[] {(byte) number}));
    }
}
