package io.tallystick.store.journal.artemis;

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

/**
 * The housekeeper stands still in the middle of a task, and another process takes the directory meanwhile. Awake, it
 * must give no file a name and no file another life: its successor has files of these numbers.
 */
@Timeout(120)
class LostPlaceHousekeepingTest {
    private static final long FILE_BYTES = 64 * StoreOption.KIB;
    private static final StateKey KEY = StateKey.of("/T", ObjectId.of(new byte[] {1}));

    private final FaultInjectingDisk disk = new FaultInjectingDisk(new SystemDisk());
    private final DiskFault.Stall standing = new DiskFault.Stall();

    @TempDir
    Path directory;

    @Test
    void aFileThatIsBeingMadeGetsNoNameOnceThePlaceIsLost() throws Exception {
        ObjectStore store = JournalStores.open(
                JournalStores.small(directory, "artemis", "channel")
                        .set(StoreOption.MAX_STATE_SIZE, 4 * StoreOption.KIB)
                        .set(StoreOption.JOURNAL_SEGMENT_SIZE, FILE_BYTES),
                disk);
        disk.inject(DiskFault.in(DiskOperation.FORCE)
                .onFiles(file -> !file.toString().endsWith("." + ArtemisFormat.EXTENSION)
                        && Thread.currentThread() instanceof HousekeepingThread)
                .stallingAt(standing));
        Thread writer = new Thread(() -> writeUntilRefused(store));
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

    private static void writeUntilRefused(ObjectStore store) {
        try {
            while (true) {
                store.write(KEY, new byte[4096], Durability.FORCED);
            }
        } catch (StoreException refused) {
            // it has failed
        }
    }
}
