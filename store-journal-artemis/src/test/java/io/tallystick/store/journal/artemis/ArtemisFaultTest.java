package io.tallystick.store.journal.artemis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.Disk;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFailedException;
import io.tallystick.store.StoreFullException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The faults F1 to F8 of docs/journal-artemis.md. The stock journal gets them wrong when the disk or a thread fails.
 * This engine does not.
 */
@Timeout(60)
class ArtemisFaultTest {
    private static final Path DIRECTORY = Path.of("/store");
    private static final int FILE_BYTES = 64 * 1024;

    private final SimulatedDisk simulated = new SimulatedDisk();
    private final FaultInjectingDisk disk = new FaultInjectingDisk(simulated);

    /** F1, F2: the stock journal returns from the append. */
    @ParameterizedTest
    @ValueSource(strings = {"channel", "direct"})
    void failedWriteIsNotAcknowledged(String io) {
        assertThatFailureIsTold(io, DiskOperation.WRITE, DiskFault.ENOSPC);
    }

    /** F3: with AIO the stock journal never looks at the result of its sync. */
    @Test
    void failedForceIsNotAcknowledged() {
        assertThatFailureIsTold("channel", DiskOperation.FORCE, DiskFault.EIO);
    }

    private void assertThatFailureIsTold(String io, DiskOperation operation, String error) {
        try (ObjectStore store = open(disk, io)) {
            store.write(key(1), state(1), Durability.FORCED);
            disk.inject(
                    DiskFault.in(operation).onFiles(ArtemisFaultTest::isJournal).failingWith(error));

            assertThatThrownBy(() -> store.write(key(2), state(2), Durability.FORCED))
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasMessageContaining(error);
            assertThat(store.failure()).isPresent();
            assertThat(store.read(key(1))).hasValue(state(1));
        } catch (StoreException closingAFailedStore) {
            assertThat(disk.struck()).isEqualTo(1);
        }
        assertThat(disk.struck()).isEqualTo(1);
        disk.clearFaults();
        try (ObjectStore store = open(disk, io)) {
            assertThat(store.read(key(1))).hasValue(state(1));
        }
    }

    /** F4, F5: the stock journal hangs after a failed submission, and acknowledges again after a failed force. */
    @ParameterizedTest
    @ValueSource(strings = {"channel", "direct"})
    void nothingIsWrittenForcedOrAcknowledgedAfterAFailure(String io) {
        try (ObjectStore store = open(disk, io)) {
            store.write(key(1), state(1), Durability.FORCED);
            DiskOperation operation = io.equals("channel") ? DiskOperation.FORCE : DiskOperation.WRITE;
            disk.inject(
                    DiskFault.in(operation).onFiles(ArtemisFaultTest::isJournal).failingWith(DiskFault.EIO));
            assertThatThrownBy(() -> store.write(key(2), state(2), Durability.FORCED))
                    .isInstanceOf(OutcomeUnknownException.class);
            disk.clearLog();

            for (int i = 3; i < 20; i++) {
                StateKey key = key(i);
                assertThatThrownBy(() -> store.write(key, state(1), Durability.FORCED))
                        .isInstanceOf(StoreFailedException.class);
                assertThatThrownBy(() -> store.remove(key(1), Durability.FORCED))
                        .isInstanceOf(StoreFailedException.class);
            }
            assertThatThrownBy(store::force).isInstanceOf(StoreException.class);
            assertThat(disk.count(DiskOperation.WRITE)).isZero();
            assertThat(disk.count(DiskOperation.FORCE)).isZero();
        } catch (StoreException closingAFailedStore) {
            assertThat(disk.struck()).isEqualTo(1);
        }
        assertThat(disk.count(DiskOperation.WRITE)).isZero();
        assertThat(disk.count(DiskOperation.FORCE)).isZero();
    }

    /** F2: a failure that no caller waits for must not be lost either. */
    @Test
    void failureWhileADeadFileIsGivenAnotherLifeFailsTheStore() {
        try (ObjectStore store = open(disk, "channel")) {
            AtomicBoolean headerFailed = new AtomicBoolean();
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 100_000; i++) {
                            if (i == 200) {
                                disk.inject(DiskFault.in(DiskOperation.WRITE)
                                        .onFiles(file -> isJournal(file) && isHousekeepingThread(headerFailed))
                                        .failingWith(DiskFault.EIO));
                            }
                            store.write(key(i), state(i), Durability.FORCED);
                            store.remove(key(i), Durability.DEFERRED);
                        }
                    })
                    .isInstanceOf(StoreException.class);
            assertThat(headerFailed).isTrue();
            assertThat(store.failure()).isPresent();
        } catch (StoreException closingAFailedStore) {
            assertThat(disk.struck()).isEqualTo(1);
        }
    }

    private static boolean isHousekeepingThread(AtomicBoolean seen) {
        boolean isHouse = Thread.currentThread() instanceof HousekeepingThread;
        seen.compareAndSet(false, isHouse);
        return isHouse;
    }

    /** F6: one interrupt ends the stock journal, whichever thread gets it. */
    @Test
    void interruptsOfEveryThreadDoNoHarm(@TempDir Path temporary) throws InterruptedException {
        try (ObjectStore store = JournalStores.open(
                small(temporary.resolve("store"), "channel"), new FaultInjectingDisk(new SystemDisk()))) {
            List<Thread> callers = new ArrayList<>();
            List<Throwable> failures = new ArrayList<>();
            CountDownLatch done = new CountDownLatch(4);
            for (int t = 0; t < 4; t++) {
                int number = t;
                Thread caller = new Thread(() -> {
                    try {
                        for (int i = 0; i < 300; i++) {
                            store.write(key(number * 1000 + i), state(i), Durability.FORCED);
                            if (i % 3 == 0) {
                                store.remove(key(number * 1000 + i), Durability.DEFERRED);
                            }
                        }
                    } catch (RuntimeException failed) {
                        synchronized (failures) {
                            failures.add(failed);
                        }
                    } finally {
                        done.countDown();
                    }
                });
                callers.add(caller);
                caller.start();
            }
            long interrupts = 0;
            while (done.getCount() > 0) {
                for (Thread thread : Thread.getAllStackTraces().keySet()) {
                    if (callers.contains(thread) || thread.getName().startsWith("tallystick-")) {
                        thread.interrupt();
                        interrupts++;
                    }
                }
            }
            for (Thread caller : callers) {
                caller.join();
            }
            assertThat(failures).isEmpty();
            assertThat(interrupts).isGreaterThan(20);
            assertThat(store.failure()).isEmpty();
            assertThat(store.keys("/T")).hasSize(800);
        }
    }

    /** F7: the stock journal takes a record that is half new and half left over. */
    @Test
    void batchThatIsHalfNewAndHalfLeftOverIsNotTaken() throws IOException {
        // Records of one size in files that are used again, so that left-overs lie at the offsets of what is torn.
        SimulatedDisk dead = new SimulatedDisk();
        FaultInjectingDisk faulty = new FaultInjectingDisk(dead);
        try (ObjectStore store = open(faulty, "direct")) {
            for (int i = 0; i < 200; i++) {
                store.write(key(7), state(i), Durability.FORCED);
            }
            faulty.inject(DiskFault.in(DiskOperation.WRITE)
                    .onFiles(ArtemisFaultTest::isJournal)
                    .forEver()
                    .taking(512));
            faulty.inject(DiskFault.in(DiskOperation.WRITE)
                    .onFiles(ArtemisFaultTest::isJournal)
                    .at(2)
                    .failingWith(DiskFault.EIO));
            assertThatThrownBy(() -> store.write(key(7), state(500), Durability.FORCED))
                    .isInstanceOf(OutcomeUnknownException.class);
        } catch (StoreException closingAFailedStore) {
            assertThat(faulty.struck()).isPositive();
        }
        try (ObjectStore store = open(dead.crash(1), "direct")) {
            assertThat(store.read(key(7))).hasValue(state(199));
        }
    }

    /** F8: the stock journal does not go on after a short write. */
    @ParameterizedTest
    @ValueSource(ints = {1, 512})
    void shortWritesAreContinued(int taken) {
        try (ObjectStore store = open(disk, "channel")) {
            disk.inject(DiskFault.in(DiskOperation.WRITE)
                    .onFiles(ArtemisFaultTest::isJournal)
                    .forEver()
                    .taking(taken));
            for (int i = 0; i < 10; i++) {
                store.write(key(i), state(i), Durability.FORCED);
            }
        }
        assertThat(disk.struck()).isGreaterThan(10);
        try (ObjectStore store = open(simulated.crash(0), "channel")) {
            for (int i = 0; i < 10; i++) {
                assertThat(store.read(key(i))).hasValue(state(i));
            }
        }
    }

    @Test
    void fullDiskStopsWritesNotRemovalsAndNotForEver() {
        try (ObjectStore store = open(disk, "channel")) {
            store.force();
            simulated.setCapacity(5L * FILE_BYTES);
            int written = writeUntilFull(store);
            assertThat(store.failure()).isEmpty();
            for (int i = 0; i < written; i++) {
                assertThat(store.read(key(i))).hasValue(state(i));
                assertThat(store.remove(key(i), i % 2 == 0 ? Durability.FORCED : Durability.DEFERRED))
                        .isTrue();
            }
            store.force();
            // The removals have made room.
            assertThat(writeUntilFull(store)).isGreaterThan(0);
            simulated.setCapacity(1L << 30);
            for (int i = 0; i < 500; i++) {
                store.write(key(i), state(i), Durability.FORCED);
            }
        }
        try (ObjectStore store = open(disk, "channel")) {
            assertThat(store.keys("/T")).hasSizeGreaterThanOrEqualTo(500);
        }
    }

    /** One record that stays must not hold up the files behind its own. */
    @Test
    void roomOnAFullDiskIsMadeAroundARecordThatStays() {
        try (ObjectStore store = open(disk, "channel")) {
            store.force();
            simulated.setCapacity(7L * FILE_BYTES + FILE_BYTES / 2);
            store.write(key(5000), state(5000), Durability.FORCED);
            for (int round = 0; round < 20; round++) {
                int written = 0;
                for (int i = 0; written == 0; i++) {
                    assertThat(i).as("round=%d attempts", round).isLessThan(100_000);
                    written = writeUntilFull(store);
                }
                for (int i = 0; i < written; i++) {
                    store.remove(key(i), Durability.DEFERRED);
                }
                store.force();
            }
            assertThat(store.read(key(5000))).hasValue(state(5000));
        }
        try (ObjectStore store = open(disk, "channel")) {
            assertThat(store.read(key(5000))).hasValue(state(5000));
        }
    }

    @Test
    void storeOpensOnAFullDisk() {
        int written;
        try (ObjectStore store = open(disk, "channel")) {
            store.force();
            simulated.setCapacity(5L * FILE_BYTES);
            written = writeUntilFull(store);
        }
        for (int round = 0; round < 10; round++) {
            try (ObjectStore store = open(disk, "channel")) {
                for (int i = 0; i < written; i++) {
                    assertThat(store.read(key(i))).hasValue(state(i));
                }
                assertThat(store.remove(key(1000 + round), Durability.FORCED)).isFalse();
            }
        }
        try (ObjectStore store = open(disk, "channel")) {
            for (int i = 0; i < written; i++) {
                assertThat(store.remove(key(i), Durability.FORCED)).isTrue();
            }
        }
    }

    private int writeUntilFull(ObjectStore store) {
        int written = 0;
        try {
            while (written < 10_000) {
                store.write(key(written), state(written), Durability.FORCED);
                written++;
            }
        } catch (StoreFullException full) {
            assertThat(full).hasMessageContaining("nothing was written");
            assertThat(store.read(key(written))).isEmpty();
        }
        return written;
    }

    @Test
    void stalledDiskHoldsUpCallersAndDoesNotFailThem() throws InterruptedException {
        DiskFault.Stall stall = new DiskFault.Stall();
        try (ObjectStore store = open(disk, "channel")) {
            disk.inject(DiskFault.in(DiskOperation.FORCE)
                    .onFiles(ArtemisFaultTest::isJournal)
                    .stallingAt(stall));
            Thread caller = new Thread(() -> store.write(key(1), state(1), Durability.FORCED));
            caller.start();
            stall.awaitReached();
            caller.join(Duration.ofMillis(50).toMillis());
            assertThat(caller.isAlive()).isTrue();
            assertThat(store.read(key(1))).isEmpty();
            stall.release();
            caller.join();
            assertThat(store.read(key(1))).hasValue(state(1));
        }
    }

    private static boolean isJournal(Path file) {
        return file.toString().endsWith(".jnl");
    }

    private static ObjectStore open(Disk on, String io) {
        return JournalStores.open(small(DIRECTORY, io), on);
    }

    private static StoreConfiguration.Builder small(Path directory, String io) {
        return JournalStores.small(directory, "artemis", io)
                .set(StoreOption.JOURNAL_SEGMENTS, 5) // so that no more are made
                .set(StoreOption.JOURNAL_SEGMENT_SIZE, (long) FILE_BYTES)
                .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB);
    }

    private static StateKey key(int number) {
        return StateKey.of(
                "/T", ObjectId.of(ByteBuffer.allocate(4).putInt(number).array()));
    }

    private static byte[] state(int number) {
        byte[] state = new byte[1200];
        Arrays.fill(state, (byte) number);
        return state;
    }
}
