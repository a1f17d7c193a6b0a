package io.tallystick.store.journal.engines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskDevice;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.testkit.disk.OpenFileWatch;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A journal must be recovered where its disk is full, because its transactions have to be finished for there to be
 * room; and where a process died while it opened the directory.
 */
class HardOpeningTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final long CAPACITY = 1L << 24;
    private static final StateKey KEY = StateKey.of("/T", ObjectId.of(new byte[] {1}));

    private final SimulatedDisk disk = new SimulatedDisk();

    @ParameterizedTest
    @CsvSource({
        "segmented, channel",
        "segmented, direct",
        "segmented, auto",
        "artemis, channel",
        "artemis, direct",
        "artemis, auto"
    })
    void aJournalOpensOnAFullDiskAndRemoves(String engine, String io) throws IOException {
        try (ObjectStore store = open(engine, io)) {
            store.write(KEY, new byte[100], Durability.FORCED);
        }
        fillTheDisk();
        try (ObjectStore store = open(engine, io)) {
            assertThat(store.read(KEY)).isPresent();
            assertThatCode(() -> store.remove(KEY, Durability.FORCED)).doesNotThrowAnyException();
        }
        try (ObjectStore store = open(engine, io)) {
            assertThat(store.read(KEY)).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"segmented, channel", "artemis, channel", "artemis, direct"})
    void aProbeThatADeadOpenerLeftIsNoObstacle(String engine, String io) throws IOException {
        try (ObjectStore store = open(engine, io)) {
            store.write(KEY, new byte[100], Durability.FORCED);
        }
        Path left = DIRECTORY.resolve(DiskDevice.PROBE_PREFIX + "52138f73");
        disk.open(left, OpenMode.CREATE_NEW).close();
        try (ObjectStore store = open(engine, io)) {
            assertThat(store.read(KEY)).isPresent();
        }
        assertThat(disk.kindOf(left)).isEqualTo(Disk.PathKind.MISSING);
    }

    @ParameterizedTest
    @CsvSource({"segmented, channel", "segmented, direct", "artemis, channel", "artemis, direct"})
    void anOpeningForWhichThereIsNoRoomLeavesNoFileOpen(String engine, String io) throws IOException {
        OpenFileWatch counting = new OpenFileWatch(disk);
        disk.setCapacity(100_000);
        assertThatThrownBy(() -> JournalStores.open(configuration(engine, io), counting.disk()))
                .isInstanceOf(StoreException.class);
        assertThat(counting.open()).isEmpty();
    }

    private ObjectStore open(String engine, String io) {
        return JournalStores.open(configuration(engine, io), disk);
    }

    private static StoreConfiguration.Builder configuration(String engine, String io) {
        return JournalStores.small(DIRECTORY, engine, io)
                .set(StoreOption.JOURNAL_SEGMENT_SIZE, 64 * StoreOption.KIB)
                .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB);
    }

    private void fillTheDisk() throws IOException {
        disk.setCapacity(CAPACITY);
        Path ballast = DIRECTORY.resolveSibling("ballast");
        try (var file = disk.open(ballast, OpenMode.CREATE_NEW)) {
            file.writeFully(ByteBuffer.allocate((int) disk.usableSpace(DIRECTORY)), 0);
        }
        assertThat(disk.usableSpace(DIRECTORY)).isZero();
    }
}
