package io.tallystick.store.journal.segment;

import static io.tallystick.store.journal.segment.SegmentFixture.BLOCK;
import static io.tallystick.store.journal.segment.SegmentFixture.image;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.StateKey;
import io.tallystick.store.log.record.RecordDecoder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SegmentScannerTest {
    private final SegmentScanner scanner = new SegmentScanner(SegmentFixture.STORE_ID);
    private final List<ScannedBatch> batches = new ArrayList<>();
    private final List<StateKey> keys = new ArrayList<>();
    private long end;
    private SegmentFixture fixture;
    private Segment segment;

    @BeforeEach
    void makeSegment() throws IOException {
        fixture = new SegmentFixture();
        segment = fixture.active();
    }

    private void scan(Segment scanned) throws IOException {
        scanner.scan(scanned, noting());
    }

    private void scan(Segment scanned, long from) throws IOException {
        scanner.scan(scanned, from, noting());
    }

    private SegmentScanner.Visitor noting() {
        batches.clear();
        keys.clear();
        return new SegmentScanner.Visitor() {
            @Override
            public void batch(ScannedBatch batch) {
                batches.add(batch);
            }

            @Override
            public void record(long position, RecordDecoder.Header record, byte[] bytes, int offset) {
                keys.add(record.key());
            }

            @Override
            public void end(long gapStart) {
                end = gapStart;
            }
        };
    }

    private void flip(int offset) throws IOException {
        byte[] bytes = fixture.disk.contents(segment.path());
        bytes[offset] ^= 1;
        fixture.disk.replaceContents(segment.path(), bytes);
    }

    @Test
    void anEmptySegmentHasNoBatch() throws IOException {
        scan(segment);

        assertThat(batches).isEmpty();
        assertThat(end).isEqualTo(BLOCK);
    }

    @Test
    void batchesAndRecordsComeInTheOrderOfTheFile() throws IOException {
        long second = fixture.write(segment, BLOCK, 7, 6, image(1, 10), image(2, 5000));
        long third = fixture.write(segment, second, 8, 7, image(3, 10));

        scan(segment);

        assertThat(batches)
                .containsExactly(
                        new ScannedBatch(BLOCK, second, BLOCK, 7, 6), new ScannedBatch(second, third, second, 8, 7));
        assertThat(keys).containsExactly(SegmentFixture.key(1), SegmentFixture.key(2), SegmentFixture.key(3));
        assertThat(end).isEqualTo(third);
        assertThat(batches).noneMatch(ScannedBatch::isBehindGap);
    }

    @Test
    void aDamagedBatchIsAGapBeforeTheNextOne() throws IOException {
        long second = fixture.write(segment, BLOCK, 7, 6, image(1, 5000));
        long third = fixture.write(segment, second, 8, 7, image(2, 10));
        flip(BLOCK + SegmentFormat.BATCH_HEADER_BYTES + 30);

        scan(segment);

        assertThat(batches).containsExactly(new ScannedBatch(second, third, BLOCK, 8, 7));
        assertThat(batches.get(0).isBehindGap()).isTrue();
        assertThat(keys).containsExactly(SegmentFixture.key(2));
    }

    @Test
    void aScanFromALaterBlockTellsWhereTheGapBegan() throws IOException {
        long third = fixture.write(segment, 3 * BLOCK, 8, 7, image(2, 10));

        scan(segment, 3 * BLOCK);

        assertThat(batches).containsExactly(new ScannedBatch(3 * BLOCK, third, BLOCK, 8, 7));
        assertThat(end).isEqualTo(third);
    }

    @Test
    void aScanFromTheEndFindsOneGap() throws IOException {
        scan(segment, SegmentFixture.SEGMENT_BYTES);

        assertThat(batches).isEmpty();
        assertThat(end).isEqualTo(BLOCK);
    }

    @Test
    void batchesOfAnEarlierLifeAreNotRead() throws IOException {
        fixture.write(segment, BLOCK, 7, 6, image(1, 10));

        scan(segment.reborn(fixture.ring.nextHeader(SegmentFixture.SEGMENT_BYTES)));

        assertThat(batches).isEmpty();
    }

    @Test
    void aBatchThatWasCopiedToAnotherPlaceIsNotRead() throws IOException {
        long second = fixture.write(segment, BLOCK, 7, 6, image(1, 10));
        byte[] bytes = fixture.disk.contents(segment.path());
        System.arraycopy(bytes, BLOCK, bytes, (int) second, BLOCK);
        fixture.disk.replaceContents(segment.path(), bytes);

        scan(segment);

        assertThat(batches).extracting(ScannedBatch::position).containsExactly((long) BLOCK);
    }

    @Test
    void theLatestLifeOfAFileWithoutAHeaderIsKnownByItsBatches() throws IOException {
        fixture.write(segment, BLOCK, 7, 6, image(1, 10));

        assertThat(scanner.latestLife(segment.readFile(), SegmentFixture.SEGMENT_BYTES))
                .hasValueSatisfying(life -> {
                    assertThat(life.segmentId()).isEqualTo(segment.id());
                    assertThat(life.salt()).isEqualTo(segment.header().salt());
                });
    }
}
