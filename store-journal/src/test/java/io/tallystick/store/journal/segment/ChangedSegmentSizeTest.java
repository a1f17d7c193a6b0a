package io.tallystick.store.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.StoreDirectory;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.store.text.SizeText;
import io.tallystick.testkit.States;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The segment size and the largest state of an opening against the states that earlier lives have left. */
class ChangedSegmentSizeTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final StateKey KEY = key(0);
    private static final int SHORT_STATE = 8 * 1024;
    private static final int TURNS = 5_000;

    private final SimulatedDisk disk = new SimulatedDisk();

    @Test
    void anAcknowledgedRecordIsFoundWhateverTheSegmentSizeWas() {
        byte[] state = States.random(200 * 1024, 1);
        try (ObjectStore store = open(StoreOption.MIB, 256 * StoreOption.KIB)) {
            store.writeShadow(KEY, state, Durability.FORCED);
        }
        boolean committed = false;
        try (ObjectStore store = open(64 * StoreOption.KIB, SHORT_STATE)) {
            committed = store.commitShadow(KEY, Durability.FORCED);
        } catch (IllegalArgumentException refused) {
            assertThat(refused).hasMessageContaining("tallystick.journal.segment-size=64KiB");
        }
        try (ObjectStore store = open(StoreOption.MIB, 256 * StoreOption.KIB)) {
            assertThat(committed ? store.read(KEY) : store.readShadow(KEY)).contains(state);
        }
    }

    @ParameterizedTest
    @CsvSource({"204800, 4096", "200001, 4096", "20000, 4096", "40000, 32768", "32500, 32768"})
    void theLeastSegmentSizeThatTheRefusalNamesWorksAndOneBlockLessDoesNot(int stateBytes, int blockBytes)
            throws IOException {
        byte[] state = States.random(stateBytes, 1);
        try (ObjectStore store = open(StoreOption.MIB, 256 * StoreOption.KIB)) {
            store.write(KEY, state, Durability.FORCED);
            store.writeShadow(KEY, state, Durability.FORCED);
        }
        long least = StoredStateCheck.leastSegmentBytes(stateBytes, blockBytes);
        Map<Path, byte[]> before = files();

        assertThatThrownBy(() -> open(least - blockBytes, StoreOption.KIB, blockBytes))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("of " + stateBytes + " bytes under " + KEY.toPrintable())
                .hasMessageContaining("at least tallystick.journal.segment-size=" + SizeText.format(least));
        assertThat(files()).containsExactlyEntriesOf(before);

        ObjectStore changed = open(least, StoreOption.KIB, blockBytes);
        changeInEveryWay(changed, state);
        for (int turn = 0; turn < TURNS && hasFileOfAnotherSize(least); turn++) {
            changed.write(key(1), new byte[1024], Durability.FORCED);
        }
        assertThat(hasFileOfAnotherSize(least)).isFalse();
        SimulatedDisk killed = disk.kill();
        assertThatThrownBy(changed::close).isInstanceOf(StoreException.class);
        try (ObjectStore store = JournalStores.open(configuration(least, StoreOption.KIB, blockBytes), killed)) {
            assertThat(store.read(KEY)).contains(state);
            assertThat(store.readShadow(KEY)).contains(new byte[1024]);
        }
    }

    /** The bound is on both values of the image that may come, not on the record that is there. */
    private static void changeInEveryWay(ObjectStore store, byte[] state) {
        assertThat(store.hide(KEY)).isTrue();
        assertThat(store.reveal(KEY)).isTrue();
        store.write(KEY, new byte[1024], Durability.FORCED);
        assertThat(store.commitShadow(KEY, Durability.FORCED)).isTrue();
        store.writeShadow(KEY, new byte[1024], Durability.FORCED);
        assertThat(store.discardShadow(KEY, Durability.FORCED)).isTrue();
        store.writeShadow(KEY, new byte[1024], Durability.FORCED);
        assertThat(store.read(KEY)).contains(state);
    }

    /** The housekeeper moves what lives on, so in time every file of the old size goes. */
    private boolean hasFileOfAnotherSize(long segmentBytes) throws IOException {
        for (Path file : SegmentFiles.in(disk, DIRECTORY)) {
            if (disk.contents(file).length != segmentBytes) {
                return true;
            }
        }
        return false;
    }

    @Test
    void aLowerMaxStateSizeLeavesLongerStatesUsable() {
        byte[] state = States.random(64 * 1024, 1);
        try (ObjectStore store = open(256 * StoreOption.KIB, 64 * StoreOption.KIB)) {
            store.write(KEY, state, Durability.FORCED);
            store.writeShadow(KEY, state, Durability.FORCED);
        }
        try (ObjectStore store = open(256 * StoreOption.KIB, StoreOption.KIB)) {
            assertThat(store.read(KEY)).contains(state);
            assertThat(store.readShadow(KEY)).contains(state);
            changeInEveryWay(store, state);
            assertThatThrownBy(() -> store.write(KEY, new byte[1025], Durability.FORCED))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("tallystick.max-state-size");
        }
        try (ObjectStore store = open(256 * StoreOption.KIB, StoreOption.KIB)) {
            assertThat(store.read(KEY)).contains(state);
        }
    }

    @Test
    void aStateThatIsGoneForbidsNoSegmentSize() {
        try (ObjectStore store = open(StoreOption.MIB, 256 * StoreOption.KIB)) {
            store.write(KEY, new byte[200 * 1024], Durability.FORCED);
            store.write(key(1), new byte[200 * 1024], Durability.FORCED);
            store.remove(KEY, Durability.FORCED);
            store.write(key(1), new byte[10], Durability.FORCED);
        }
        try (ObjectStore store = open(64 * StoreOption.KIB, SHORT_STATE)) {
            assertThat(store.keys("/T")).containsExactly(key(1));
        }
    }

    private ObjectStore open(long segmentBytes, long maxStateBytes) {
        return open(segmentBytes, maxStateBytes, 4096);
    }

    private ObjectStore open(long segmentBytes, long maxStateBytes, long blockBytes) {
        return JournalStores.open(configuration(segmentBytes, maxStateBytes, blockBytes), disk);
    }

    private static StoreConfiguration.Builder configuration(long segmentBytes, long maxStateBytes, long blockBytes) {
        return JournalStores.small(DIRECTORY, "segmented", "direct")
                .set(StoreOption.JOURNAL_SEGMENT_SIZE, segmentBytes)
                .set(StoreOption.JOURNAL_BLOCK_SIZE, blockBytes)
                .set(StoreOption.MAX_STATE_SIZE, maxStateBytes);
    }

    /** The files of the store, except those that an owner writes about itself. */
    private Map<Path, byte[]> files() throws IOException {
        Map<Path, byte[]> files = new TreeMap<>();
        for (Path file : disk.list(DIRECTORY)) {
            if (!StoreDirectory.isOwnFile(file)) {
                files.put(file, disk.contents(file));
            }
        }
        return files;
    }

    private static StateKey key(int number) {
        return StateKey.of("/T", ObjectId.of(new byte[] {(byte) number}));
    }
}
