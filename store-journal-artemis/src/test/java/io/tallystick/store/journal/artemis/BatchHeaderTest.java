package io.tallystick.store.journal.artemis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is taken for the header of a batch, and what is not. */
class BatchHeaderTest {
    private static final byte[] STORE_ID = ArtemisFixture.STORE_ID;
    private static final byte[] OTHER_STORE_ID = new byte[ArtemisFormat.STORE_ID_BYTES];
    private static final int FILE_BYTES = 16 * 1024;
    private static final int BEGIN = 5000;
    private static final long FILE_ID = 7;

    private final JournalFileBytes file = new JournalFileBytes(new FileHeader(FILE_ID, 0, 0, FILE_BYTES), STORE_ID)
            .at(BEGIN)
            .batch(31, 12, Map.of(3L, 30L), JournalFileBytes.image(11, new byte[40]), JournalFileBytes.deletion(4));
    private final ByteBuffer bytes = file.bytes();
    private final int length = file.end() - BEGIN;

    private BatchHeader decoded(int limit) {
        return BatchHeader.decode(bytes, BEGIN, limit, STORE_ID);
    }

    @Test
    void whatWasWrittenIsRead() {
        assertThat(decoded(FILE_BYTES)).isEqualTo(new BatchHeader(length, 2, FILE_ID, BEGIN, 31, 12, Map.of(3L, 30L)));
    }

    @Test
    void aBatchMayEndAtTheLimitAndNotBeyondIt() {
        assertThat(decoded(file.end())).isNotNull();
        assertThat(decoded(file.end() - 1)).isNull();
    }

    @Test
    void whereNoHeaderFitsThereIsNone() {
        ByteBuffer cut = bytes.slice(0, BEGIN + ArtemisFormat.batchHeaderBytes(0) - 1);

        assertThat(BatchHeader.decode(cut, BEGIN, cut.limit(), STORE_ID)).isNull();
    }

    @Test
    void theSmallestBatchFitsExactly() {
        JournalFileBytes empty = new JournalFileBytes(new FileHeader(FILE_ID, 0, 0, FILE_BYTES), STORE_ID).batch(1, 1);
        int begin = ArtemisFormat.DATA_OFFSET;

        assertThat(empty.end() - begin).isEqualTo(ArtemisFormat.batchHeaderBytes(0));
        assertThat(BatchHeader.decode(empty.bytes(), begin, empty.end(), STORE_ID))
                .isNotNull();
    }

    @Test
    void everyChangedByteIsNoticed() {
        for (int at = BEGIN; at < file.end(); at++) {
            file.flip(at);
            assertThat(decoded(FILE_BYTES)).as("byte=%d", at - BEGIN).isNull();
            file.flip(at);
        }
    }

    @Test
    void aBatchOfAnotherStoreIsNone() {
        assertThat(BatchHeader.decode(bytes, BEGIN, FILE_BYTES, OTHER_STORE_ID)).isNull();
    }

    @Test
    void aBatchThatLiesInAnotherPlaceIsNone() {
        bytes.put(BEGIN + length, bytes, BEGIN, length);

        assertThat(BatchHeader.decode(bytes, BEGIN + length, FILE_BYTES, STORE_ID))
                .isNull();
    }

    /** The checksum fits each time: the fields contradict one another. */
    @ParameterizedTest
    @ValueSource(
            ints = {
                ArtemisFormat.RECORD_TYPE_OFFSET,
                ArtemisFormat.RECORD_FILE_ID_OFFSET + 3,
                ArtemisFormat.RECORD_ID_OFFSET + 7,
                ArtemisFormat.RECORD_BODY_LENGTH_OFFSET + 3,
                ArtemisFormat.RECORD_USER_TYPE_OFFSET
            })
    void aFrameThatContradictsItsHeaderIsNone(int offset) {
        file.flip(BEGIN + offset);
        sign();

        assertThat(decoded(FILE_BYTES)).isNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 4, Integer.MAX_VALUE})
    void aListOfFilesThatIsLongerThanItsBatchIsNone(int count) {
        bytes.order(ArtemisFormat.ORDER).putInt(BEGIN + ArtemisFormat.BATCH_FILE_COUNT_OFFSET, count);
        sign();

        assertThat(decoded(FILE_BYTES)).isNull();
    }

    @Test
    void aFileThatIsNamedTwiceIsNone() {
        JournalFileBytes twice = new JournalFileBytes(new FileHeader(FILE_ID, 0, 0, FILE_BYTES), STORE_ID)
                .at(BEGIN)
                .batch(31, 12, Map.of(3L, 30L, 4L, 40L));
        int list = BEGIN + ArtemisFormat.BATCH_FILES_OFFSET;
        ByteBuffer ours = twice.bytes().order(ArtemisFormat.ORDER);
        ours.putLong(list + ArtemisFormat.BATCH_FILE_BYTES, ours.getLong(list));
        int crc = BatchHeader.checksum(ours, BEGIN, twice.end() - BEGIN);
        ours.putInt(BEGIN + ArtemisFormat.BATCH_CRC_OFFSET, crc);

        assertThat(BatchHeader.decode(ours, BEGIN, FILE_BYTES, STORE_ID)).isNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, 0, 86, FILE_BYTES, Integer.MAX_VALUE})
    void aLengthThatCannotBeIsNone(int wrong) {
        bytes.order(ArtemisFormat.ORDER).putInt(BEGIN + ArtemisFormat.BATCH_LENGTH_OFFSET, wrong);

        assertThat(decoded(FILE_BYTES)).isNull();
    }

    private void sign() {
        int crc = BatchHeader.checksum(bytes, BEGIN, length);
        bytes.order(ArtemisFormat.ORDER).putInt(BEGIN + ArtemisFormat.BATCH_CRC_OFFSET, crc);
    }

    @Test
    void aTornBatchStillTellsTheLifeOfItsFile() {
        file.flip(file.end() - 1);

        assertThat(isOfLife(FILE_ID, FILE_BYTES, STORE_ID)).isTrue();
        assertThat(isOfLife(FILE_ID + 1, FILE_BYTES, STORE_ID)).isFalse();
        assertThat(isOfLife(FILE_ID, FILE_BYTES, OTHER_STORE_ID)).isFalse();
    }

    @Test
    void aBatchWithoutRoomForItsHeaderTellsNoLife() {
        int least = ArtemisFormat.batchHeaderBytes(0);

        assertThat(isOfLife(FILE_ID, BEGIN + least, STORE_ID)).isTrue();
        assertThat(isOfLife(FILE_ID, BEGIN + least - 1, STORE_ID)).isFalse();
    }

    private boolean isOfLife(long fileId, int end, byte[] storeId) {
        return BatchHeader.isOfLife(bytes, BEGIN, end, fileId, storeId);
    }
}
