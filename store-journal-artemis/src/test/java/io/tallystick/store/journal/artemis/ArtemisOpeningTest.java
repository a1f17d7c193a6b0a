package io.tallystick.store.journal.artemis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.Disk;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreClosedException;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreFailedException;
import io.tallystick.store.StoreFullException;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.testkit.disk.DiskEvent;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How the store begins and ends: with options that do not go together, on a full disk, under its callers' hands. */
@Timeout(60)
class ArtemisOpeningTest {
    private static final Path DIRECTORY = Path.of("/store");
    private static final int FILE_BYTES = 64 * 1024;
    private static final int KEYS = 3;
    private static final int KEYS_OF_MORE_FILES = 40;
    private static final int MOST_WRITES = 60;
    private static final int CRASHES = 30;

    private final SimulatedDisk simulated = new SimulatedDisk();

    @ParameterizedTest
    @ValueSource(ints = {4096, 16_384})
    void directWritesAreMultiplesOfTheBlockSize(int blockBytes) {
        FaultInjectingDisk disk = new FaultInjectingDisk(simulated);
        StoreConfiguration.Builder configuration =
                small("direct").set(StoreOption.JOURNAL_BLOCK_SIZE, (long) blockBytes);
        for (int life = 0; life < 2; life++) {
            try (ObjectStore store = JournalStores.open(configuration, disk)) {
                disk.clearLog();
                for (int i = 0; i < 20; i++) {
                    store.write(key(i), new byte[700], Durability.FORCED);
                }
                List<DiskEvent> writes = disk.log().stream()
                        .filter(event -> event.operation() == DiskOperation.WRITE && event.length() < FILE_BYTES)
                        .filter(event -> event.position() > 0)
                        .toList();
                assertThat(writes)
                        .hasSizeGreaterThanOrEqualTo(20)
                        .allMatch(event -> event.position() % blockBytes == 0 && event.length() % blockBytes == 0);
            }
        }
        try (ObjectStore store = JournalStores.open(configuration, disk)) {
            assertThat(store.keys("/T")).hasSize(20);
        }
    }

    /** A file of 64 KiB whose blocks have 64 KiB has room for its header only. */
    @Test
    void filesWithoutRoomForTwoLargestValuesAreAConfigurationError() {
        StoreConfiguration.Builder tooNarrow = small("direct")
                .set(StoreOption.JOURNAL_BLOCK_SIZE, 32 * StoreOption.KIB)
                .set(StoreOption.MAX_STATE_SIZE, 16 * StoreOption.KIB);
        assertThatThrownBy(() -> JournalStores.open(tooNarrow, simulated))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tallystick.max-state-size=16384")
                .hasMessageContaining("tallystick.journal.segment-size=65536")
                .hasMessageContaining("tallystick.journal.block-size");
    }

    @Test
    void twoLargestValuesFitIntoAFile() {
        StoreConfiguration.Builder narrow = small("direct").set(StoreOption.MAX_STATE_SIZE, 16 * StoreOption.KIB);
        StateKey key =
                StateKey.of("/" + "t".repeat(StateKey.MAX_TYPE_BYTES - 1), ObjectId.of(new byte[ObjectId.MAX_BYTES]));
        byte[] largest = new byte[16 * 1024];
        for (int life = 0; life < 3; life++) {
            try (ObjectStore store = JournalStores.open(narrow, simulated)) {
                for (int i = 0; i < 8; i++) {
                    store.write(key, largest, Durability.FORCED);
                    store.writeShadow(key, largest, Durability.FORCED);
                    assertThat(store.readShadow(key)).hasValue(largest);
                }
            }
        }
    }

    @Test
    void filesThatEndWithinABlockAreAConfigurationError() {
        JournalStores.open(
                        small("channel")
                                .set(StoreOption.JOURNAL_SEGMENT_SIZE, FILE_BYTES + 512L)
                                .set(StoreOption.JOURNAL_BLOCK_SIZE, 512L),
                        simulated)
                .close();
        assertThatThrownBy(() -> JournalStores.open(small("direct"), simulated))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("66048")
                .hasMessageContaining("not a multiple of the 4096 bytes");
    }

    /** A store that cannot be made because there is no room leaves nothing half made. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void noUnfinishedFileStaysWhenOpeningFails(int filesThatFit) throws IOException {
        simulated.setCapacity(filesThatFit * (long) FILE_BYTES + FILE_BYTES / 2);
        assertThatThrownBy(() -> JournalStores.open(small("channel"), simulated))
                .isInstanceOf(StoreIoException.class);
        assertThat(simulated.list(DIRECTORY)).noneMatch(path -> path.toString().endsWith(".tmp"));
        simulated.setCapacity(100L * FILE_BYTES);
        try (ObjectStore store = JournalStores.open(small("channel"), simulated)) {
            store.write(key(1), new byte[10], Durability.FORCED);
        }
    }

    @Test
    void unfinishedFileOfAKilledOpenerIsDeleted() throws IOException {
        JournalStores.open(small("channel"), simulated).close();
        Path unfinished = DIRECTORY.resolve("tallystick-999.jnl.tmp");
        simulated.open(unfinished, OpenMode.CREATE_NEW).close();
        JournalStores.open(small("channel"), simulated).close();
        assertThat(simulated.kindOf(unfinished)).isEqualTo(Disk.PathKind.MISSING);
    }

    /** A caller that needs a file while the store is closed hears that it is closed. */
    @Test
    void closingUnderWritersThatWaitForRoomTellsThemThatItIsClosed() throws InterruptedException {
        for (int round = 0; round < 60; round++) {
            SimulatedDisk disk = new SimulatedDisk();
            ObjectStore store = JournalStores.open(small("channel"), disk);
            disk.setCapacity(8L * FILE_BYTES);
            AtomicReference<Throwable> unexpected = new AtomicReference<>();
            int writesBeforeClosing = 20 + round;
            List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                int thread = t;
                threads.add(new Thread(() -> {
                    try {
                        writeUntilClosed(store, thread, thread == 0 ? writesBeforeClosing : Integer.MAX_VALUE);
                    } catch (StoreClosedException | StoreFailedException ended) {
                        // as it should
                    } catch (RuntimeException | Error other) {
                        unexpected.compareAndSet(null, other);
                    }
                }));
            }
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(unexpected.get()).as("round=%d", round).isNull();
        }
    }

    private static void writeUntilClosed(ObjectStore store, int thread, int writesBeforeClosing) {
        for (int i = 0; ; i++) {
            if (i == writesBeforeClosing) {
                store.close();
            }
            try {
                store.write(key(10_000 * thread + i), new byte[3_000], Durability.FORCED);
            } catch (StoreFullException full) {
                // that, too, until it is closed
            }
        }
    }

    /**
     * A process was killed after it had renamed a new file and before it forced the name. The next one has no room for
     * another file, and fills that one. A power cut must not take its name back.
     */
    @Test
    void batchesInAFileWhoseNameAKilledProcessDidNotForceSurviveACrash() throws IOException {
        for (int writes = 1; writes <= MOST_WRITES; writes++) {
            SimulatedDisk disk = killedBeforeANameWasForced();
            try (ObjectStore store = JournalStores.open(small("channel"), disk)) {
                for (int i = 0; i < writes; i++) {
                    store.write(key(i % KEYS), new byte[5_000 + i], Durability.FORCED);
                }
            }

            try (ObjectStore found = JournalStores.open(small("channel"), disk.crash(0))) {
                for (int i = Math.max(0, writes - KEYS); i < writes; i++) {
                    assertThat(found.read(key(i % KEYS)))
                            .as("writes=%d key=%d", writes, i % KEYS)
                            .hasValue(new byte[5_000 + i]);
                }
            }
        }
    }

    private static SimulatedDisk killedBeforeANameWasForced() throws IOException {
        SimulatedDisk disk = new SimulatedDisk();
        try (ObjectStore store = JournalStores.open(small("channel"), disk)) {
            for (int i = 0; i < KEYS_OF_MORE_FILES; i++) {
                store.write(key(i), new byte[7_000], Durability.FORCED);
            }
            for (int i = 0; i < KEYS_OF_MORE_FILES; i++) {
                store.remove(key(i), Durability.FORCED);
            }
        }
        List<Path> files = disk.list(DIRECTORY).stream()
                .filter(file -> file.toString().endsWith(".jnl"))
                .sorted()
                .toList();
        Path last = files.get(files.size() - 1);
        Path unfinished = Path.of(last + ".tmp");
        disk.rename(last, unfinished);
        disk.forceDirectory(DIRECTORY);
        disk.rename(unfinished, last);
        SimulatedDisk killed = disk.kill();
        killed.setCapacity(files.size() * killed.size(last) + FILE_BYTES / 2);
        return killed;
    }

    /** A crash may keep the names of files and lose that of tallystick.store: nobody may open such a directory. */
    @Test
    void noFileIsMadeInAStoreWhoseOwnNameCannotBeForced() {
        FaultInjectingDisk disk = new FaultInjectingDisk(simulated);
        disk.inject(DiskFault.in(DiskOperation.FORCE_DIRECTORY)
                .onFiles(directory -> directory.equals(DIRECTORY))
                .forEver()
                .failingWith(DiskFault.EIO));
        for (int attempt = 0; attempt < 2; attempt++) {
            assertThatThrownBy(() -> JournalStores.open(small("channel"), disk)).isInstanceOf(StoreIoException.class);
        }

        for (long seed = 0; seed < CRASHES; seed++) {
            JournalStores.open(small("channel"), simulated.crash(seed)).close();
        }
    }

    @Test
    void whatAnEndedThreadIsGivenIsNotTaken() {
        HousekeepingThread house = HousekeepingThread.telling(failed -> {});
        house.start();
        house.end();
        assertThat(house.tryExecute(() -> {})).isFalse();
    }

    private static StoreConfiguration.Builder small(String io) {
        return JournalStores.small(DIRECTORY, "artemis", io)
                .set(StoreOption.JOURNAL_SEGMENT_SIZE, (long) FILE_BYTES)
                .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB);
    }

    private static StateKey key(int number) {
        return StateKey.of(
                "/T", ObjectId.of(ByteBuffer.allocate(4).putInt(number).array()));
    }
}
