package io.tallystick.store.journal.engines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.OpenMode;
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
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** On a full disk transactions can still be finished, whatever the files are full of, and then there is room again. */
class FullDiskTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final long CAPACITY = 1L << 24;
    private static final int MOST_RECORDS = 50_000;
    // The room that the disk has is another one in each of four rounds.
    private static final int ROUNDS = 4;
    private static final int MANY_ROUNDS = 12;

    private final SimulatedDisk disk = new SimulatedDisk();

    @ParameterizedTest
    @CsvSource({
        "segmented, channel, 1, 5000",
        "segmented, channel, 2, 600",
        "segmented, direct, 3, 5000",
        "segmented, direct, 4, 600",
        "segmented, direct, 5, 60",
        "artemis, channel, 6, 5000",
        "artemis, channel, 7, 600",
        "artemis, channel, 8, 60",
        "artemis, direct, 9, 5000",
        "artemis, direct, 10, 600",
        "artemis, direct, 11, 60"
    })
    void everythingCanBeRemovedFromAStoreThatIsFullOfWhatIsLive(String engine, String io, long seed, int mostBytes)
            throws IOException {
        Random random = new Random(seed);
        List<StateKey> written = new ArrayList<>();
        try (ObjectStore store = open(engine, io)) {
            fillTheDisk(1 << 20);
            fillTheStore(store, random, mostBytes, written);
            Collections.shuffle(written, random);
            for (StateKey key : written.subList(0, written.size() / 2)) {
                removes(store, key, random);
            }
        }
        try (ObjectStore store = open(engine, io)) {
            assertThat(store.keys("/T")).hasSize(written.size() - written.size() / 2);
            for (StateKey key : written.subList(written.size() / 2, written.size())) {
                removes(store, key, random);
            }
            assertThatCode(() -> store.write(key(0), new byte[mostBytes], Durability.FORCED))
                    .doesNotThrowAnyException();
        }
    }

    @ParameterizedTest
    @CsvSource({"segmented, channel, 1", "segmented, direct, 2", "artemis, channel, 3", "artemis, direct, 4"})
    void aStoreThatIsFullOpensAgainAndAgainAndRemovesOneRecordEachTime(String engine, String io, long seed)
            throws IOException {
        Random random = new Random(seed);
        List<StateKey> written = new ArrayList<>();
        try (ObjectStore store = open(engine, io)) {
            fillTheDisk(1 << 19);
            fillTheStore(store, random, 5_000, written);
        }
        for (StateKey key : written) {
            try (ObjectStore store = open(engine, io)) {
                removes(store, key, random);
            }
        }
        try (ObjectStore store = open(engine, io)) {
            assertThat(store.keys("/T")).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"segmented, channel", "segmented, direct", "artemis, channel"})
    void aFullStoreThatHasFailedSaysThatItHasFailed(String engine, String io) throws IOException {
        FaultInjectingDisk failing = new FaultInjectingDisk(disk);
        List<StateKey> written = new ArrayList<>();
        ObjectStore store = JournalStores.open(configuration(engine, io), failing);
        fillTheDisk(1 << 19);
        fillTheStore(store, new Random(1), 5_000, written);
        failing.inject(
                DiskFault.in(DiskOperation.WRITE).failingWith(DiskFault.EIO).forEver());
        assertThatThrownBy(() -> store.remove(written.get(0), Durability.FORCED))
                .isInstanceOf(OutcomeUnknownException.class);

        assertThatThrownBy(() -> store.write(written.get(1), new byte[5_000], Durability.FORCED))
                .isInstanceOf(StoreFailedException.class);

        assertThatThrownBy(store::close).isInstanceOf(StoreException.class);
    }

    @ParameterizedTest
    @CsvSource({"segmented, channel", "segmented, direct", "artemis, channel", "artemis, direct"})
    void aStoreThatIsFullSurvivesACrashWhileItMakesRoom(String engine, String io) throws IOException {
        Random random = new Random(5);
        List<StateKey> written = new ArrayList<>();
        try (ObjectStore store = open(engine, io)) {
            fillTheDisk(1 << 19);
            fillTheStore(store, random, 5_000, written);
        }
        Collections.shuffle(written, random);
        disk.crash(1); // dead, for copies
        int crashes = 0;
        for (int operation = 1 + random.nextInt(8); ; operation += 1 + random.nextInt(8)) {
            SimulatedDisk dying = full(disk.crash(1));
            dying.crashAt(dying.operations() + operation);
            List<StateKey> removed = removeUntilItDies(dying, engine, io, written);
            if (dying.crashedDuring().isEmpty()) {
                break;
            }
            crashes++;
            SimulatedDisk found = full(dying.crash(operation));
            try (ObjectStore store = open(engine, io, found)) {
                assertThat(store.keys("/T"))
                        .as("operation=%d", operation)
                        .hasSizeBetween(written.size() - removed.size() - 1, written.size() - removed.size());
                for (StateKey key : written.subList(Math.min(removed.size() + 1, written.size()), written.size())) {
                    removes(store, key, random);
                }
            }
        }
        assertThat(crashes).isGreaterThan(5);
    }

    /** Answers what was removed, for sure. */
    private List<StateKey> removeUntilItDies(SimulatedDisk dying, String engine, String io, List<StateKey> keys) {
        List<StateKey> removed = new ArrayList<>();
        try (ObjectStore store = open(engine, io, dying)) {
            for (StateKey key : keys) {
                store.remove(key, Durability.FORCED);
                removed.add(key);
            }
        } catch (StoreException died) {
            assertThat(dying.crashedDuring()).as("%s", died).isPresent();
        }
        return removed;
    }

    private static SimulatedDisk full(SimulatedDisk disk) {
        disk.setCapacity(CAPACITY);
        return disk;
    }

    @ParameterizedTest
    @CsvSource({"segmented, channel", "segmented, direct", "artemis, channel", "artemis, direct"})
    void aLargeWriteThatIsRefusedTakesNoRoomFromRemovals(String engine, String io) throws IOException {
        List<StateKey> written = new ArrayList<>();
        try (ObjectStore store = open(engine, io)) {
            fillTheDisk(1 << 19);
            fillTheStore(store, new Random(7), 60, written);
            assertThatThrownBy(() -> store.write(key(0), new byte[8_000], Durability.FORCED))
                    .isInstanceOf(StoreFullException.class);
            for (StateKey key : written) {
                removes(store, key, new Random(7));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"segmented, channel", "segmented, direct", "artemis, channel", "artemis, direct"})
    void noRemovalIsRefusedWhileSeveralThreadsFillTheDisk(String engine, String io) throws IOException {
        removeWhileThreadsFillTheDisk(engine, io, ROUNDS);
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"segmented, channel", "segmented, direct", "artemis, channel", "artemis, direct"})
    void noRemovalIsRefusedInManyRoundsOfThreadsThatFillTheDisk(String engine, String io) throws IOException {
        removeWhileThreadsFillTheDisk(engine, io, MANY_ROUNDS);
    }

    private static void removeWhileThreadsFillTheDisk(String engine, String io, int rounds) throws IOException {
        for (int round = 0; round < rounds; round++) {
            SimulatedDisk small = new SimulatedDisk();
            try (ObjectStore store = open(engine, io, small)) {
                small.setCapacity(CAPACITY);
                small.setCapacity(CAPACITY - small.usableSpace(DIRECTORY) + (round % 4) * 64 * StoreOption.KIB);
                List<CompletableFuture<Void>> threads = new ArrayList<>();
                for (int thread = 0; thread < 6; thread++) {
                    Random random = new Random(3L * round + thread);
                    int firstKey = 1_000 * thread;
                    threads.add(CompletableFuture.runAsync(
                            () -> writeAndRemove(store, firstKey, random), task -> new Thread(task).start()));
                }
                threads.forEach(CompletableFuture::join);
            }
        }
    }

    private static void writeAndRemove(ObjectStore store, int firstKey, Random random) {
        for (int i = 0; i < 400; i++) {
            StateKey key = key(firstKey + random.nextInt(12));
            Durability durability = random.nextInt(3) == 0 ? Durability.DEFERRED : Durability.FORCED;
            if (random.nextInt(3) == 0) {
                store.remove(key, durability);
            } else {
                try {
                    store.write(key, new byte[random.nextInt(5_000)], durability);
                } catch (StoreFullException full) {
                    // it may say so
                }
            }
        }
    }

    private static void removes(ObjectStore store, StateKey key, Random random) {
        Durability durability = random.nextBoolean() ? Durability.FORCED : Durability.DEFERRED;
        assertThatCode(() -> assertThat(store.remove(key, durability)).isTrue())
                .as("removing %s", key)
                .doesNotThrowAnyException();
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
        assertThat(written).isNotEmpty();
    }

    private static StateKey key(int number) {
        return StateKey.of(
                "/T",
                ObjectId.of(ByteBuffer.allocate(Integer.BYTES).putInt(number).array()));
    }

    private ObjectStore open(String engine, String io) {
        return open(engine, io, disk);
    }

    private static ObjectStore open(String engine, String io, SimulatedDisk disk) {
        return JournalStores.open(configuration(engine, io), disk);
    }

    private static StoreConfiguration.Builder configuration(String engine, String io) {
        return JournalStores.small(DIRECTORY, engine, io)
                .set(StoreOption.JOURNAL_SEGMENT_SIZE, 64 * StoreOption.KIB)
                .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB);
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
