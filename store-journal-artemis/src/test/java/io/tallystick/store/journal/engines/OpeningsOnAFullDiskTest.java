package io.tallystick.store.journal.engines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.tallystick.storage.OpenMode;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFullException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * On a disk that stays full, any number of openings may end at any point: by a kill of the process, a crash of the
 * machine, or an orderly close. The store opens after all of them, and everything can be removed.
 */
class OpeningsOnAFullDiskTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final long CAPACITY = 1L << 24;
    private static final long SEGMENT_BYTES = 256 * StoreOption.KIB;
    private static final int MOST_RECORDS = 50_000;
    private static final int OPERATIONS = 90;

    private final SimulatedDisk disk = new SimulatedDisk();

    @ParameterizedTest
    @CsvSource({
        "segmented, channel, 5000, 4",
        "segmented, direct, 5000, 4",
        "segmented, direct, 600, 7",
        "segmented, channel, 8000, 12",
        "artemis, channel, 5000, 4",
        "artemis, direct, 600, 7"
    })
    void anyNumberOfKilledOpeningsLeavesAStoreThatOpensAndRemoves(String engine, String io, int mostBytes, int lives)
            throws IOException {
        List<StateKey> written = fullStore(engine, io, mostBytes);
        for (int operation = 1; operation <= OPERATIONS; operation++) {
            SimulatedDisk now = full(disk.kill());
            Random random = new Random(operation);
            int sure = 0;
            int tried = 0;
            for (int life = 1; life <= lives; life++) {
                now.crashAt(now.operations() + operation);
                int removed = removeUntilItDies(now, engine, io, written.subList(tried, tried + 1));
                sure += removed;
                tried += 1;
                now = full(life % 3 == 0 ? now.crash(random.nextInt()) : now.kill());
            }
            checkOpensAndRemoves(now, engine, io, written, sure, tried, "operation=" + operation);
        }
    }

    @ParameterizedTest
    @CsvSource({"segmented, channel, 5000", "segmented, direct, 600", "artemis, channel, 5000", "artemis, direct, 600"})
    void openingsThatEndAtRandomPointsLeaveAStoreThatOpensAndRemoves(String engine, String io, int mostBytes)
            throws IOException {
        List<StateKey> written = fullStore(engine, io, mostBytes);
        for (int seed = 1; seed <= 8; seed++) {
            Random random = new Random(seed);
            SimulatedDisk now = full(disk.kill());
            int sure = 0;
            int tried = 0;
            for (int life = 1; life <= 25 && tried + 2 < written.size(); life++) {
                now.crashAt(now.operations() + 1 + random.nextInt(random.nextBoolean() ? 40 : 200));
                int count = random.nextInt(3);
                sure += removeUntilItDies(now, engine, io, written.subList(tried, tried + count));
                tried += count;
                now = full(random.nextInt(3) == 0 ? now.crash(random.nextInt()) : now.kill());
            }
            checkOpensAndRemoves(now, engine, io, written, sure, tried, "seed=" + seed);
        }
    }

    private static void checkOpensAndRemoves(
            SimulatedDisk now, String engine, String io, List<StateKey> written, int sure, int tried, String where) {
        try (ObjectStore store = open(engine, io, now)) {
            assertThat(store.keys("/T")).as(where).hasSizeBetween(written.size() - tried, written.size() - sure);
            for (StateKey key : written) {
                assertThatCode(() -> store.remove(key, Durability.FORCED))
                        .as("%s removing %s", where, key)
                        .doesNotThrowAnyException();
            }
            assertThatCode(() -> store.write(written.get(0), new byte[5_000], Durability.FORCED))
                    .as(where)
                    .doesNotThrowAnyException();
        } catch (StoreException failed) {
            throw new AssertionError(where + ": " + failed.getMessage(), failed);
        }
    }

    /** Answers how many were removed, for sure. */
    private static int removeUntilItDies(SimulatedDisk dying, String engine, String io, List<StateKey> keys) {
        int removed = 0;
        try (ObjectStore store = open(engine, io, dying)) {
            for (StateKey key : keys) {
                store.remove(key, Durability.FORCED);
                removed++;
            }
        } catch (StoreException died) {
            if (dying.crashedDuring().isEmpty()) {
                throw died;
            }
        }
        return removed;
    }

    /** Fills the disk and the store, and removes what can be removed without freeing a file. */
    private List<StateKey> fullStore(String engine, String io, int mostBytes) throws IOException {
        List<StateKey> written = new ArrayList<>();
        Random random = new Random(mostBytes);
        try (ObjectStore store = open(engine, io, disk)) {
            fillTheDisk((int) SEGMENT_BYTES * (engine.equals("artemis") ? 6 : 1));
            fillTheStore(store, random, mostBytes, written);
            Collections.shuffle(written, random);
            int removals = written.size() / 20;
            for (StateKey key : written.subList(0, removals)) {
                store.remove(key, Durability.FORCED);
            }
            written.subList(0, removals).clear();
        }
        disk.crash(1); // dead, for copies
        return written;
    }

    private static SimulatedDisk full(SimulatedDisk disk) {
        disk.setCapacity(CAPACITY);
        return disk;
    }

    private static void fillTheStore(ObjectStore store, Random random, int mostBytes, List<StateKey> written) {
        for (int refused = 0, number = 1; refused < 20; number++) {
            assertThat(number).as("the disk is large").isLessThan(MOST_RECORDS);
            try {
                store.write(key(number), new byte[random.nextInt(mostBytes)], Durability.FORCED);
                written.add(key(number));
            } catch (StoreFullException full) {
                refused++;
            }
        }
        assertThat(written).hasSizeGreaterThan(20);
    }

    private static StateKey key(int number) {
        return StateKey.of(
                "/T",
                ObjectId.of(ByteBuffer.allocate(Integer.BYTES).putInt(number).array()));
    }

    private static ObjectStore open(String engine, String io, SimulatedDisk disk) {
        StoreConfiguration.Builder configuration = JournalStores.small(DIRECTORY, engine, io)
                .set(StoreOption.JOURNAL_SEGMENT_SIZE, SEGMENT_BYTES)
                .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB);
        return JournalStores.open(configuration, disk);
    }

    private void fillTheDisk(int leftBytes) throws IOException {
        disk.setCapacity(CAPACITY);
        Path ballast = DIRECTORY.resolveSibling("ballast");
        try (var file = disk.open(ballast, OpenMode.CREATE_NEW)) {
            file.writeFully(ByteBuffer.allocate((int) disk.usableSpace(DIRECTORY) - leftBytes), 0);
            file.force();
        }
        disk.forceDirectory(ballast.getParent());
    }
}
