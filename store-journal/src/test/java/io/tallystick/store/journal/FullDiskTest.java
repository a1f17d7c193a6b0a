package io.tallystick.store.journal;

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
import io.tallystick.testkit.DiskFault;
import io.tallystick.testkit.DiskOperation;
import io.tallystick.testkit.FaultInjectingDisk;
import io.tallystick.testkit.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** On a full disk transactions can still be finished, whatever the files are full of, and then there is room again. */
class FullDiskTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final int MOST_RECORDS = 50_000;

    private final SimulatedDisk disk = new SimulatedDisk();

    @ParameterizedTest
    @CsvSource({
        "segmented, channel, 1, 5000",
        "segmented, channel, 2, 600",
        "segmented, direct, 3, 5000",
        "segmented, direct, 4, 600",
        "segmented, direct, 5, 60"
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
    @CsvSource({"segmented, channel, 1", "segmented, direct, 2"})
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
        return JournalStores.open(configuration(engine, io), disk);
    }

    private static StoreConfiguration.Builder configuration(String engine, String io) {
        return JournalStores.small(DIRECTORY, engine, io)
                .set(StoreOption.JOURNAL_SEGMENT_SIZE, 64 * StoreOption.KIB)
                .set(StoreOption.MAX_RECORD_SIZE, 8 * StoreOption.KIB);
    }

    private void fillTheDisk(int leftBytes) throws IOException {
        disk.setCapacity(1L << 24);
        Path ballast = DIRECTORY.resolveSibling("ballast");
        try (var file = disk.open(ballast, OpenMode.CREATE_NEW)) {
            file.writeFully(ByteBuffer.allocate((int) disk.usableSpace(DIRECTORY) - leftBytes), 0);
        }
    }
}
