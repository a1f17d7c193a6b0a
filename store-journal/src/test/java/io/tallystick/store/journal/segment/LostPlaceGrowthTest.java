package io.tallystick.store.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.StoreDirectory;
import io.tallystick.storage.SystemDisk;
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
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The housekeeper stands still while it makes a file, and another process takes the directory meanwhile. */
@Timeout(120)
class LostPlaceGrowthTest {
    private static final long SEGMENT_BYTES = 64 * StoreOption.KIB;

    private final FaultInjectingDisk disk = new FaultInjectingDisk(new SystemDisk());
    private final DiskFault.Stall standing = new DiskFault.Stall();

    @TempDir
    Path directory;

    @Test
    void aSegmentThatIsBeingMadeGetsNoNameOnceThePlaceIsLost() throws Exception {
        ObjectStore store = JournalStores.open(
                JournalStores.small(directory, "segmented", "channel")
                        .set(StoreOption.MAX_STATE_SIZE, 4 * StoreOption.KIB)
                        .set(StoreOption.JOURNAL_SEGMENT_SIZE, SEGMENT_BYTES),
                disk);
        disk.inject(DiskFault.in(DiskOperation.FORCE)
                .onFiles(file -> file.toString().endsWith(SegmentFormat.UNFINISHED_SUFFIX))
                .stallingAt(standing));
        Thread writer = new Thread(() -> fill(store));
        writer.start();
        standing.awaitReached();
        Files.delete(directory.resolve(StoreDirectory.LOCK_FILE));
        while (store.failure().isEmpty()) {
            Thread.onSpinWait(); // the watch looks once a second
        }
        disk.clearLog();

        standing.release();
        writer.join();

        assertThatThrownBy(store::close).isInstanceOf(StoreException.class);
        for (DiskOperation change : new DiskOperation[] {DiskOperation.RENAME, DiskOperation.DELETE}) {
            assertThat(disk.count(change, file -> true)).as("%s", change).isZero();
        }
    }

    /** Everything lives, so the journal needs more files. */
    private static void fill(ObjectStore store) {
        try {
            for (int i = 0; ; i++) {
                store.write(
                        StateKey.of("/T", ObjectId.of(new byte[] {(byte) (i >> 8), (byte) i})),
                        new byte[4096],
                        Durability.FORCED);
            }
        } catch (StoreException refused) {
            // it has failed
        }
    }
}
