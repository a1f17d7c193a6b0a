package io.tallystick.store.journal.segment;

import io.tallystick.storage.DiskFile;
import io.tallystick.store.journal.io.LogIo;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The batches that recovery has read and that no mark covers. The force behind such a batch may have failed.
 *
 * <p>After a failed force Linux keeps the pages readable and clean, and a later force answers success. So a reader sees
 * bytes that the next power cut takes away, and another force does not help. Recovery writes the same bytes again in
 * their place and forces them, before anything depends on them. The same bytes over themselves damage nothing, wherever
 * a crash stops them.
 *
 * <p>A log that is written past the page cache has no such pages, unless an earlier opening wrote through it. So there
 * each batch is compared with the disk first, and written only if the disk shows other bytes.
 */
final class UncoveredBatches {
    private static final int CHUNK_BYTES = 64 * 1024;

    private final LogIo io;
    private final byte[] storeId;
    private final List<Place> places = new ArrayList<>();
    // For direct reads and writes; made at the first one.
    private ByteBuffer aligned;

    UncoveredBatches(LogIo io, byte[] storeId) {
        this.io = io;
        this.storeId = storeId;
    }

    private record Place(Segment segment, long position, long sequence) {
        long opening() {
            return segment.header().firstSequence();
        }
    }

    /** Takes note of a valid batch. Its mark covers batches of the same opening only. */
    void found(Segment segment, ScannedBatch batch) {
        long opening = segment.header().firstSequence();
        for (Iterator<Place> earlier = places.iterator(); earlier.hasNext(); ) {
            Place place = earlier.next();
            if (place.opening() == opening && place.sequence() <= batch.durableThrough()) {
                earlier.remove();
            }
        }
        places.add(new Place(segment, batch.position(), batch.sequence()));
    }

    /**
     * Brings the batches to disk that neither a batch nor the header of a later opening covers, and the headers of the
     * opening before this one. Headers of earlier ones were written again by the opening that came next.
     *
     * @param audit has checked all batches
     * @param counting the segments that may hold needed batches
     * @throws IOException they may not be on disk, so the log must not be opened
     */
    void bringToDisk(SequenceAudit audit, SegmentScanner scanner, List<Segment> counting) throws IOException {
        // Not their files: the first hash code of a record loads fifty classes in a new JVM.
        Set<Segment> unforced = new LinkedHashSet<>();
        for (Place place : places) {
            if (place.sequence() > audit.markedThrough(place.sequence()) && !isOnDisk(place, scanner)) {
                unforced.add(place.segment());
            }
        }
        if (io.needsForce()) {
            for (Segment segment : counting) {
                if (segment.lastSequence() > 0 && audit.isOfLastOpening(segment.header())) {
                    writeHeaderAgain(segment);
                    unforced.add(segment);
                }
            }
        }
        for (Segment segment : unforced) {
            segment.readFile().force();
        }
    }

    /** No mark covers a header: an opening that copies segments writes it after the batches. */
    private void writeHeaderAgain(Segment segment) throws IOException {
        ByteBuffer header = ByteBuffer.allocate(SegmentFormat.SEGMENT_HEADER_BYTES);
        segment.header().encodeTo(header, storeId);
        segment.readFile().writeFully(header, 0);
    }

    /** Writes a batch again. False if the file needs a force now. */
    private boolean isOnDisk(Place place, SegmentScanner scanner) throws IOException {
        // Checked again: the system may have dropped the page since the first reading, and now shows the disk's bytes.
        ByteBuffer batch = scanner.batchAt(place.segment(), place.position());
        if (batch == null) {
            throw new IOException("file=" + place.segment().path() + " position=" + place.position()
                    + ": the batch there was whole and is not any more; check the disk, and open the store again");
        }
        if (io.needsForce() || place.segment().header().blockBytes() % io.alignment() != 0) {
            writeThroughPageCache(place.segment().readFile(), place.position(), batch);
            return false;
        }
        writePastPageCache(place.segment().writeFile(), place.position(), batch);
        return true;
    }

    private static void writeThroughPageCache(DiskFile file, long position, ByteBuffer batch) throws IOException {
        // In parts, because the JDK keeps a buffer as long as the longest write.
        for (int at = 0; at < batch.limit(); at += CHUNK_BYTES) {
            file.writeFully(batch.slice(at, Math.min(CHUNK_BYTES, batch.limit() - at)), position + at);
        }
    }

    private void writePastPageCache(DiskFile file, long position, ByteBuffer batch) throws IOException {
        if (aligned == null) {
            int capacity = Math.max(CHUNK_BYTES, io.alignment());
            aligned = ByteBuffer.allocateDirect(capacity + io.alignment())
                    .alignedSlice(io.alignment())
                    .slice(0, capacity);
        }
        for (int at = 0; at < batch.limit(); at += aligned.capacity()) {
            ByteBuffer part = batch.slice(at, Math.min(aligned.capacity(), batch.limit() - at));
            int length = (int) SegmentFormat.aligned(part.limit(), io.alignment());
            file.readFully(aligned.clear().limit(length), position + at);
            if (aligned.flip().limit(part.limit()).mismatch(part) >= 0) {
                aligned.clear().put(part);
                while (aligned.position() < length) {
                    aligned.put((byte) 0);
                }
                file.writeFully(aligned.flip(), position + at);
            }
        }
    }
}
