package io.tallystick.store.journal.artemis;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import org.apache.activemq.artemis.core.journal.EncoderPersister;
import org.apache.activemq.artemis.core.journal.impl.JournalImpl;
import org.apache.activemq.artemis.core.journal.impl.dataformat.ByteArrayEncoding;
import org.apache.activemq.artemis.core.journal.impl.dataformat.JournalAddRecord;
import org.apache.activemq.artemis.core.journal.impl.dataformat.JournalDeleteRecord;
import org.apache.activemq.artemis.core.journal.impl.dataformat.JournalInternalRecord;

/** The bytes of a file of the journal, put together batch by batch. */
final class JournalFileBytes {
    private final byte[] storeId;
    private final ByteBuffer bytes;
    private long fileId;
    private int end = ArtemisFormat.DATA_OFFSET;

    JournalFileBytes(FileHeader header, byte[] storeId) {
        this.storeId = storeId;
        this.fileId = header.fileId();
        this.bytes = ByteBuffer.allocate(header.fileBytes());
        header.encodeTo(bytes, storeId);
    }

    static JournalInternalRecord image(long recordId, byte[] body) {
        return new JournalAddRecord(
                true, recordId, ArtemisFormat.IMAGE_TYPE, EncoderPersister.getInstance(), new ByteArrayEncoding(body));
    }

    static JournalInternalRecord deletion(long recordId) {
        return new JournalDeleteRecord(recordId);
    }

    /** From now on batches are those of another life of the file. */
    JournalFileBytes ofLife(long otherFileId) {
        fileId = otherFileId;
        return this;
    }

    /** From now on batches lie from here on. */
    JournalFileBytes at(int position) {
        end = position;
        return this;
    }

    JournalFileBytes batch(long sequence, long nextRecordId, JournalInternalRecord... records) {
        return batch(sequence, nextRecordId, Map.of(), records);
    }

    /** Adds a batch that names these files. */
    JournalFileBytes batch(long sequence, long nextRecordId, Map<Long, Long> files, JournalInternalRecord... records) {
        return batch(sequence, nextRecordId, files, records.length, records);
    }

    /** Adds a batch whose header has this count of records. */
    JournalFileBytes batch(
            long sequence, long nextRecordId, Map<Long, Long> files, int count, JournalInternalRecord... records) {
        int length = ArtemisFormat.batchHeaderBytes(files.size());
        for (JournalInternalRecord record : records) {
            length += record.getEncodeSize();
        }
        BatchHeader header = new BatchHeader(length, count, fileId, end, sequence, nextRecordId, files);
        BatchBuffer batch = new BatchBuffer(1);
        batch.begin(length);
        append(
                batch,
                new JournalAddRecord(
                        JournalImpl.EVENT_RECORD,
                        sequence,
                        ArtemisFormat.BATCH_TYPE,
                        EncoderPersister.getInstance(),
                        new ByteArrayEncoding(header.encodedBody(storeId))));
        for (JournalInternalRecord record : records) {
            append(batch, record);
        }
        bytes.position(end).put(batch.finish());
        end = bytes.position();
        return this;
    }

    private void append(BatchBuffer batch, JournalInternalRecord record) {
        record.setFileID(ArtemisFormat.recordFileId(fileId));
        batch.append(record);
    }

    /** The end of the last batch. */
    int end() {
        return end;
    }

    /** Changes one bit of this byte. */
    JournalFileBytes flip(int at) {
        bytes.put(at, (byte) (bytes.get(at) ^ 1));
        return this;
    }

    /** All bytes; what is changed in them is changed here. */
    ByteBuffer bytes() {
        return bytes.duplicate().clear();
    }

    byte[] array() {
        return bytes.array();
    }

    void writeTo(Disk disk, Path path) throws IOException {
        try (DiskFile file = disk.open(path, OpenMode.CREATE_NEW)) {
            file.writeFully(bytes(), 0);
            file.force();
        }
    }
}
