package io.tallystick.store.journal.artemis;

import io.tallystick.store.log.spi.Version;
import java.io.IOException;
import org.apache.activemq.artemis.api.core.ActiveMQBuffer;
import org.apache.activemq.artemis.core.journal.impl.JournalFile;
import org.apache.activemq.artemis.core.journal.impl.JournalImpl;
import org.apache.activemq.artemis.core.persistence.CoreMessageObjectPools;
import org.apache.activemq.artemis.core.persistence.Persister;

/**
 * Writes batches through the Artemis journal. Each record is appended to the journal, which counts it and puts it into
 * the batch buffer. Then the buffer is written once.
 *
 * <p>The journal swallows most errors. So after each append the buffer must have grown by just the bytes of the
 * record. And before a batch is acknowledged, the journal's error listener must have heard nothing. By one thread
 * at a time.
 */
final class BatchWriter {
    private final JournalImpl journal;
    private final DiskFileFactory factory;
    private final FailureLatch failure;
    private final Housekeeper housekeeper;
    private final JournalFiles files;
    private final DataFiles dataFiles;
    private final ImagePersister images = new ImagePersister();
    private final HeaderPersister headers = new HeaderPersister();

    BatchWriter(JournalImpl journal, ArtemisLog.Parts parts, Housekeeper housekeeper) {
        this.journal = journal;
        this.factory = parts.factory();
        this.failure = parts.failure();
        this.files = parts.files();
        this.dataFiles = parts.dataFiles();
        this.housekeeper = housekeeper;
    }

    /**
     * Writes the batch; it is on disk when this returns.
     *
     * @throws IOException the batch may or may not be on disk
     */
    void write(ArtemisBatch batch) throws IOException {
        // The journal runs on this thread, and nothing in it may see a stray interrupt.
        boolean interrupted = Thread.interrupted();
        try {
            failure.check();
            appendHeader(batch);
            Version append = batch.first();
            for (int i = 0; i < batch.count(); i++) {
                append(append);
                append = append.next();
            }
            if (factory.batch().length() != batch.length()) {
                throw new IOException("batch " + batch.sequence() + " has "
                        + factory.batch().length() + " bytes, not the " + batch.length() + " that were laid out");
            }
            factory.active().writeBatch(batch.begin());
            failure.check();
        } catch (IOException | RuntimeException failed) {
            throw failed;
        } catch (Exception failed) { // the journal's methods are declared to throw anything
            throw new IOException("the Artemis journal failed: " + failed, failed);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void appendHeader(ArtemisBatch batch) throws Exception {
        factory.batch().begin(batch.length());
        JournalFile before = journal.getCurrentFile();
        if (batch.beginsFile()) {
            housekeeper.awaitSpare();
            files.holdBack(before);
            factory.active().markFull();
        }
        journal.appendAddEvent(batch.sequence(), ArtemisFormat.BATCH_TYPE, headers, batch, false, null);
        expect(batch.headerBytes(), "the header of batch " + batch.sequence());
        JournalFile after = journal.getCurrentFile();
        if (batch.beginsFile()) {
            if (after == before || after.getFileID() <= before.getFileID()) {
                throw new IOException("the journal went from file-id=" + before.getFileID() + " to file-id="
                        + after.getFileID() + ", which would be read before it");
            }
            files.rolled();
        } else if (after != before) {
            throw new IOException("the journal went to its next file on its own");
        }
        if (batch.file().fileId() != after.getFileID()) {
            batch.file().takeIntoUse(after.getFileID());
            factory.active().holds(batch.file());
            dataFiles.add(batch.file());
        }
    }

    private void append(Version append) throws Exception {
        int length = factory.batch().length();
        if (!append.isTombstone()) {
            journal.appendAddRecord(append.position(), ArtemisFormat.IMAGE_TYPE, images, append, false, null);
            length += ArtemisFormat.ADD_FRAME_BYTES + append.recordLength();
        }
        Version superseded = append.previous();
        if (superseded != null && !superseded.isTombstone()) {
            journal.tryAppendDeleteRecord(superseded.position(), false, null, null);
            length += ArtemisFormat.DELETE_BYTES;
        }
        expect(length, "a record of " + append.key().toPrintable());
    }

    private void expect(int length, String what) throws IOException {
        if (factory.batch().length() != length) {
            failure.check();
            throw new IOException("the Artemis journal has not taken " + what + " as it was laid out");
        }
    }

    /** Hands the bytes of an image to the journal. */
    static final class ImagePersister implements Persister<Version> {
        @Override
        public byte getID() {
            return ArtemisFormat.IMAGE_TYPE;
        }

        @Override
        public int getEncodeSize(Version append) {
            return append.recordLength();
        }

        @Override
        public void encode(ActiveMQBuffer buffer, Version append) {
            buffer.writeBytes(append.record());
        }

        @Override
        public Version decode(ActiveMQBuffer buffer, Version append, CoreMessageObjectPools pools) {
            throw new UnsupportedOperationException("images are decoded by RecordDecoder");
        }
    }

    /** Encodes the header of a batch when its file is known. */
    private final class HeaderPersister implements Persister<ArtemisBatch> {
        @Override
        public byte getID() {
            return ArtemisFormat.BATCH_TYPE;
        }

        @Override
        public int getEncodeSize(ArtemisBatch batch) {
            return batch.headerBytes() - ArtemisFormat.ADD_FRAME_BYTES;
        }

        @Override
        public void encode(ActiveMQBuffer buffer, ArtemisBatch batch) {
            buffer.writeBytes(batch.header(factory.active().fileId()).encodedBody(factory.storeId()));
        }

        @Override
        public ArtemisBatch decode(ActiveMQBuffer buffer, ArtemisBatch batch, CoreMessageObjectPools pools) {
            throw new UnsupportedOperationException("batches are decoded by BatchHeader");
        }
    }
}
