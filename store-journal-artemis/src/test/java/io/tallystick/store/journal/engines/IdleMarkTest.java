package io.tallystick.store.journal.engines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.Disk;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A journal that is idle for a moment writes a mark, by which damage to its last record is told from a torn tail. */
@Timeout(20)
class IdleMarkTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final StateKey KEY = StateKey.of("/T", ObjectId.of(new byte[] {1}));
    private static final byte[] STATE = "the last decision of this process".getBytes(StandardCharsets.US_ASCII);

    private final SimulatedDisk simulated = new SimulatedDisk();
    private final FaultInjectingDisk disk = new FaultInjectingDisk(simulated);

    @ParameterizedTest
    @CsvSource({"segmented, direct", "segmented, channel", "artemis, direct", "artemis, channel"})
    void damageToTheLastRecordOfAnIdleProcessThatIsKilledIsDamage(String engine, String io) throws IOException {
        ObjectStore idle = open(engine, io, disk);
        idle.write(KEY, STATE, Durability.FORCED);
        awaitForces(idle, 2);
        SimulatedDisk killed = simulated.kill();

        damage(killed);

        assertThatThrownBy(() -> open(engine, io, killed))
                .isInstanceOf(CorruptStoreException.class)
                .hasMessageContaining("file=" + DIRECTORY);
    }

    @ParameterizedTest
    @CsvSource({"segmented, direct", "segmented, channel", "artemis, direct", "artemis, channel"})
    void aMarkIsWrittenOnceAndACloseWritesNoOther(String engine, String io) {
        try (ObjectStore idle = open(engine, io, disk)) {
            idle.write(KEY, STATE, Durability.FORCED);
            awaitForces(idle, 2);
            disk.clearLog();
        }
        assertThat(disk.log())
                .filteredOn(event -> event.operation() == DiskOperation.WRITE && event.position() > 0)
                .isEmpty();
        try (ObjectStore store = open(engine, io, disk)) {
            assertThat(store.read(KEY)).contains(STATE);
        }
    }

    private static void damage(SimulatedDisk killed) throws IOException {
        boolean isDamaged = false;
        for (Path file : killed.list(DIRECTORY)) {
            byte[] bytes = killed.contents(file);
            int at = new String(bytes, StandardCharsets.ISO_8859_1)
                    .indexOf(new String(STATE, StandardCharsets.US_ASCII));
            if (at >= 0) {
                bytes[at + STATE.length / 2] ^= 1;
                killed.replaceContents(file, bytes);
                isDamaged = true;
            }
        }
        assertThat(isDamaged).isTrue();
    }

    private static void awaitForces(ObjectStore store, long wanted) {
        while (store.statistics().forces() < wanted) {
            assertThat(Thread.currentThread().isInterrupted()).as("too late").isFalse();
            LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
        }
    }

    private static ObjectStore open(String engine, String io, Disk on) {
        return JournalStores.open(
                JournalStores.small(DIRECTORY, engine, io)
                        .set(StoreOption.JOURNAL_SEGMENT_SIZE, StoreOption.MIB)
                        .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB),
                on);
    }
}
