package io.tallystick.store.journal.artemis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.Disk;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFullException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.store.log.commit.GroupCommit;
import io.tallystick.testkit.disk.DiskFault;
import io.tallystick.testkit.disk.DiskOperation;
import io.tallystick.testkit.disk.FaultInjectingDisk;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where room is scarce nothing is given away too early, and nothing is written that contradicts itself. */
@Timeout(300)
class ArtemisRoomTest {
    private static final Path DIRECTORY = Path.of("/store");
    private static final long FILE_BYTES = 64 * StoreOption.KIB;
    private static final long PLENTY = 1L << 30;

    /** The header of a file names the last batch on disk when it was written, and no later one. */
    @Test
    void aStoreThatWasClosedOpensOnAFullDiskWithAnotherFileSize() throws Exception {
        for (long seed = 0; seed < 12; seed++) {
            Random random = new Random(seed);
            SimulatedDisk disk = new SimulatedDisk();
            Set<StateKey> expected = new HashSet<>();
            for (int life = 0; life < 6; life++) {
                long fileBytes = FILE_BYTES << random.nextInt(3);
                try (ObjectStore store = open(disk, fileBytes)) {
                    assertThat(store.keys("/T"))
                            .as("seed=%d life=%d", seed, life)
                            .containsExactlyInAnyOrderElementsOf(expected);
                    disk.setCapacity(random.nextBoolean() ? PLENTY : 8 * FILE_BYTES);
                    work(store, random, expected);
                    disk.setCapacity(1);
                    work(store, random, expected);
                }
            }
        }
    }

    private static void work(ObjectStore store, Random random, Set<StateKey> expected) {
        for (int i = 0; i < 150; i++) {
            StateKey key = key(random.nextInt(60));
            if (random.nextInt(3) == 0) {
                store.remove(key, random.nextBoolean() ? Durability.FORCED : Durability.DEFERRED);
                expected.remove(key);
            } else {
                try {
                    store.write(key, new byte[random.nextInt(3000)], Durability.FORCED);
                    expected.add(key);
                } catch (StoreFullException full) {
                    assertThat(store.failure()).isEmpty();
                }
            }
        }
    }

    /**
     * The housekeeper looks for dead files while a removal is being written. The journal has counted it by then,
     * but it counts deletions in the file that it writes to for nothing.
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 12})
    void aFileIsNotGivenAwayWhileTheRemovalOfWhatItHoldsIsOnItsWay(int removed) throws Exception {
        SimulatedDisk simulated = new SimulatedDisk();
        FaultInjectingDisk disk = new FaultInjectingDisk(simulated);
        ObjectStore store = open(disk, FILE_BYTES);
        store.force();
        simulated.setCapacity(8 * FILE_BYTES);
        Set<StateKey> expected = fill(store);
        assertThat(expected).hasSizeGreaterThan(removed);
        DiskFault.Stall stall = new DiskFault.Stall();
        disk.inject(DiskFault.in(DiskOperation.FORCE)
                .onFiles(file -> file.toString().endsWith("." + ArtemisFormat.EXTENSION)
                        && !(Thread.currentThread() instanceof HousekeepingThread))
                .stallingAt(stall));
        List<Thread> callers = List.of(
                caller(() -> store.remove(key(removed), Durability.FORCED)),
                caller(() -> store.write(key(5000), new byte[8000], Durability.FORCED)));
        callers.get(0).start();
        stall.awaitReached();
        callers.get(1).start();
        awaitHousekeeperWaitingInTheMiddle(callers.get(1));

        SimulatedDisk found = simulated.crash(0);

        stall.release();
        for (Thread caller : callers) {
            caller.join();
        }
        closeDead(store);
        try (ObjectStore next = open(found, FILE_BYTES)) {
            expected.remove(key(removed));
            assertThat(next.keys("/T")).containsAll(expected).contains(key(removed));
        }
    }

    private static Set<StateKey> fill(ObjectStore store) {
        Set<StateKey> written = new HashSet<>();
        try {
            for (int i = 0; ; i++) {
                store.write(key(i), new byte[1200], Durability.FORCED);
                written.add(key(i));
                store.write(key(10_000), new byte[2000], Durability.FORCED); // dead soon
            }
        } catch (StoreFullException full) {
            return written;
        }
    }

    private static Thread caller(Runnable call) {
        Thread thread = new Thread(() -> {
            try {
                call.run();
            } catch (StoreException expected) {
                // the disk dies under it, or there is no room
            }
        });
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Returns when the housekeeper has looked for dead files and waits for the stalled batch, or the caller has its
     * answer.
     */
    private static void awaitHousekeeperWaitingInTheMiddle(Thread caller) {
        while (caller.isAlive()) {
            boolean waits = Thread.getAllStackTraces().entrySet().stream()
                    .filter(entry -> entry.getKey() instanceof HousekeepingThread)
                    .anyMatch(entry -> List.of(entry.getValue()).stream()
                            .anyMatch(frame -> frame.getMethodName().equals("awaitQueued")));
            if (waits) {
                return;
            }
            assertThat(LockSupport.getBlocker(caller) instanceof GroupCommit)
                    .as("the caller found room without the housekeeper")
                    .isFalse();
            Thread.onSpinWait();
        }
    }

    private static void closeDead(ObjectStore store) {
        try {
            store.close();
        } catch (StoreException theDiskIsDead) {
            // as it should
        }
    }

    private static ObjectStore open(Disk on, long fileBytes) {
        return JournalStores.open(
                JournalStores.small(DIRECTORY, "artemis", "channel")
                        .set(StoreOption.JOURNAL_SEGMENTS, 5)
                        .set(StoreOption.JOURNAL_SEGMENT_SIZE, fileBytes)
                        .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB),
                on);
    }

    private static StateKey key(int number) {
        return StateKey.of(
                "/T", ObjectId.of(ByteBuffer.allocate(4).putInt(number).array()));
    }
}
