package io.tallystick.store.journal.artemis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class BatchBufferTest {
    private static final int ALIGNMENT = 512;

    private final BatchBuffer batch = new BatchBuffer(ALIGNMENT);
    private final int kept = (int) ArtemisFormat.aligned(BatchBuffer.KEPT_BYTES, ALIGNMENT);

    private ByteBuffer put(int bodyBytes) {
        batch.begin(ArtemisFormat.ADD_FRAME_BYTES + bodyBytes);
        byte[] body = new byte[bodyBytes];
        Arrays.fill(body, (byte) 7);
        batch.append(JournalFileBytes.image(1, body));
        assertThat(batch.length()).isEqualTo(ArtemisFormat.ADD_FRAME_BYTES + bodyBytes);
        return batch.finish();
    }

    @Test
    void recordsLieOneBehindTheOther() {
        batch.begin(200);
        batch.append(JournalFileBytes.image(1, new byte[40]));
        batch.append(JournalFileBytes.deletion(1));

        assertThat(batch.length()).isEqualTo(ArtemisFormat.ADD_FRAME_BYTES + 40 + ArtemisFormat.DELETE_BYTES);
    }

    /** A longer batch before has left its bytes there. */
    @Test
    void whatIsBehindTheLastRecordIsZero() {
        put(2000);
        ByteBuffer bytes = put(600);

        assertThat(bytes.remaining()).isEqualTo(2 * ALIGNMENT);
        for (int at = batch.length(); at < bytes.limit(); at++) {
            assertThat(bytes.get(at)).as("byte=%d", at).isZero();
        }
    }

    @Test
    void theChecksumIsThatOfTheBatchWithoutPadding() {
        ByteBuffer bytes = put(600);

        assertThat(bytes.order(ArtemisFormat.ORDER).getInt(ArtemisFormat.BATCH_CRC_OFFSET))
                .isEqualTo(BatchHeader.checksum(bytes, 0, batch.length()));
    }

    @Test
    void theBufferIsKeptForBatchesThatFit() {
        ByteBuffer first = put(600);
        ByteBuffer second = put(BatchBuffer.KEPT_BYTES - ArtemisFormat.ADD_FRAME_BYTES);

        assertThat(first.capacity()).isEqualTo(kept);
        assertThat(second.capacity()).isEqualTo(kept);
        assertThat(second.alignmentOffset(0, ALIGNMENT)).isZero();
        second.put(ArtemisFormat.BATCH_CRC_OFFSET, (byte) 99);
        assertThat(first.get(ArtemisFormat.BATCH_CRC_OFFSET)).isEqualTo((byte) 99);
    }

    @Test
    void aLargerBatchGetsALargerBufferUntilASmallerOneComes() {
        assertThat(put(BatchBuffer.KEPT_BYTES + 5000).capacity()).isGreaterThan(BatchBuffer.KEPT_BYTES + 5000);
        assertThat(put(BatchBuffer.KEPT_BYTES + 4000).capacity()).isGreaterThan(BatchBuffer.KEPT_BYTES + 5000);
        assertThat(put(600).capacity()).isEqualTo(kept);
    }
}
