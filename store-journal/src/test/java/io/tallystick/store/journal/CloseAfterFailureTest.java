package io.tallystick.store.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import io.tallystick.store.journal.passages.PassageLoader;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A store that has failed closes its files when no caller writes to them any more. */
class CloseAfterFailureTest {
    private static final String WRITING = "writing-caller";

    private final DiskFault.Stall stall = new DiskFault.Stall();
    private final FaultInjectingDisk disk = new FaultInjectingDisk(new SimulatedDisk());
    private volatile boolean fails;
    private volatile boolean isClosed;

    @Test
    void closingWaitsForTheWriteOfACallerAlthoughTheStoreHasFailedMeanwhile() throws Exception {
        Runnable uncounted = () -> {
            if (fails) {
                throw new OutOfMemoryError("simulated");
            }
        };
        try (PassageLoader journal = new PassageLoader(Map.of(
                "LogStore.count calls isTombstone",
                uncounted,
                "LogStore.closeFiles calls close",
                () -> isClosed = true))) {
            ObjectStore store = journal.open(JournalStores.small(Path.of("/simulated"), "segmented", "channel"), disk);
            disk.inject(DiskFault.in(DiskOperation.WRITE).stallingAt(stall));
            Thread writing = new Thread(() -> write(store), WRITING);
            writing.start();
            stall.awaitReached();
            fails = true;
            write(store);
            assertThat(store.failure()).isPresent();
            Thread closing = new Thread(() -> close(store));
            closing.start();
            while (closing.getState() != Thread.State.TIMED_WAITING && closing.isAlive()) {
                Thread.onSpinWait();
            }
            assertThat(isClosed).as("the files are closed under the write").isFalse();
            stall.release();
            writing.join(TimeUnit.SECONDS.toMillis(60));
            closing.join(TimeUnit.SECONDS.toMillis(60));
            assertThat(isClosed).isTrue();
        }
    }

    private static void write(ObjectStore store) {
        try {
            store.write(StateKey.of("/T", ObjectId.of(new byte[] {1})), new byte[10], Durability.FORCED);
        } catch (StoreException | OutOfMemoryError told) {
            assertThat(told).isNotNull();
        }
    }

    private static void close(ObjectStore store) {
        try {
            store.close();
        } catch (StoreException told) {
            assertThat(told).isNotNull();
        }
    }
}
