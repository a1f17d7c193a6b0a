package io.tallystick.store.journal.artemis;

import java.nio.ByteBuffer;
import org.apache.activemq.artemis.api.core.ActiveMQBuffer;
import org.apache.activemq.artemis.api.core.ActiveMQBuffers;
import org.apache.activemq.artemis.core.journal.EncodingSupport;

/**
 * The batch that is being put together: the records that the Artemis journal gives to its active file. By the thread
 * with the permit to write.
 */
final class BatchBuffer {
    /** Buffers up to this size are kept for the next batch. */
    static final int KEPT_BYTES = 1024 * 1024 + 64 * 1024;

    private final int alignment;
    private ByteBuffer bytes;
    private ActiveMQBuffer view;
    private int length;

    BatchBuffer(int alignment) {
        this.alignment = alignment;
        allocate(KEPT_BYTES);
    }

    private void allocate(int capacity) {
        int padded = (int) ArtemisFormat.aligned(capacity, alignment);
        bytes = ByteBuffer.allocateDirect(padded + alignment)
                .alignedSlice(alignment)
                .slice(0, padded);
        view = ActiveMQBuffers.wrappedBuffer(bytes);
    }

    /** Begins a batch of this length. */
    void begin(int batchBytes) {
        boolean isTooSmall = batchBytes > bytes.capacity();
        boolean isOversize = bytes.capacity() > ArtemisFormat.aligned(KEPT_BYTES, alignment);
        if (isTooSmall || (isOversize && batchBytes <= KEPT_BYTES)) {
            allocate(Math.max(batchBytes, KEPT_BYTES));
        }
        length = 0;
    }

    void append(EncodingSupport record) {
        view.setIndex(0, length);
        record.encode(view);
        length = view.writerIndex();
    }

    int length() {
        return length;
    }

    /** Sets the checksum and pads with zeros; returns the bytes to write. */
    ByteBuffer finish() {
        int padded = (int) ArtemisFormat.aligned(length, alignment);
        for (int i = length; i < padded; i++) {
            bytes.put(i, (byte) 0);
        }
        int crc = BatchHeader.checksum(bytes, 0, length);
        bytes.duplicate().order(ArtemisFormat.ORDER).putInt(ArtemisFormat.BATCH_CRC_OFFSET, crc);
        return bytes.duplicate().clear().limit(padded);
    }
}
