package io.tallystick.store.journal.artemis;

import io.tallystick.store.log.spi.RecordLog;
import io.tallystick.store.log.spi.Version;
import java.util.Map;

/** A batch that has its place in a file, which may be a file that is not in use yet. */
final class ArtemisBatch extends RecordLog.Batch {
    private final DataFile file;
    private final boolean beginsFile;
    private final Map<Long, Long> files;
    private final long begin;
    private final int length;
    private final int records;
    private final long nextRecordId;

    /**
     * @param sequence one more than that of the batch before
     * @param nextRecordId no record up to this batch has this id or a higher one
     */
    ArtemisBatch(long sequence, Contents contents, Place place, long nextRecordId) {
        super(sequence, contents.first, contents.count, place.bytes, contents.rest);
        this.file = place.file;
        this.beginsFile = place.beginsFile;
        this.files = place.files;
        this.begin = place.begin;
        this.length = contents.length;
        this.records = contents.records;
        this.nextRecordId = nextRecordId;
    }

    /**
     * The appends of a batch.
     *
     * @param first the first append
     * @param count how many appends
     * @param rest the appends behind them, or null
     * @param length bytes of the batch without padding
     * @param records Artemis records in it, besides the one that begins it
     */
    record Contents(Version first, int count, Version rest, int length, int records) {}

    /**
     * The place of a batch.
     *
     * @param file the file that it goes to
     * @param beginsFile whether the journal must go to its next file first
     * @param files the other files, if it is the first batch in its file
     * @param begin the offset in the file, bytes
     * @param bytes bytes of the batch with padding
     */
    record Place(DataFile file, boolean beginsFile, Map<Long, Long> files, long begin, long bytes) {}

    DataFile file() {
        return file;
    }

    boolean beginsFile() {
        return beginsFile;
    }

    long begin() {
        return begin;
    }

    int length() {
        return length;
    }

    int records() {
        return records;
    }

    /** The header of the batch in the file with this id. */
    BatchHeader header(long fileId) {
        return new BatchHeader(length, records, fileId, (int) begin, sequence(), nextRecordId, files);
    }

    int headerBytes() {
        return ArtemisFormat.batchHeaderBytes(files.size());
    }
}
