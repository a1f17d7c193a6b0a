package io.tallystick.store.journal.segment;

import static io.tallystick.store.journal.segment.SegmentFixture.BLOCK;
import static io.tallystick.store.journal.segment.SegmentFixture.DIRECTORY;
import static io.tallystick.store.journal.segment.SegmentFixture.image;
import static io.tallystick.store.journal.segment.SegmentFixture.key;
import static io.tallystick.store.journal.segment.SegmentFixture.removal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.StateKey;
import io.tallystick.store.log.spi.Version;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SegmentRecoveryTest {
    private final SimulatedDisk disk = new SimulatedDisk();
    private final ConcurrentHashMap<StateKey, Version> index = new ConcurrentHashMap<>();

    @BeforeEach
    void makeDirectory() throws IOException {
        disk.createDirectory(DIRECTORY);
        disk.forceDirectory(DIRECTORY.getParent());
    }

    private SegmentRecovery.Result recover(SimulatedDisk on) throws IOException {
        index.clear();
        SegmentRecovery.Result result = new SegmentRecovery(SegmentFixture.context(on), BLOCK).recover(index);
        result.pool().close();
        return result;
    }

    private List<Path> segments(SimulatedDisk on) throws IOException {
        return SegmentFiles.in(on, DIRECTORY);
    }

    /** A store whose first segment gets two batches. */
    private SimulatedDisk written() throws IOException {
        SimulatedDisk made = new SimulatedDisk();
        SegmentFixture fixture = new SegmentFixture(made);
        Segment active = fixture.active();
        fixture.factory.makeSpare(() -> false);
        long next = fixture.write(active, BLOCK, 1, 0, image(1, 10), image(2, 10));
        fixture.write(active, next, 2, 1, image(1, 500), removal(2), image(3, 10));
        return made;
    }

    @Test
    void aNewStoreHasItsSegmentsAndSaysThatItIsReady() throws IOException {
        SegmentRecovery.Result result = recover(disk);

        assertThat(result.end().nextSequence()).isEqualTo(1);
        assertThat(segments(disk)).hasSize(3);
        assertThat(disk.kindOf(DIRECTORY.resolve(SegmentRecovery.READY_FILE))).isEqualTo(Disk.PathKind.FILE);
    }

    @Test
    void theNewestRecordOfAKeyWinsAndRemovalsCount() throws IOException {
        SimulatedDisk on = written();
        SegmentRecovery.Result result = recover(on);

        assertThat(index).containsOnlyKeys(key(1), key(3));
        assertThat(index.get(key(1)).stateBytes()).isEqualTo(500);
        assertThat(((Segment) index.get(key(1)).home()).liveRecords()).isEqualTo(2);
        assertThat(result.end().nextSequence()).isEqualTo(2 + SegmentRecovery.SEQUENCE_STEP);
        assertThat(result.uncovered()).isEmpty();
    }

    @Test
    void aBatchBehindOneThatNeverWasCompletedCountsButIsNotCovered() throws IOException {
        SimulatedDisk made = new SimulatedDisk();
        SegmentFixture fixture = new SegmentFixture(made);
        Segment active = fixture.active();
        fixture.write(active, BLOCK, 1, 0, image(1, 10));
        fixture.write(active, 3 * BLOCK, 3, 1, image(3, 10));

        SegmentRecovery.Result result = recover(made);

        assertThat(index).containsOnlyKeys(key(1), key(3));
        assertThat(result.uncovered()).hasSize(1);
        assertThat(result.uncovered().get(0).coveredThrough()).isEqualTo(1);
    }

    @Test
    void anAcknowledgedBatchThatIsDamagedRefusesTheStoreAndChangesNothing() throws IOException {
        SimulatedDisk on = written();
        Path first = segments(on).get(0);
        byte[] bytes = on.contents(first);
        bytes[BLOCK + SegmentFormat.BATCH_HEADER_BYTES + 30] ^= 1;
        on.replaceContents(first, bytes);

        assertThatThrownBy(() -> recover(on)).isInstanceOf(CorruptStoreException.class);

        assertThat(on.contents(first)).isEqualTo(bytes);
        assertThat(segments(on)).hasSize(2);
    }

    @Test
    void aReadyStoreWithoutSegmentsIsRefused() throws IOException {
        recover(disk);
        for (Path segment : segments(disk)) {
            disk.delete(segment);
        }

        assertThatThrownBy(() -> recover(disk))
                .isInstanceOf(CorruptStoreException.class)
                .hasMessageContaining("every segment file is missing");
    }

    @Test
    void filesThatNeverBecameSegmentsAreDeleted() throws IOException {
        Path unfinished = DIRECTORY.resolve(SegmentFormat.fileName(7) + SegmentFormat.UNFINISHED_SUFFIX);
        JournalFiles.put(disk, unfinished, new byte[100]);

        recover(disk);

        assertThat(disk.kindOf(unfinished)).isEqualTo(Disk.PathKind.MISSING);
    }

    @Test
    void recoveringTwiceFindsTheSame() throws IOException {
        SimulatedDisk on = written();
        recover(on);

        recover(on.crash(0));

        assertThat(index).containsOnlyKeys(key(1), key(3));
    }

    /** A killed process leaves bytes in memory: what recovery shows must not be lost with the next power cut. */
    @Test
    void whatRecoveryShowsIsOnDisk() throws IOException {
        SimulatedDisk on = written();
        Path first = segments(on).get(0);
        byte[] bytes = on.contents(first);
        byte[] before = bytes.clone();
        Arrays.fill(before, 2 * BLOCK, before.length, (byte) 0);
        on.replaceContents(first, before);
        try (DiskFile file = on.open(first, OpenMode.READ_WRITE)) {
            file.writeFully(ByteBuffer.wrap(bytes, 2 * BLOCK, BLOCK), 2 * BLOCK);
        }
        SimulatedDisk killed = on.kill();
        recover(killed);
        assertThat(index).containsOnlyKeys(key(1), key(3));

        for (long seed = 0; seed < SimulatedDisk.EXTREME_SEEDS; seed++) {
            recover(killed.crash(seed));
            assertThat(index).containsOnlyKeys(key(1), key(3));
        }
    }

    @Test
    void aNewStoreIsReadyForGood() throws IOException {
        recover(disk);

        for (long seed = 0; seed < SimulatedDisk.EXTREME_SEEDS; seed++) {
            assertThat(disk.crash(seed).kindOf(DIRECTORY.resolve(SegmentRecovery.READY_FILE)))
                    .isEqualTo(Disk.PathKind.FILE);
        }
    }

    @Test
    void aSegmentThatIsMissingRefusesTheStore() throws IOException {
        SimulatedDisk on = written();
        on.delete(segments(on).get(0));

        assertThatThrownBy(() -> recover(on))
                .isInstanceOf(CorruptStoreException.class)
                .hasMessageContaining("the segment before it, id 1, is missing");
    }

    @Test
    void segmentsThatHoldNothingAreUsedAgain() throws IOException {
        SimulatedDisk on = written();
        recover(on);
        List<Path> files = segments(on);
        assertThat(files).as("one more, for removals").hasSize(4);

        recover(on);

        assertThat(segments(on)).isEqualTo(files);
    }

    /** A store whose first segment was freed. The header of a spare alone says so. */
    private static SimulatedDisk turnedOver() throws IOException {
        SimulatedDisk made = new SimulatedDisk();
        SegmentFixture fixture = new SegmentFixture(made);
        Segment first = fixture.active();
        Segment second = fixture.active();
        fixture.write(first, BLOCK, 1, 0, image(1, 10));
        fixture.write(second, BLOCK, 2, 1, image(1, 500));
        fixture.ring.takeOut(first);
        fixture.factory.recycle(first);
        JournalFiles.put(made, DIRECTORY.resolve(SegmentRecovery.READY_FILE), new byte[0]);
        return made;
    }

    /** Files of the old size go when a header in a file of the new size says what they said. */
    @Test
    void aCrashAtAnyMomentOfAChangeOfTheSegmentSizeLosesNothing() throws IOException {
        boolean dies = true;
        for (int operation = 1; dies; operation++) {
            SimulatedDisk on = turnedOver();
            on.crashAt(on.operations() + operation);
            dies = diesWhileRecoveredWith(on, 2 * SegmentFixture.SEGMENT_BYTES);

            for (long seed = 0; seed < SimulatedDisk.EXTREME_SEEDS; seed++) {
                recover(on.crash(seed));
                assertThat(index).as("operation=%s seed=%s", operation, seed).containsOnlyKeys(key(1));
            }
        }
    }

    @Test
    void aCrashAtAnyMomentOfAChangeOfTheBlockSizeLosesNothing() throws IOException {
        long oddBlocks = SegmentFixture.SEGMENT_BYTES + BLOCK;
        boolean dies = true;
        for (int operation = 1; dies; operation++) {
            SimulatedDisk on = new SimulatedDisk();
            on.createDirectory(SegmentFixture.DIRECTORY);
            on.forceDirectory(SegmentFixture.DIRECTORY.getParent());
            makeEmptyLog(on, oddBlocks);
            on.crashAt(on.operations() + operation);
            dies = diesWhileRecoveredWith(on, 2 * SegmentFixture.SEGMENT_BYTES, 2 * BLOCK);

            for (long seed = 0; seed < SimulatedDisk.EXTREME_SEEDS; seed++) {
                SimulatedDisk found = on.crash(seed);
                new SegmentRecovery(SegmentFixture.context(found, oddBlocks), BLOCK)
                        .recover(new ConcurrentHashMap<>())
                        .pool()
                        .close();
            }
        }
    }

    /** An empty log with files of this size. */
    private static void makeEmptyLog(SimulatedDisk on, long segmentBytes) throws IOException {
        new SegmentRecovery(SegmentFixture.context(on, segmentBytes), BLOCK)
                .recover(new ConcurrentHashMap<>())
                .pool()
                .close();
    }

    private boolean diesWhileRecoveredWith(SimulatedDisk on, long segmentBytes) throws IOException {
        return diesWhileRecoveredWith(on, segmentBytes, BLOCK);
    }

    private boolean diesWhileRecoveredWith(SimulatedDisk on, long segmentBytes, int blockBytes) throws IOException {
        try {
            new SegmentRecovery(SegmentFixture.context(on, segmentBytes), blockBytes)
                    .recover(new ConcurrentHashMap<>())
                    .pool()
                    .close();
        } catch (IOException told) {
            assertThat(on.crashedDuring()).isPresent();
        }
        return on.crashedDuring().isPresent(); // an opening does without the last files that it cannot make
    }

    @Test
    void aStoreWithoutASpareGetsOne() throws IOException {
        SimulatedDisk made = new SimulatedDisk();
        SegmentFixture fixture = new SegmentFixture(made);
        for (int number = 1; number <= 3; number++) {
            fixture.write(fixture.active(), BLOCK, number, number - 1, image(number, 10));
        }

        recover(made);

        assertThat(index).hasSize(3);
        assertThat(segments(made)).as("a spare, and one more for removals").hasSize(5);
    }

    @Test
    void aSegmentThatWasBegunAndHoldsNoBatchIsNoObstacle() throws IOException {
        SimulatedDisk made = new SimulatedDisk();
        SegmentFixture fixture = new SegmentFixture(made);
        fixture.active();
        fixture.write(fixture.active(), BLOCK, 1, 0, image(1, 10));

        assertThat(recover(made).uncovered()).isEmpty();
        assertThat(index).containsOnlyKeys(key(1));
    }

    @Test
    void onAFullDiskAnExistingStoreOpensAndANewOneDoesNot() throws IOException {
        disk.setCapacity(SegmentFixture.SEGMENT_BYTES + BLOCK);
        assertThatThrownBy(() -> recover(disk)).isInstanceOf(IOException.class);

        SimulatedDisk on = written();
        on.setCapacity(2 * SegmentFixture.SEGMENT_BYTES + BLOCK);
        recover(on);
        assertThat(index).containsOnlyKeys(key(1), key(3));
        assertThat(segments(on)).hasSize(2);
    }

    @Test
    void aFileWithTheNumberZeroIsASegment() throws IOException {
        Path zero = DIRECTORY.resolve(SegmentFormat.fileName(0));
        JournalFiles.put(disk, zero, new byte[1]);

        assertThat(segments(disk)).containsExactly(zero);
    }
}
