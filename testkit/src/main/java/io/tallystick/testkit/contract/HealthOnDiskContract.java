package io.tallystick.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.Disk;
import io.tallystick.storage.NanoClock;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreHealth;
import io.tallystick.testkit.ManualClock;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The answers to a health check of a store on a disk. Tests of such stores extend this class. */
public abstract class HealthOnDiskContract {
    /** The node that the store is to belong to. */
    protected static final String NODE = "orders-0";

    private static final StateKey KEY = StateKey.of("/T", ObjectId.of(new byte[] {1}));

    @TempDir
    private Path directory;

    private final FaultInjectingDisk disk = new FaultInjectingDisk(new SystemDisk());
    private final ManualClock clock = new ManualClock();

    /** For subclasses. */
    protected HealthOnDiskContract() {}

    /** Opens the store in the directory for the node {@link #NODE}. */
    protected abstract ObjectStore open(Path in, Disk on, NanoClock by);

    @Test
    protected void agesAreThoseOfTheLastForceAndTheOldestRecord() {
        try (ObjectStore store = open()) {
            assertThat(store.health().oldestRecordAge()).isEmpty();
            store.write(KEY, new byte[10], Durability.FORCED);
            assertThat(store.health().lastForceAge()).contains(Duration.ZERO);
            clock.advance(Duration.ofSeconds(90));

            StoreHealth health = store.health();

            assertThat(health.lastForceAge()).contains(Duration.ofSeconds(90));
            assertThat(health.oldestRecordAge()).contains(Duration.ofSeconds(90));
            assertThat(health.usableBytes().orElse(0)).isPositive();
            assertThat(health.nodeId()).contains(NODE);
            assertThat(health.storeId()).isPresent();
            assertThat(health.isServing()).isTrue();
        }
    }

    @Test
    protected void notesThatATransactionManagerKeepsForItselfAgeNothing() {
        try (ObjectStore store = open()) {
            store.write(StateKey.of("/Recovery/TransactionStatusManager", KEY.id()), new byte[10], Durability.FORCED);
            store.write(StateKey.of("/EISNAME", KEY.id()), new byte[10], Durability.FORCED);
            clock.advance(Duration.ofSeconds(90));

            assertThat(store.health().oldestRecordAge()).isEmpty();
        }
    }

    @Test
    protected void aStoreWhoseTransactionManagerIsDrainedWorksButDoesNotServe() {
        ObjectStore store = open();
        store.setDraining(true);

        assertThat(store.health().state()).isEqualTo(StoreHealth.State.DRAINING);
        assertThat(store.health().isServing()).isFalse();
        store.write(KEY, new byte[10], Durability.FORCED);
        assertThat(store.read(KEY)).isPresent();
        store.setDraining(false);
        assertThat(store.health().state()).isEqualTo(StoreHealth.State.OPEN);
        assertThat(store.health().isServing()).isTrue();
        store.close();
        store.setDraining(true);
        assertThat(store.health().state()).isEqualTo(StoreHealth.State.CLOSED);
    }

    @Test
    protected void aStoreThatHasFailedSaysSo() {
        ObjectStore store = open();
        store.write(KEY, new byte[10], Durability.FORCED); // the store creates its files
        disk.inject(DiskFault.in(DiskOperation.FORCE).forEver().failingWith(DiskFault.EIO));
        assertThatThrownBy(() -> store.write(KEY, new byte[10], Durability.FORCED))
                .isInstanceOf(OutcomeUnknownException.class);

        StoreHealth health = store.health();

        assertThat(health.state()).isEqualTo(StoreHealth.State.FAILED);
        assertThat(health.failure()).isPresent();
        assertThat(health.isServing()).isFalse();
        assertThat(health).asString().startsWith("FAILED failure=").contains("Input/output error");
        disk.clearFaults();
        try {
            store.close();
        } catch (StoreException notForced) {
            assertThat(notForced).hasMessageContaining("Input/output error");
        }
    }

    @Test
    protected void aStoreWhoseLockFileWasDeletedDoesNotServe() throws IOException {
        ObjectStore store = open();
        Files.delete(directory.resolve("tallystick.lock"));

        assertThat(store.health().lockHeld()).isFalse();
        assertThat(store.health().isServing()).isFalse();
        try {
            store.close();
        } catch (StoreException lost) {
            assertThat(lost).hasMessageContaining("tallystick.lock is gone");
        }
    }

    private ObjectStore open() {
        return open(directory, disk, clock);
    }
}
