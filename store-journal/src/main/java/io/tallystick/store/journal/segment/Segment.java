package io.tallystick.store.journal.segment;

import io.tallystick.storage.DiskFile;
import io.tallystick.store.log.spi.RecordHome;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** One life of a segment file: its header, and the count of its live records. */
final class Segment implements RecordHome {
    // Changes while the log is opened only, before other threads see the segment.
    private Path path;
    private final SegmentHeader header;
    // For durable writes, in the way that was chosen for the store.
    private final DiskFile writeFile;
    // For reads, through the page cache.
    private final DiskFile readFile;

    // Laid out here and not superseded by a record on disk: at least the records that recovery needs of this segment.
    private final AtomicInteger liveRecords = new AtomicInteger();
    private final AtomicLong liveBytes = new AtomicLong();

    // The highest sequence laid out in this segment; written under the layout lock before the segment is full.
    private volatile long lastSequence;
    private volatile boolean freed;

    Segment(Path path, SegmentHeader header, DiskFile writeFile, DiskFile readFile) {
        this.path = path;
        this.header = header;
        this.writeFile = writeFile;
        this.readFile = readFile;
    }

    /** The next life of the same file. */
    Segment reborn(SegmentHeader nextHeader) {
        return new Segment(path, nextHeader, writeFile, readFile);
    }

    Path path() {
        return path;
    }

    /** Says that the file has another name now. */
    void renamedTo(Path newPath) {
        path = newPath;
    }

    SegmentHeader header() {
        return header;
    }

    long id() {
        return header.segmentId();
    }

    DiskFile writeFile() {
        return writeFile;
    }

    DiskFile readFile() {
        return readFile;
    }

    /** Bytes that batches may use. */
    long usableBytes() {
        return header.segmentBytes() - header.blockBytes();
    }

    /** Counts a record that is laid out here. */
    void becameLive(int recordBytes) {
        liveRecords.incrementAndGet();
        liveBytes.addAndGet(recordBytes);
    }

    /** Takes a record out of the count: a later version of it is on disk. */
    void becameDead(int recordBytes) {
        liveRecords.decrementAndGet();
        liveBytes.addAndGet(-recordBytes);
    }

    int liveRecords() {
        return liveRecords.get();
    }

    long liveBytes() {
        return liveBytes.get();
    }

    long lastSequence() {
        return lastSequence;
    }

    void laidOut(long sequence) {
        lastSequence = sequence;
    }

    /**
     * Says that the file may hold another life from now on. A read counts only if {@link #isFreed} is false after it.
     */
    void free() {
        freed = true;
    }

    boolean isFreed() {
        return freed;
    }

    void close() throws IOException {
        try (readFile) {
            writeFile.close();
        }
    }

    @Override
    public String toString() {
        return path.getFileName() + " id=" + id() + " live=" + liveRecords;
    }
}
