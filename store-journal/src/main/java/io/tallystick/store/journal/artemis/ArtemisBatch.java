package io.tallystick.store.journal.artemis;

import io.tallystick.store.journal.engine.Append;
import io.tallystick.store.journal.engine.RecordLog;
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
     * @param chain the appends of the batch, how many, and what is left over
     * @param file what it goes to
     * @param beginsFile the journal must go to its next file first
     * @param files the other files, if it is the first batch in its file
     * @param begin where in the file it begins, bytes
     * @param length its bytes without padding
     * @param bytes its bytes with padding
     * @param records Artemis records in it, besides the one that begins it
     */
    ArtemisBatch(
            long sequence,
            Chain chain,
            DataFile file,
            boolean beginsFile,
            Map<Long, Long> files,
            long begin,
            int length,
            long bytes,
            int records,
            long nextRecordId) {
        super(sequence, chain.first, chain.count, bytes, chain.rest);
        this.file = file;
        this.beginsFile = beginsFile;
        this.files = files;
        this.begin = begin;
        this.length = length;
        this.records = records;
        this.nextRecordId = nextRecordId;
    }

    /** The first {@code count} appends from {@code first}, and those behind them. */
    record Chain(Append first, int count, Append rest) {}

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

    /** What begins the batch, in the file with this id. */
    BatchHeader header(long fileId) {
        return new BatchHeader(length, records, fileId, (int) begin, sequence(), nextRecordId, files);
    }

    int headerBytes() {
        return ArtemisFormat.batchHeaderBytes(files.size());
    }
}
