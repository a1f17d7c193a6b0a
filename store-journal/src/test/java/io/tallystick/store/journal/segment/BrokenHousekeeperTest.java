package io.tallystick.store.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.Disk;
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
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The housekeeper breaks down: callers hear of it, nothing is written any more, and the next opening finds all there
 * was.
 */
@Timeout(180)
class BrokenHousekeeperTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final int MOST_RECORDS = 2_000;
    private static final long PATIENCE_MILLIS = 60_000;

    private final SimulatedDisk simulated = new SimulatedDisk();
    private final FaultInjectingDisk disk = new FaultInjectingDisk(simulated);
    private volatile boolean runningOut;
    private volatile Thread writer;
    // By the writer, then by the test.
    private int written;

    @ParameterizedTest
    @ValueSource(strings = {"OPEN", "RENAME", "FORCE_DIRECTORY"})
    void aSegmentThatIsNoSpareYetWhenMemoryRunsOutIsNoReasonToRefuseTheStore(DiskOperation operation) {
        ObjectStore store = open(disk);
        DiskFault fault = DiskFault.in(operation)
                .onFiles(file -> operation == DiskOperation.RENAME
                        || !file.toString().endsWith(SegmentFormat.UNFINISHED_SUFFIX));
        disk.inject(
                operation == DiskOperation.OPEN
                        ? fault.preceding(this::runOutOfMemory)
                        : fault.following(this::runOutOfMemory));
        writeUntilMemoryRunsOut(store, number -> number);
        assertFails(store);
        try (ObjectStore next = open(simulated)) {
            for (int number = 1; number <= written; number++) {
                assertThat(next.read(key(number))).as("record %d", number).isPresent();
            }
        }
        assertNothingWasWritten();
    }

    /** The header of the next life is on disk, and the segment is no spare. */
    @Test
    void aSegmentThatIsNoSpareInItsNextLifeWhenMemoryRunsOutIsNoReasonToRefuseTheStore() {
        AtomicBoolean armed = new AtomicBoolean();
        String place = "SegmentFactory.rewriteHeader calls addSpare";
        Runnable action = () -> {
            if (armed.compareAndSet(true, false)) {
                runOutOfMemory();
            }
        };
        try (PassageLoader journal = new PassageLoader(Map.of(place, action))) {
            ObjectStore store = journal.open(configuration(), disk);
            armed.set(true);
            writeUntilMemoryRunsOut(store, number -> 1);
            assertFails(store);
        }
        try (ObjectStore next = open(simulated)) {
            assertThat(next.read(key(1))).isPresent();
        }
        assertNothingWasWritten();
    }

    /** The file is complete and open, and the housekeeper cannot put it among the spares. */
    @Test
    void noFileStaysOpenWhenMemoryRunsOutWhileASpareIsAdded() {
        OpenFileWatch files = new OpenFileWatch(disk);
        AtomicBoolean armed = new AtomicBoolean();
        Runnable noMemory = () -> {
            if (armed.get()) {
                runningOut = true;
                throw new OutOfMemoryError("thrown by the test");
            }
        };
        try (PassageLoader journal = new PassageLoader(Map.of("SegmentRing.addSpare calls add", noMemory))) {
            ObjectStore store = journal.open(configuration(), files.disk());
            armed.set(true);
            writeUntilMemoryRunsOut(store, number -> number);
            assertFails(store);
        }
        assertThat(files.open()).isEmpty();
        try (ObjectStore next = open(simulated)) {
            for (int number = 1; number <= written; number++) {
                assertThat(next.read(key(number))).as("record %d", number).isPresent();
            }
        }
        assertNothingWasWritten();
    }

    @Test
    void noFileStaysOpenWhenMemoryRunsOutWhileTheLastSpareGetsItsMark() {
        OpenFileWatch files = new OpenFileWatch(disk);
        AtomicBoolean armed = new AtomicBoolean();
        OutOfMemoryError thrown = new OutOfMemoryError("thrown by the test");
        Runnable noMemory = () -> {
            if (armed.get()) {
                throw thrown;
            }
        };
        String place = "SegmentRing.lastSpareRebornOrNull calls nextHeader";
        try (PassageLoader journal = new PassageLoader(Map.of(place, noMemory))) {
            ObjectStore store = journal.open(configuration(), files.disk());
            store.write(key(1), new byte[100], Durability.FORCED);
            armed.set(true);
            assertThatThrownBy(store::close).isSameAs(thrown);
        }
        assertThat(files.open()).isEmpty();
    }

    /** The writer cannot put the next segment among those in use. */
    @Test
    void noSegmentIsLostWhenMemoryRunsOutWhileTheNextOneIsTaken() {
        OpenFileWatch files = new OpenFileWatch(disk);
        AtomicBoolean armed = new AtomicBoolean();
        Runnable noMemory = () -> {
            if (armed.get()) {
                throw new OutOfMemoryError("thrown by the test");
            }
        };
        try (PassageLoader journal = new PassageLoader(Map.of("SegmentRing.takeSpare calls add", noMemory))) {
            ObjectStore store = journal.open(configuration(), files.disk());
            store.write(key(++written), new byte[2_000], Durability.FORCED);
            armed.set(true);
            assertThatThrownBy(() -> {
                        while (written < MOST_RECORDS) {
                            store.write(key(written + 1), new byte[2_000], Durability.FORCED);
                            written++;
                        }
                    })
                    .isInstanceOfAny(StoreException.class, OutOfMemoryError.class);
            closeFailed(store);
            assertThat(files.open()).isEmpty();
        }
        try (ObjectStore next = open(simulated)) {
            for (int number = 1; number <= written; number++) {
                assertThat(next.read(key(number))).as("record %d", number).isPresent();
            }
        }
    }

    /** Memory is short for a while: the housekeeper cannot even take the lock to say that it has ended. */
    @Test
    void aHousekeeperThatCannotTellAtOnceThatItHasEndedStillFailsTheStoreAndLetsCallersGo() {
        AtomicInteger refusals = new AtomicInteger(3);
        Runnable noMemory = () -> {
            if (refusals.getAndDecrement() > 0) {
                throw new OutOfMemoryError("thrown by the test");
            }
        };
        String place = "RoomRequests.hasLetGo calls lock";
        try (PassageLoader journal = new PassageLoader(Map.of(place, noMemory))) {
            ObjectStore store = journal.open(configuration(), disk);
            disk.inject(DiskFault.in(DiskOperation.OPEN).preceding(this::runOutOfMemory));
            writeUntilMemoryRunsOut(store, number -> number);
            assertFails(store);
        }
    }

    /** By the store that had failed. */
    private void assertNothingWasWritten() {
        assertThat(disk.count(DiskOperation.WRITE)).isZero();
        assertThat(disk.count(DiskOperation.FORCE)).isZero();
    }

    private void writeUntilMemoryRunsOut(ObjectStore store, IntUnaryOperator keyOf) {
        writer = new Thread(() -> {
            try {
                while (!runningOut && written < MOST_RECORDS) {
                    store.write(key(keyOf.applyAsInt(written + 1)), new byte[2_000], Durability.FORCED);
                    written++;
                }
            } catch (StoreException refused) {
                // it waited for room
            }
        });
        writer.setDaemon(true);
        writer.start();
    }

    /** On the housekeeper: waits until nothing is in flight. */
    private void runOutOfMemory() {
        runningOut = true;
        while (writer.isAlive() && !waitsForRoom(writer)) {
            Thread.onSpinWait();
        }
        throw new OutOfMemoryError("thrown by the test");
    }

    private static boolean waitsForRoom(Thread thread) {
        return thread.getState() == Thread.State.WAITING
                && List.of(thread.getStackTrace()).stream()
                        .anyMatch(frame -> frame.getMethodName().equals("reserveWaiting"));
    }

    private void assertFails(ObjectStore store) {
        assertThatCode(() -> writer.join(PATIENCE_MILLIS)).doesNotThrowAnyException();
        assertThat(writer.isAlive()).as("the writer waits").isFalse();
        assertThat(runningOut).isTrue();
        long begun = System.nanoTime();
        while (store.failure().isEmpty()) {
            assertThat(System.nanoTime() - begun).isLessThan(PATIENCE_MILLIS * 1_000_000L);
        }
        disk.clearLog();
        closeFailed(store);
    }

    private static void closeFailed(ObjectStore store) {
        try {
            store.close();
        } catch (StoreException failed) {
            // it may say so
        }
    }

    private static ObjectStore open(Disk on) {
        return JournalStores.open(configuration(), on);
    }

    private static StoreConfiguration.Builder configuration() {
        return JournalStores.small(DIRECTORY, "segmented", "direct")
                .set(StoreOption.JOURNAL_SEGMENT_SIZE, 64 * StoreOption.KIB)
                .set(StoreOption.JOURNAL_SEGMENTS, 4)
                .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB);
    }

    private static StateKey key(int number) {
        return StateKey.of(
                "/T",
                ObjectId.of(ByteBuffer.allocate(Integer.BYTES).putInt(number).array()));
    }
}
