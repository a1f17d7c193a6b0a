package io.tallystick.store.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What a forced operation writes is not seen before it is on disk, whatever is built on it meanwhile. */
class DirtyReadTest {
    private static final StateKey KEY = StateKey.of("/T", ObjectId.of(new byte[] {1}));
    private static final byte[] OLD = {1};
    private static final byte[] NEW = {2};
    private static final byte[] OWN = {9};

    private final DiskFault.Stall stall = new DiskFault.Stall();
    private final FaultInjectingDisk disk = new FaultInjectingDisk(new SimulatedDisk());

    @Test
    void aForcedStateIsNotSeenThroughADeferredOperationOnTopOfIt() throws InterruptedException {
        try (ObjectStore store =
                JournalStores.open(JournalStores.small(Path.of("/simulated"), "segmented", "channel"), disk)) {
            store.write(KEY, OLD, Durability.FORCED);
            disk.inject(DiskFault.in(DiskOperation.WRITE).stallingAt(stall));
            Thread forcing = new Thread(() -> store.writeShadow(KEY, NEW, Durability.FORCED));
            forcing.start();
            stall.awaitReached();
            AtomicReference<Object> seenAfterwards = new AtomicReference<>();
            Thread deferring = new Thread(() -> {
                assertThat(store.commitShadow(KEY, Durability.DEFERRED)).isTrue();
                seenAfterwards.set(store.read(KEY).orElseThrow());
            });
            deferring.start();
            try {
                awaitWaiting(deferring);
                assertThat(store.read(KEY)).as("the forced state is in flight").hasValue(OLD);
                assertThat(seenAfterwards).as("who commits it does not go on").hasNullValue();
            } finally {
                stall.release();
            }
            forcing.join();
            deferring.join();
            assertThat(seenAfterwards)
                    .as("what the caller sees that committed it")
                    .hasValue(NEW);
        }
    }

    /** It waits for the forced write. Before that its caller was told of a commit that this process did not see. */
    private static void awaitWaiting(Thread deferring) {
        while (deferring.getState() != Thread.State.TIMED_WAITING && deferring.getState() != Thread.State.WAITING) {
            assertThat(deferring.isAlive()).as("it waits").isTrue();
            Thread.onSpinWait();
        }
    }

    @Test
    void aDeferredOperationThatHoldsNothingOfAForcedOneInFlightIsSeenAtOnce() throws InterruptedException {
        try (ObjectStore store =
                JournalStores.open(JournalStores.small(Path.of("/simulated"), "segmented", "channel"), disk)) {
            store.write(KEY, OLD, Durability.FORCED);
            disk.inject(DiskFault.in(DiskOperation.WRITE).stallingAt(stall));
            Thread forcing = new Thread(() -> store.write(KEY, NEW, Durability.FORCED));
            forcing.start();
            stall.awaitReached();
            try {
                store.write(KEY, OWN, Durability.DEFERRED);
                assertThat(store.read(KEY)).as("written by this caller").hasValue(OWN);
                assertThat(store.remove(KEY, Durability.DEFERRED)).isTrue();
                assertThat(store.statusOf(KEY)).as("removed by this caller").isEqualTo(StateStatus.ABSENT);
                assertThat(store.keys("/T")).isEmpty();
            } finally {
                stall.release();
            }
            forcing.join();
            assertThat(store.read(KEY)).isEmpty();
        }
    }
}
