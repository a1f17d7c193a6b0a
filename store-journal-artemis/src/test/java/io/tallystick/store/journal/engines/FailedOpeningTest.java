package io.tallystick.store.journal.engines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.store.journal.passages.PassageLoader;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.OpenFileWatch;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * At whichever step an opening fails, it leaves no thread, no open file and no lock: the next opener finds the store
 * alone.
 */
class FailedOpeningTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final StateKey STALLED = key(1);
    private static final StateKey KEPT = key(2);
    private static final int PATIENCE_SECONDS = 15;

    private final Set<Thread> threadsBefore = ourThreads();

    @ParameterizedTest
    @CsvSource({
        "segmented, channel, OPEN",
        "segmented, channel, READ",
        "segmented, channel, WRITE",
        "segmented, channel, FORCE",
        "segmented, channel, LIST",
        "segmented, direct, OPEN",
        "segmented, direct, READ",
        "segmented, direct, WRITE",
        "segmented, direct, FORCE",
        "segmented, direct, RENAME",
        "segmented, direct, DELETE",
        "segmented, direct, FORCE_DIRECTORY",
        "artemis, channel, OPEN",
        "artemis, channel, READ",
        "artemis, channel, WRITE",
        "artemis, channel, FORCE",
        "artemis, channel, LIST",
        "artemis, direct, OPEN",
        "artemis, direct, READ",
        "artemis, direct, WRITE",
        "artemis, direct, RENAME",
        "artemis, direct, FORCE_DIRECTORY"
    })
    void anOpeningThatTheDiskFailsLeavesNothingBehind(String engine, String io, DiskOperation operation)
            throws InterruptedException {
        SimulatedDisk empty = new SimulatedDisk();
        empty.crash(0); // dead, for copies
        int refused = 0;
        for (SimulatedDisk original : List.of(empty, crashed(engine, io))) {
            boolean struck = true;
            for (int occurrence = 1; struck; occurrence++) {
                SimulatedDisk simulated = original.crash(0);
                FaultInjectingDisk disk = new FaultInjectingDisk(simulated);
                disk.inject(DiskFault.in(operation).at(occurrence).failingWith(DiskFault.EIO));
                OpenFileWatch files = new OpenFileWatch(disk);
                ObjectStore store = null;
                try {
                    store = JournalStores.open(configuration(engine, io), files.disk());
                } catch (StoreException failed) {
                    refused++;
                }
                struck = disk.struck() > 0;
                disk.clearFaults();
                close(store);
                String after = operation + " " + occurrence + " failed";
                assertNothingIsLeft(files, after);
                assertItOpens(simulated, original != empty, engine, io, after);
            }
        }
        assertThat(refused).as("openings that failed").isPositive();
    }

    /** What failed in the background is told at the latest now. */
    private static void close(ObjectStore storeOrNull) {
        try {
            if (storeOrNull != null) {
                storeOrNull.close();
            }
        } catch (StoreException failed) {
            assertThat(failed).isNotNull();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "segmented, Writers.start calls start, 1",
        "segmented, Writers.start calls start, 3",
        "segmented, SegmentPool.start calls start, 1",
        "segmented, SegmentedLog.<init> returns, 1",
        "segmented, SegmentedLog.start calls rewriteBeyondGap, 1",
        "segmented, SegmentedLog.start returns, 1",
        "segmented, SegmentRecovery.handOver returns, 1",
        "artemis, Writers.start calls start, 1",
        "artemis, ArtemisLog.<init> returns, 1",
        "artemis, ArtemisLog.start returns, 1"
    })
    void anOpeningForWhichTheMemoryIsTooSmallLeavesNothingBehind(String engine, String place, int occurrence)
            throws InterruptedException {
        SimulatedDisk simulated = crashed(engine, "direct").crash(0);
        OpenFileWatch files = new OpenFileWatch(simulated);
        AtomicInteger passed = new AtomicInteger();
        Runnable noMemory = () -> {
            if (passed.incrementAndGet() == occurrence) {
                throw new OutOfMemoryError("unable to create native thread");
            }
        };
        try (PassageLoader journal = new PassageLoader(Map.of(place, noMemory))) {
            assertThatThrownBy(() -> journal.open(configuration(engine, "direct"), files.disk()))
                    .isInstanceOf(OutOfMemoryError.class);
        }
        assertNothingIsLeft(files, place);
        assertItOpens(simulated, true, engine, "direct", place);
    }

    private void assertNothingIsLeft(OpenFileWatch files, String after) throws InterruptedException {
        for (Thread thread : ourThreads()) {
            if (!threadsBefore.contains(thread)) {
                thread.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
                assertThat(thread.isAlive())
                        .as("%s is alive: %s", thread.getName(), after)
                        .isFalse();
            }
        }
        assertThat(files.open()).as("files left open: %s", after).isEmpty();
    }

    private static void assertItOpens(
            SimulatedDisk disk, boolean holdsRecords, String engine, String io, String after) {
        try (ObjectStore store = JournalStores.open(configuration(engine, io), disk)) {
            assertThat(store.read(KEPT).isPresent()).as(after).isEqualTo(holdsRecords);
        }
    }

    private static Set<Thread> ourThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("tallystick-"))
                .collect(Collectors.toSet());
    }

    /**
     * A store that died with a record on disk behind a write that never ended, where the engine writes side by side.
     */
    private static SimulatedDisk crashed(String engine, String io) throws InterruptedException {
        SimulatedDisk simulated = new SimulatedDisk();
        FaultInjectingDisk disk = new FaultInjectingDisk(simulated);
        DiskFault.Stall stall = new DiskFault.Stall();
        ObjectStore store = JournalStores.openSleeping(configuration(engine, io), disk);
        store.write(key(3), new byte[100], Durability.FORCED);
        if (engine.equals("segmented") && io.equals("direct")) {
            disk.inject(DiskFault.in(DiskOperation.WRITE).stallingAt(stall));
            Thread stalled = new Thread(() -> {
                assertThatThrownBy(() -> store.write(STALLED, new byte[100], Durability.FORCED))
                        .isInstanceOf(StoreException.class);
            });
            stalled.start();
            stall.awaitReached();
            store.write(KEPT, new byte[100], Durability.FORCED);
            simulated.crash(0);
            stall.release();
            stalled.join();
        } else {
            store.write(KEPT, new byte[100], Durability.FORCED);
            simulated.crash(0);
        }
        close(store);
        return simulated;
    }

    private static StoreConfiguration.Builder configuration(String engine, String io) {
        return JournalStores.small(DIRECTORY, engine, io)
                .set(StoreOption.JOURNAL_SEGMENT_SIZE, 64 * StoreOption.KIB)
                .set(StoreOption.JOURNAL_SEGMENTS, 8)
                .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB);
    }

    private static StateKey key(int number) {
        return StateKey.of("/T", ObjectId.of(new byte[] {(byte) number}));
    }
}
