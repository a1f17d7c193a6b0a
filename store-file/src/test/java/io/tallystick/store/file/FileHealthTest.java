package io.tallystick.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.SystemDisk;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreHealth;
import io.tallystick.testkit.DiskFault;
import io.tallystick.testkit.DiskOperation;
import io.tallystick.testkit.FaultInjectingDisk;
import io.tallystick.testkit.ManualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a health check learns of a store on disk. */
class FileHealthTest {
    private static final StateKey KEY = StateKey.of("/T", ObjectId.of(new byte[] {1}));

    @TempDir
    Path directory;

    private final FaultInjectingDisk disk = new FaultInjectingDisk(new SystemDisk());
    private final ManualClock clock = new ManualClock();

    @Test
    void agesAreThoseOfTheLastForceAndTheOldestRecord() {
        try (ObjectStore store = open()) {
            assertThat(store.health().oldestRecordAge()).isEmpty();
            store.write(KEY, new byte[10], Durability.FORCED);
            assertThat(store.health().lastForceAge()).contains(Duration.ZERO);
            clock.advance(Duration.ofSeconds(90));

            StoreHealth health = store.health();

            assertThat(health.lastForceAge()).contains(Duration.ofSeconds(90));
            assertThat(health.oldestRecordAge()).contains(Duration.ofSeconds(90));
            assertThat(health.usableBytes().orElse(0)).isPositive();
            assertThat(health.nodeId()).contains("orders-0");
            assertThat(health.storeId()).isPresent();
            assertThat(health.isServing()).isTrue();
        }
    }

    @Test
    void aStoreThatHasFailedSaysSo() {
        ObjectStore store = open();
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
    void aStoreWhoseLockFileWasDeletedDoesNotServe() throws IOException {
        try (ObjectStore store = open()) {
            Files.delete(directory.resolve("tallystick.lock"));

            assertThat(store.health().lockHeld()).isFalse();
            assertThat(store.health().isServing()).isFalse();
        }
    }

    private ObjectStore open() {
        StoreConfiguration configuration = StoreConfiguration.builder()
                .directory(directory)
                .set("tallystick.node-id", "orders-0")
                .build();
        return FileStore.open(FileStoreOptions.from(configuration), disk, clock);
    }
}
