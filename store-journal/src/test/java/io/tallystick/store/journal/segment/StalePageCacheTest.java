package io.tallystick.store.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The page cache shows old bytes after a direct write, the process is killed, and recovery reads through it. */
class StalePageCacheTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final int FOR_EVER = Integer.MAX_VALUE;

    private final SimulatedDisk disk = new SimulatedDisk();

    @Test
    void anAcknowledgedBatchThatThePageCacheMissedIsNotTakenForATornTail() throws IOException {
        ObjectStore killed = open(disk);
        killed.write(key(1), new byte[100], Durability.FORCED);
        disk.delayPageCache(FOR_EVER);
        killed.write(key(2), new byte[100], Durability.FORCED);

        assertIsRefusedUntilTheCacheAgrees(key(1), key(2));
    }

    @Test
    void theFirstBatchOfASegmentThatThePageCacheMissedIsNotTakenForNone() throws IOException {
        ObjectStore killed = open(disk);
        List<StateKey> written = new ArrayList<>();
        // One block is the header, and each write takes one block.
        for (int i = 0; i < 64 * StoreOption.KIB / SimulatedDisk.DIRECT_ALIGNMENT - 1; i++) {
            killed.write(key(i), new byte[100], Durability.FORCED);
            written.add(key(i));
        }
        disk.delayPageCache(FOR_EVER);
        killed.write(key(100), new byte[100], Durability.FORCED);
        written.add(key(100));

        assertIsRefusedUntilTheCacheAgrees(written.toArray(new StateKey[0]));
    }

    @Test
    void aSegmentWhoseNewHeaderThePageCacheMissedIsNotTakenForAnOldLifeWithoutBatches() throws IOException {
        ObjectStore killed = open(disk);
        killed.write(key(1), new byte[100], Durability.FORCED);
        SimulatedDisk next = disk.kill();
        Path segment = DIRECTORY.resolve(SegmentFormat.fileName(1));
        byte[] storeId = JournalFiles.storeId(next, DIRECTORY);
        ByteBuffer now = block();
        try (DiskFile file = next.open(segment, OpenMode.DIRECT_SYNC)) {
            file.readFully(now, 0);
            SegmentHeader header = SegmentHeader.decode(now.flip(), storeId, segment, file.size());
            ByteBuffer old = block();
            new SegmentHeader(
                            header.segmentId(),
                            header.salt() + 1,
                            header.segmentBytes(),
                            header.blockBytes(),
                            header.previousId(),
                            header.oldestId(),
                            header.firstSequence(),
                            header.durableBefore(),
                            header.freedThrough())
                    .encodeTo(old, storeId);
            file.write(old.clear(), 0);
            next.delayPageCache(FOR_EVER);
            file.write(now.rewind(), 0);
        }

        assertIsRefusedUntilTheCacheAgrees(next, key(1));
    }

    private void assertIsRefusedUntilTheCacheAgrees(StateKey... acknowledged) throws IOException {
        assertIsRefusedUntilTheCacheAgrees(disk, acknowledged);
    }

    private static void assertIsRefusedUntilTheCacheAgrees(SimulatedDisk killed, StateKey... acknowledged)
            throws IOException {
        SimulatedDisk afterRestart = killed.crash(0);
        SimulatedDisk next = killed.kill();
        byte[] before = next.contents(DIRECTORY.resolve(SegmentFormat.fileName(1)));

        assertThatThrownBy(() -> open(next).close())
                .isInstanceOf(StoreIoException.class)
                .hasMessageContainingAll("segment-00000", "position=", "page cache");

        assertThat(next.contents(DIRECTORY.resolve(SegmentFormat.fileName(1)))).isEqualTo(before);
        try (ObjectStore store = open(afterRestart)) {
            assertThat(acknowledged).allMatch(key -> store.read(key).isPresent());
        }
    }

    private static ByteBuffer block() {
        return ByteBuffer.allocateDirect(2 * SimulatedDisk.DIRECT_ALIGNMENT)
                .alignedSlice(SimulatedDisk.DIRECT_ALIGNMENT)
                .slice(0, SimulatedDisk.DIRECT_ALIGNMENT);
    }

    private static ObjectStore open(Disk disk) {
        return JournalStores.open(
                JournalStores.small(DIRECTORY, "segmented", "direct")
                        .set(StoreOption.JOURNAL_SEGMENT_SIZE, 64 * StoreOption.KIB)
                        .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB),
                disk);
    }

    private static StateKey key(int number) {
        return StateKey.of("/T", ObjectId.of(new byte[] {(byte) number}));
    }
}
