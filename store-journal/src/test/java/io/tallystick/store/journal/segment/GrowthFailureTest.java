package io.tallystick.store.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFullException;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** No segment can be made: callers hear why, and nothing that was acknowledged is in doubt. */
class GrowthFailureTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final int MOST_RECORDS = 1_000;
    private static final int CRASHES = 30;

    private final SimulatedDisk simulated = new SimulatedDisk();
    private final FaultInjectingDisk disk = new FaultInjectingDisk(simulated);
    private int written;

    @ParameterizedTest
    @EnumSource(
            value = DiskOperation.class,
            names = {"OPEN", "WRITE", "FORCE", "RENAME", "FORCE_DIRECTORY"})
    void aDiskThatFailsIsNotCalledFull(DiskOperation operation) {
        try (ObjectStore store = open()) {
            failWith(operation, DiskFault.EIO);
            assertThatThrownBy(() -> fill(store))
                    .isInstanceOf(StoreIoException.class)
                    .hasMessageContaining(DiskFault.EIO)
                    .hasMessageContaining("nothing was written")
                    .hasRootCauseInstanceOf(IOException.class);
            goesOn(store);
        }
        assertAllIsThere(simulated.crash(0));
    }

    @Test
    void aFileThatCannotBeDeletedFailsNeitherTheStoreNorTheNextOpening() throws IOException {
        open().close();
        int before = simulated.list(DIRECTORY).size();
        disk.inject(DiskFault.in(DiskOperation.DELETE)
                .onFiles(file -> SegmentFormat.fileNumber(file) >= 0)
                .forEver()
                .failingWith("Operation not permitted"));
        StoreConfiguration.Builder larger =
                configuration().set(StoreOption.JOURNAL_SEGMENT_SIZE, 128 * StoreOption.KIB);
        for (int life = 1; life <= 2; life++) {
            try (ObjectStore store = JournalStores.open(larger, disk)) {
                for (int number = 0; number < 100; number++) {
                    store.write(key(1), new byte[2_000], Durability.FORCED);
                }
                assertThat(store.failure()).isEmpty();
                assertThat(store.keys("/T")).containsExactly(key(1));
            }
        }
        assertThat(simulated.list(DIRECTORY)).hasSizeGreaterThan(before);
        disk.clearFaults();
        JournalStores.open(larger, disk).close();
        for (Path file : SegmentFiles.in(simulated, DIRECTORY)) {
            assertThat(simulated.size(file)).isEqualTo(128 * StoreOption.KIB);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = DiskOperation.class,
            names = {"OPEN", "WRITE", "FORCE", "RENAME", "FORCE_DIRECTORY"})
    void aDiskWithoutRoomIsCalledFull(DiskOperation operation) {
        try (ObjectStore store = open()) {
            failWith(operation, DiskFault.ENOSPC);
            assertThatThrownBy(() -> fill(store))
                    .isInstanceOf(StoreFullException.class)
                    .hasMessageContaining(DiskFault.ENOSPC);
            goesOn(store);
        }
        assertAllIsThere(simulated.crash(0));
    }

    /** The next opening finds a file whose header names the last spare, so closing must leave that one alone. */
    @Test
    void aFileThatCannotBeTakenBackIsNoObstacleToTheNextOpening() {
        try (ObjectStore store = open()) {
            failWith(DiskOperation.FORCE_DIRECTORY, DiskFault.EIO);
            disk.inject(DiskFault.in(DiskOperation.DELETE).forEver().failingWith(DiskFault.EIO));
            assertThatThrownBy(() -> fill(store)).isInstanceOf(StoreIoException.class);
        }
        assertAllIsThere(simulated.kill());
    }

    /** The same after a crash that keeps the name of the file and loses its deletion. */
    @Test
    void aFileThatACrashBringsBackIsNoObstacleToTheNextOpening() {
        try (ObjectStore store = open()) {
            failWith(DiskOperation.FORCE_DIRECTORY, DiskFault.EIO);
            assertThatThrownBy(() -> fill(store)).isInstanceOf(StoreIoException.class);
        }
        for (long seed = 0; seed < CRASHES; seed++) {
            assertAllIsThere(simulated.crash(seed));
        }
    }

    private void failWith(DiskOperation operation, String message) {
        disk.inject(DiskFault.in(operation)
                .onFiles(file -> operation == DiskOperation.FORCE_DIRECTORY
                        || file.toString().endsWith(SegmentFormat.UNFINISHED_SUFFIX))
                .forEver()
                .failingWith(message));
    }

    private void goesOn(ObjectStore store) {
        assertThat(store.failure()).isEmpty();
        assertThat(store.read(key(1))).isPresent();
        assertThatCode(() -> assertThat(store.remove(key(1), Durability.FORCED)).isTrue())
                .doesNotThrowAnyException();
        disk.clearFaults();
        store.write(key(1), new byte[2_000], Durability.FORCED);
        store.write(key(++written), new byte[2_000], Durability.FORCED);
    }

    private void assertAllIsThere(SimulatedDisk found) {
        try (ObjectStore store = JournalStores.open(configuration(), found)) {
            assertThat(store.keys("/T")).hasSize(written);
        }
    }

    private void fill(ObjectStore store) throws StoreException {
        while (written < MOST_RECORDS) {
            store.write(key(written + 1), new byte[2_000], Durability.FORCED);
            written++;
        }
    }

    private ObjectStore open() {
        return JournalStores.open(configuration(), disk);
    }

    private static StoreConfiguration.Builder configuration() {
        return JournalStores.small(DIRECTORY, "segmented", "direct")
                .set(StoreOption.JOURNAL_SEGMENT_SIZE, 64 * StoreOption.KIB)
                .set(StoreOption.JOURNAL_SEGMENTS, 8)
                .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB);
    }

    private static StateKey key(int number) {
        return StateKey.of(
                "/T",
                ObjectId.of(ByteBuffer.allocate(Integer.BYTES).putInt(number).array()));
    }
}
