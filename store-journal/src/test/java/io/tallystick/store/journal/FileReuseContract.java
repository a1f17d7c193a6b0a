package io.tallystick.store.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files are used again and again, and what is live in them is not lost on the way; for each engine. */
public abstract class FileReuseContract {
    private static final int MIB = 1 << 20;

    @TempDir
    private Path directory;

    private final String engine;
    private final String ending;
    private final int filesAtRest;
    private final int filesAroundFewRecords;

    /**
     * @param engine the engine's name
     * @param ending how the names of its files end
     * @param filesAtRest how many there are, at most, when hardly anything is live
     * @param filesAroundFewRecords how many at most when a few records stay that lie in the first
     */
    protected FileReuseContract(String engine, String ending, int filesAtRest, int filesAroundFewRecords) {
        this.engine = engine;
        this.ending = ending;
        this.filesAtRest = filesAtRest;
        this.filesAroundFewRecords = filesAroundFewRecords;
    }

    @Test
    protected void filesDoNotGrowWhileTransactionsComeAndGo() throws IOException {
        try (ObjectStore store = open()) {
            for (int i = 0; i < 3000; i++) {
                store.write(key(i), state(i, 4000), i % 50 == 0 ? Durability.FORCED : Durability.DEFERRED);
                store.remove(key(i), Durability.DEFERRED);
            }
            store.force();
            assertThat(store.statistics().bytesWritten()).isGreaterThan(11L * MIB);
        }
        assertThat(files()).isEqualTo(filesAtRest);
    }

    @Test
    protected void fewLiveRecordsAreMovedOutOfTheWayAndSurvive() throws IOException {
        try (ObjectStore store = open()) {
            for (int i = 0; i < 20; i++) {
                store.write(key(1_000_000 + i), state(i, 5000), Durability.FORCED);
            }
            for (int i = 0; i < 4000; i++) {
                store.write(key(i), state(i, 4000), i % 50 == 0 ? Durability.FORCED : Durability.DEFERRED);
                store.remove(key(i), Durability.DEFERRED);
            }
            for (int i = 0; i < 20; i++) {
                assertThat(store.read(key(1_000_000 + i))).hasValue(state(i, 5000));
            }
        }
        assertThat(files()).isLessThanOrEqualTo(filesAroundFewRecords);
        try (ObjectStore store = open()) {
            for (int i = 0; i < 20; i++) {
                assertThat(store.read(key(1_000_000 + i))).hasValue(state(i, 5000));
            }
            assertThat(store.statistics().records()).isEqualTo(20);
        }
    }

    @Test
    protected void moreLiveRecordsThanRoomMakeMoreFiles() throws IOException {
        try (ObjectStore store = open()) {
            for (int i = 0; i < 1000; i++) {
                store.write(key(i), state(i, 10_000), i % 20 == 0 ? Durability.FORCED : Durability.DEFERRED);
            }
            for (int i = 0; i < 1000; i++) {
                assertThat(store.read(key(i))).hasValue(state(i, 10_000));
            }
        }
        assertThat(files()).isGreaterThan(10);
        try (ObjectStore store = open()) {
            for (int i = 0; i < 1000; i++) {
                assertThat(store.read(key(i))).hasValue(state(i, 10_000));
            }
        }
    }

    @Test
    protected void openingAHundredTimesNeitherLosesNorGrows() throws IOException {
        for (int round = 0; round < 100; round++) {
            try (ObjectStore store = open()) {
                for (int i = 0; i < round; i++) {
                    assertThat(store.read(key(i)))
                            .as("round=%d key=%d", round, i)
                            .hasValue(state(i, 100));
                }
                store.write(key(round), state(round, 100), Durability.FORCED);
            }
        }
        assertThat(files()).isLessThanOrEqualTo(5);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    protected void randomHistoryWithReopeningsEqualsAMap(long seed) {
        Random random = new Random(seed);
        Map<StateKey, byte[]> model = new HashMap<>();
        for (int round = 0; round < 8; round++) {
            try (ObjectStore store = open()) {
                assertEqual(store, model, seed, round);
                for (int i = 0; i < 600; i++) {
                    StateKey key = key(random.nextInt(120));
                    Durability durability = random.nextInt(40) == 0 ? Durability.FORCED : Durability.DEFERRED;
                    if (random.nextInt(5) < 3) {
                        byte[] state = state(random.nextInt(), random.nextInt(30_000));
                        store.write(key, state, durability);
                        model.put(key, state);
                    } else {
                        assertThat(store.remove(key, durability)).isEqualTo(model.remove(key) != null);
                    }
                }
                assertEqual(store, model, seed, round);
            }
        }
    }

    private static void assertEqual(ObjectStore store, Map<StateKey, byte[]> model, long seed, int round) {
        assertThat(store.keys("/T"))
                .as("seed=%d round=%d", seed, round)
                .containsExactlyInAnyOrderElementsOf(model.keySet());
        model.forEach((key, state) -> assertThat(store.read(key))
                .as("seed=%d round=%d %s", seed, round, key)
                .hasValue(state));
    }

    private ObjectStore open() {
        StoreConfiguration.Builder small = JournalStores.small(directory.resolve("store"), engine, "channel")
                .set(StoreOption.JOURNAL_SEGMENT_SIZE, StoreOption.MIB)
                .set(StoreOption.MAX_STATE_SIZE, 64 * StoreOption.KIB);
        return JournalStores.open(small);
    }

    private long files() throws IOException {
        try (Stream<Path> listed = Files.list(directory.resolve("store"))) {
            return listed.filter(file -> file.toString().endsWith(ending)).count();
        }
    }

    private static StateKey key(long number) {
        return StateKey.of(
                "/T", ObjectId.of(ByteBuffer.allocate(8).putLong(number).array()));
    }

    private static byte[] state(int number, int length) {
        byte[] state = new byte[length];
        Arrays.fill(state, (byte) number);
        return state;
    }
}
