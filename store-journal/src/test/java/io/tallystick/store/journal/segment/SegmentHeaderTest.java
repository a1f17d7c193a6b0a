package io.tallystick.store.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.UnsupportedFormatException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

/** A header comes back as it was written, or each field that makes no sense is refused, at its exact limit. */
class SegmentHeaderTest {
    private static final Path FILE = Path.of("/store/segment-000007.seg");
    private static final byte[] STORE_ID = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final long FILE_BYTES = 65_536;
    private static final long MAX_COUNT = Long.MAX_VALUE / 2;
    private static final SegmentHeader SOUND = new SegmentHeader(7, -5, FILE_BYTES, 4096, 6, 3, 2050, 1026, 900);

    @Test
    void everyFieldComesBack() {
        assertThat(decoded(SOUND)).isEqualTo(SOUND);
        assertThat(SegmentHeader.storeIdOf(encoded(SOUND))).contains(STORE_ID);
    }

    @Test
    void theFileMustHaveTheSizeThatTheHeaderSays() {
        assertRefused(
                () -> SegmentHeader.decode(encoded(SOUND), STORE_ID, FILE, FILE_BYTES + 512),
                FILE_BYTES,
                "it has 66048 bytes, but its header says 65536");
        assertRefused(
                () -> SegmentHeader.decode(encoded(SOUND), STORE_ID, FILE, FILE_BYTES - 512),
                FILE_BYTES - 512,
                "it has 65024 bytes, but its header says 65536");
    }

    @Test
    void aFileThatEndsWithinItsHeaderIsRefused() {
        ByteBuffer cut = encoded(SOUND).limit(SegmentFormat.SEGMENT_HEADER_BYTES - 1);

        assertRefused(() -> SegmentHeader.decode(cut, STORE_ID, FILE, 127), 127, "it ends within its header");
        assertThat(SegmentHeader.storeIdOf(cut)).isEmpty();
    }

    @Test
    void eachByteOfTheHeaderIsChecked() {
        for (int offset = 0; offset < SegmentFormat.SEGMENT_HEADER_BYTES; offset++) {
            ByteBuffer damaged = encoded(SOUND);
            damaged.put(offset, (byte) (damaged.get(offset) ^ 1));
            boolean isMagic = offset < SegmentFormat.VERSION_OFFSET;
            assertRefused(
                    () -> SegmentHeader.decode(damaged, STORE_ID, FILE, FILE_BYTES),
                    isMagic ? SegmentFormat.SEGMENT_MAGIC_OFFSET : SegmentFormat.SEGMENT_CRC_OFFSET,
                    isMagic ? "it does not begin as a segment does" : "the checksum of its header does not fit");
            assertThat(SegmentHeader.storeIdOf(damaged)).isEmpty();
            assertThat(SegmentHeader.ofCutFile(damaged, STORE_ID, FILE, FILE_BYTES))
                    .isEmpty();
        }
    }

    @Test
    void anotherVersionAndAnotherStoreAreNamed() {
        ByteBuffer newer = encoded(SOUND).putInt(SegmentFormat.VERSION_OFFSET, 2);
        sign(newer);

        assertThatThrownBy(() -> SegmentHeader.decode(newer, STORE_ID, FILE, FILE_BYTES))
                .isInstanceOf(UnsupportedFormatException.class)
                .hasMessageContaining("has format version 2; this library reads version 1");
        assertThat(SegmentHeader.storeIdOf(newer)).isEmpty();
        assertThatThrownBy(() -> SegmentHeader.decode(encoded(SOUND), new byte[16], FILE, FILE_BYTES))
                .isInstanceOf(UnsupportedFormatException.class)
                .hasMessageContaining("belongs to another store");
    }

    @Test
    void blocksAreMultiplesOfASectorAndDivideTheFile() {
        assertBlockRefused(256);
        assertBlockRefused(4096 + 512);
        assertBlockRefused(0);
        assertBlockRefused(-4096);
        assertBlockRefused(131_072);
        assertThat(decoded(withBlock(512)).blockBytes()).isEqualTo(512);
        assertThat(decoded(withBlock(65_536)).blockBytes()).isEqualTo(65_536);
    }

    @Test
    void idsThatMakeNoSenseAreRefused() {
        assertIdsRefused(0, 0, 0);
        assertIdsRefused(1, -1, 1);
        assertIdsRefused(7, 7, 3);
        assertIdsRefused(7, 6, 0);
        assertIdsRefused(7, 6, 8);
        assertIdsRefused(MAX_COUNT + 1, 6, 3);
        assertThat(decoded(withIds(1, 0, 1)).previousId()).isZero();
        assertThat(decoded(withIds(MAX_COUNT, MAX_COUNT - 1, MAX_COUNT)).segmentId())
                .isEqualTo(MAX_COUNT);
    }

    @Test
    void sequencesThatMakeNoSenseAreRefused() {
        assertSequencesRefused(0, -1, 0);
        assertSequencesRefused(1, -1, 0);
        assertSequencesRefused(1, 1, 0);
        assertSequencesRefused(1, 0, -1);
        assertSequencesRefused(MAX_COUNT + 1, 0, 0);
        assertSequencesRefused(1, 0, MAX_COUNT + 1);
        assertThat(decoded(withSequences(1, 0, 0)).firstSequence()).isEqualTo(1);
        assertThat(decoded(withSequences(MAX_COUNT, MAX_COUNT - 1, MAX_COUNT)).freedThrough())
                .isEqualTo(MAX_COUNT);
    }

    @Test
    void aCutFileHasTheWholeBlocksThatAreLeft() {
        assertThat(cut(SOUND, 3 * 4096 + 100))
                .contains(new SegmentHeader(7, -5, 3 * 4096, 4096, 6, 3, 2050, 1026, 900));
        assertThat(cut(SOUND, FILE_BYTES + 4096)).contains(SOUND);
        assertThat(cut(withBlock(0), 4096)).isEmpty();
        assertThat(cut(withBlock(-4096), 4096)).isEmpty();
        assertThat(cut(withIds(0, 0, 0), 4096)).isEmpty();
        assertThat(SegmentHeader.ofCutFile(encoded(SOUND), new byte[16], FILE, FILE_BYTES))
                .isEmpty();
    }

    @Test
    void anotherOpeningHasTheSameLife() {
        assertThat(SOUND.ofOpening(4000)).isEqualTo(new SegmentHeader(7, -5, FILE_BYTES, 4096, 6, 3, 4000, 1026, 900));
    }

    @Test
    void onlyNamesOfSegmentsHaveANumber() {
        assertThat(SegmentFormat.fileNumber(FILE)).isEqualTo(7);
        assertThat(SegmentFormat.fileNumber(Path.of("segment-000000.seg"))).isZero();
        assertThat(SegmentFormat.fileNumber(Path.of("segment-000007.seg.new"))).isEqualTo(-1);
        assertThat(SegmentFormat.fileName(12)).isEqualTo("segment-000012.seg");
    }

    @Test
    void lengthsAreRoundedUpToBlocks() {
        assertThat(SegmentFormat.aligned(0, 4096)).isZero();
        assertThat(SegmentFormat.aligned(1, 4096)).isEqualTo(4096);
        assertThat(SegmentFormat.aligned(4096, 4096)).isEqualTo(4096);
        assertThat(SegmentFormat.aligned(4097, 4096)).isEqualTo(8192);
    }

    private static void assertBlockRefused(int blockBytes) {
        assertRefused(
                () -> decoded(withBlock(blockBytes)),
                SegmentFormat.BLOCK_BYTES_OFFSET,
                "its block size " + blockBytes + " makes no sense");
    }

    private static void assertIdsRefused(long segmentId, long previousId, long oldestId) {
        assertRefused(
                () -> decoded(withIds(segmentId, previousId, oldestId)),
                SegmentFormat.SEGMENT_ID_OFFSET,
                "its segment ids make no sense");
    }

    private static void assertSequencesRefused(long first, long durableBefore, long freedThrough) {
        assertRefused(
                () -> decoded(withSequences(first, durableBefore, freedThrough)),
                SegmentFormat.FIRST_SEQUENCE_OFFSET,
                "its sequences make no sense");
    }

    private static void assertRefused(Runnable decoding, long offset, String reason) {
        assertThatThrownBy(decoding::run)
                .asInstanceOf(InstanceOfAssertFactories.type(CorruptStoreException.class))
                .satisfies(refused -> {
                    assertThat(refused.file()).isEqualTo(FILE);
                    assertThat(refused.offset()).isEqualTo(offset);
                    assertThat(refused.reason()).isEqualTo(reason);
                });
    }

    private static Optional<SegmentHeader> cut(SegmentHeader header, long fileBytes) {
        return SegmentHeader.ofCutFile(encoded(header), STORE_ID, FILE, fileBytes);
    }

    private static SegmentHeader decoded(SegmentHeader header) {
        return SegmentHeader.decode(encoded(header), STORE_ID, FILE, FILE_BYTES);
    }

    private static ByteBuffer encoded(SegmentHeader header) {
        ByteBuffer block = ByteBuffer.allocate(SegmentFormat.SEGMENT_HEADER_BYTES);
        header.encodeTo(block, STORE_ID);
        return block;
    }

    private static void sign(ByteBuffer block) {
        CRC32C crc = new CRC32C();
        crc.update(block.duplicate().position(0).limit(SegmentFormat.SEGMENT_CRC_OFFSET));
        block.putInt(SegmentFormat.SEGMENT_CRC_OFFSET, (int) crc.getValue());
    }

    private static SegmentHeader withBlock(int blockBytes) {
        return new SegmentHeader(7, -5, FILE_BYTES, blockBytes, 6, 3, 2050, 1026, 900);
    }

    private static SegmentHeader withIds(long segmentId, long previousId, long oldestId) {
        return new SegmentHeader(segmentId, -5, FILE_BYTES, 4096, previousId, oldestId, 2050, 1026, 900);
    }

    private static SegmentHeader withSequences(long first, long durableBefore, long freedThrough) {
        return new SegmentHeader(7, -5, FILE_BYTES, 4096, 6, 3, first, durableBefore, freedThrough);
    }
}
