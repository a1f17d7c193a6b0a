package io.tallystick.store.journal.engines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreOption;
import io.tallystick.store.journal.JournalStores;
import io.tallystick.testkit.States;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that earlier lives have filled in finer blocks, or anywhere, are used again in coarser ones, and back. */
@Timeout(120)
class ChangedBlockSizeTest {
    private static final Path DIRECTORY = Path.of("/simulated/store");
    private static final int TURNS = 120;

    private SimulatedDisk disk = new SimulatedDisk();

    @ParameterizedTest
    @CsvSource({
        "segmented, channel, 4096, direct, 16384, 128",
        "segmented, direct, 512, direct, 65536, 192",
        "segmented, direct, 65536, channel, 512, 192",
        "artemis, channel, 4096, direct, 4096, 128",
        "artemis, channel, 4096, direct, 16384, 128",
        "artemis, direct, 512, direct, 8192, 128",
        "artemis, direct, 4096, direct, 65536, 192",
        "artemis, direct, 65536, channel, 512, 192"
    })
    void whatIsAcknowledgedIsFoundWhateverTheBlockSizeWas(
            String engine, String firstIo, long firstBlock, String secondIo, long secondBlock, long segmentKib) {
        for (int life = 0; life < 6; life++) {
            boolean isFirst = life % 2 == 0;
            ObjectStore store =
                    open(engine, isFirst ? firstIo : secondIo, isFirst ? firstBlock : secondBlock, segmentKib);
            for (int earlier = 0; earlier < life; earlier++) {
                assertThat(store.read(key(-1 - earlier))).as("life " + earlier).contains(state(earlier));
            }
            turnFilesOver(store, life);
            store.write(key(-1 - life), state(life), Durability.FORCED);
            disk = life % 3 == 2 ? disk.crash(life) : disk.kill();
        }
        open(engine, firstIo, firstBlock, segmentKib).close();
        open(engine, secondIo, secondBlock, segmentKib).close();
    }

    /** The batches of all lives lie in the space before the first larger block. */
    @ParameterizedTest
    @CsvSource({
        "segmented, channel, 512, direct, 16384",
        "artemis, channel, 4096, direct, 16384",
        "artemis, direct, 512, direct, 16384",
        "artemis, direct, 4096, direct, 16384"
    })
    void aFileThatHoldsABatchGoesOnInLargerBlocks(
            String engine, String firstIo, long firstBlock, String secondIo, long secondBlock) {
        for (int life = 0; life < 4; life++) {
            boolean isFirst = life % 2 == 0;
            ObjectStore store = open(engine, isFirst ? firstIo : secondIo, isFirst ? firstBlock : secondBlock, 128);
            for (int earlier = 0; earlier < life; earlier++) {
                assertThat(store.read(key(-1 - earlier))).as("life " + earlier).contains(state(earlier));
            }
            store.write(key(-1 - life), state(life), Durability.FORCED);
            disk = disk.kill();
        }
    }

    /** With one block to write in each segment, a store that makes more of them gains no room. */
    @ParameterizedTest
    @ValueSource(strings = {"segmented", "artemis"})
    void segmentsOfTwoBlocksAreRefused(String engine) throws IOException {
        assertThatThrownBy(() -> open(engine, "direct", 65536, 128))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("tallystick.journal.segment-size", "tallystick.journal.block-size");
    }

    /** So much passes through the store that each file gets another life. */
    private static void turnFilesOver(ObjectStore store, int life) {
        for (int turn = 0; turn < TURNS; turn++) {
            int number = life * TURNS + turn;
            store.write(key(number), States.random(3_000 + turn * 40, number), Durability.FORCED);
            store.remove(key(number), Durability.DEFERRED);
        }
        store.force();
    }

    private ObjectStore open(String engine, String io, long blockBytes, long segmentKib) {
        return JournalStores.open(
                JournalStores.small(DIRECTORY, engine, io)
                        .set(StoreOption.JOURNAL_SEGMENT_SIZE, segmentKib * StoreOption.KIB)
                        .set(StoreOption.JOURNAL_BLOCK_SIZE, blockBytes)
                        .set(StoreOption.MAX_STATE_SIZE, 8 * StoreOption.KIB),
                disk);
    }

    private static byte[] state(int life) {
        return States.random(500, life);
    }

    private static StateKey key(int number) {
        return StateKey.of(
                "/T",
                ObjectId.of(ByteBuffer.allocate(Integer.BYTES).putInt(number).array()));
    }
}
