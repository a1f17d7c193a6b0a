package io.tallystick.store.journal.segment;

import io.tallystick.storage.SystemRandom;
import io.tallystick.store.StateKey;
import io.tallystick.store.journal.io.LogIo;
import io.tallystick.store.log.record.RecordDecoder;
import io.tallystick.store.log.spi.Version;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Makes room at the opening of a log whose disk takes no more files, before any caller is there. Each step exchanges
 * the oldest segments for a spare: it copies their live records into the spare, and frees them.
 *
 * <h2>A step may be cut off anywhere</h2>
 *
 * <pre>
 *   1. write batches into the first spare, with a salt that no header has
 *   2. force them
 *   3. write the header of the spare: this salt, and the oldest segment and the sequences that are needed from now on
 *   4. write the header of each segment that was given up: it is a spare now
 * </pre>
 *
 * A header lies within one sector. Before step 3 ends, the batches are left-overs of no life, and the spare is unused.
 * From then on the copies count, and the segments that they came from are unused. So at each moment as many segments
 * are unused as before, or more.
 *
 * <h2>A step always succeeds</h2>
 *
 * The oldest segment is copied in whole batches, and neighbours are joined. A copied batch takes no more blocks than
 * the batches that it was made of. So the live records of one segment fit into one spare of the same size and block
 * size. What is left of the spare takes records of the next segments.
 *
 * <h2>The steps come to an end</h2>
 *
 * Copies are not copied again. After each segment was copied once, no spare has wasted more than {@link
 * io.tallystick.store.journal.room.Reserves#waste}, and the log goes on behind the copies in the last one. So there is
 * as much room as after the housekeeper has carried all segments along.
 */
final class OpeningCompaction {
    private static final int MAX_BATCH_BYTES = 1024 * 1024;

    private final LogIo io;
    private final SegmentRing ring;
    private final SegmentFactory factory;
    private final SegmentScanner scanner;
    private final ConcurrentHashMap<StateKey, Version> index;
    private final long firstSequence;

    private long nextSequence;
    // The spare that the last step has filled, and where its free blocks begin; the log goes on there.
    private Segment active;
    private long activePosition;
    // Made for the first step, because most openings need none.
    private BatchWriter writer;

    /**
     * A compaction that has done nothing.
     *
     * @param index the latest version of each key; follows each step
     * @param firstSequence the first sequence of this opening
     */
    OpeningCompaction(
            LogIo io,
            SegmentRing ring,
            SegmentFactory factory,
            SegmentScanner scanner,
            ConcurrentHashMap<StateKey, Version> index,
            long firstSequence) {
        this.io = io;
        this.ring = ring;
        this.factory = factory;
        this.scanner = scanner;
        this.index = index;
        this.firstSequence = firstSequence;
        this.nextSequence = firstSequence;
    }

    /** Where the log goes on: behind the copies, if there are any. */
    RecoveredSegments.End end() {
        return new RecoveredSegments.End(active, activePosition, nextSequence);
    }

    /**
     * Takes steps until removals have the room that they need, or all segments were copied once.
     *
     * @param onlyWherePreferred ends where the housekeeper would rather make a file
     */
    void run(boolean onlyWherePreferred) throws IOException {
        boolean isGoingOn = true;
        while (isGoingOn && ring.isShortForRemovals() && ring.mayCarryingSuffice()) {
            isGoingOn = !(onlyWherePreferred && ring.prefersNewFile()) && step();
        }
    }

    /** Exchanges the oldest segments for the first spare. False if that frees none; then nothing has changed. */
    private boolean step() throws IOException {
        Segment spare = ring.firstSpareOrNull();
        if (spare == null) {
            return false;
        }
        long salt = SystemRandom.nextLong();
        Copies copies = new Copies(spare.reborn(spare.header().ofCopies(salt, spare.header())));
        List<Segment> freed = new ArrayList<>();
        long gain = 0;
        try {
            for (Segment segment : ring.used()) {
                boolean isCopy = segment.header().firstSequence() == firstSequence;
                if (isCopy || !ring.isShortForRemovals(gain) || !copies.holdAllOf(segment, freed.isEmpty())) {
                    break;
                }
                freed.add(segment);
                gain = freedBytes(freed) - copies.bytes();
            }
            if (freed.isEmpty()) {
                return false;
            }
            copies.complete();
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
        commit(spare, copies, freed, salt);
        return true;
    }

    private static long freedBytes(List<Segment> freed) {
        long bytes = 0;
        for (Segment segment : freed) {
            bytes += segment.usableBytes();
        }
        return bytes;
    }

    private void commit(Segment spare, Copies copies, List<Segment> freed, long salt) throws IOException {
        Segment filled = spare.reborn(spare.header().ofCopies(salt, ring.headerWithout(freed, spare)));
        factory.writeHeader(filled);
        long left = active == null ? 0 : active.header().segmentBytes() - activePosition;
        ring.fill(spare, filled, left + copies.position - filled.header().blockBytes());
        active = filled;
        activePosition = copies.position;
        nextSequence = copies.sequence;
        filled.laidOut(nextSequence - 1);
        ring.durable(nextSequence - 1);
        copies.becomeLatest(filled);
        for (Segment segment : freed) {
            long freedBefore = ring.takeOut(segment);
            try {
                if (ring.hasCurrentSize(segment)) {
                    factory.recycle(segment);
                } else {
                    factory.delete(segment); // the header of the copies says that it is not needed
                }
            } catch (IOException | RuntimeException | Error unknown) {
                ring.putBack(segment, freedBefore); // to be closed, as all others are
                throw unknown;
            }
        }
    }

    /** A copy of a version, in the chain of its batch. */
    private static final class Copy extends Version {
        private final Version original;
        private Copy next;

        Copy(Version original, byte[] record) {
            super(original, record);
            this.original = original;
        }

        @Override
        public Version next() {
            return next;
        }
    }

    /** A copy that is on disk, and where. */
    private record Placed(Version original, RecordDecoder.Header header, long position) {}

    /** Copies live records into one segment. */
    private final class Copies implements SegmentScanner.Visitor {
        private final Segment target;
        private final List<Placed> placed = new ArrayList<>();
        // Records that are in one batch.
        private final List<Copy> batch = new ArrayList<>();
        private final List<RecordDecoder.Header> batchHeaders = new ArrayList<>();
        // Records that go into one batch together, or not at all.
        private final List<Copy> unit = new ArrayList<>();
        private final List<RecordDecoder.Header> unitHeaders = new ArrayList<>();
        private Segment source;
        private boolean isOldest;
        private boolean isFull;
        private int taken;
        private long position;
        private long batchBytes = SegmentFormat.BATCH_HEADER_BYTES;
        // A step that frees nothing gives its sequences back: recovery requires each one that was used.
        private long sequence = nextSequence;

        Copies(Segment target) {
            this.target = target;
            this.position = target.header().blockBytes();
        }

        /** Copies what is live in the segment; false if not all of it was copied. */
        boolean holdAllOf(Segment segment, boolean isTheOldest) throws IOException {
            source = segment;
            isOldest = isTheOldest;
            taken = 0;
            if (segment.liveRecords() > 0) {
                scanner.scan(segment, this);
            }
            return !isFull && taken == segment.liveRecords(); // fewer, if a batch was damaged since it was read
        }

        /** Room that the copies take so far. */
        long bytes() {
            long unused = active == null ? 0 : active.header().segmentBytes() - activePosition;
            return unused + position - target.header().blockBytes() + batchBytes;
        }

        @Override
        public void batch(ScannedBatch found) {
            endUnit();
        }

        @Override
        public void record(long at, RecordDecoder.Header record, byte[] bytes, int offset) {
            Version latest = index.get(record.key());
            if (latest == null || latest.home() != source || latest.position() != at) {
                return;
            }
            byte[] copy = new byte[record.length()];
            System.arraycopy(bytes, offset, copy, 0, copy.length);
            unit.add(new Copy(latest, copy));
            unitHeaders.add(record);
            if (!isOldest) {
                endUnit();
            }
        }

        @Override
        public void end(long gapStart) {
            endUnit();
        }

        private void endUnit() {
            long bytes = 0;
            for (Copy copy : unit) {
                bytes += copy.recordLength();
            }
            // The last block is for a mark, unless the oldest segment needs it.
            long left = target.header().segmentBytes()
                    - position
                    - (isOldest ? 0 : target.header().blockBytes());
            if (!batch.isEmpty() && batchBytes + bytes > Math.min(MAX_BATCH_BYTES, left)) {
                left -= SegmentFormat.aligned(batchBytes, target.header().blockBytes());
                writeBatch();
            }
            isFull |= !unit.isEmpty() && batchBytes + bytes > left;
            if (!isFull) {
                batch.addAll(unit);
                batchHeaders.addAll(unitHeaders);
                batchBytes += bytes;
                taken += unit.size();
            }
            unit.clear();
            unitHeaders.clear();
        }

        /** Writes what is left, and a batch whose mark covers the others; all of it is on disk then. */
        void complete() throws IOException {
            if (!batch.isEmpty()) {
                writeBatch();
            }
            if (position < target.header().segmentBytes()) {
                writeBatch();
            }
            if (io.needsForce()) {
                target.writeFile().force();
            }
        }

        private void writeBatch() {
            if (writer == null) {
                int capacity = (int) Math.min(MAX_BATCH_BYTES, target.header().segmentBytes());
                writer = new BatchWriter(capacity, Math.max(target.header().blockBytes(), io.alignment()));
            }
            long at = position + SegmentFormat.BATCH_HEADER_BYTES;
            Copy last = null;
            for (int i = 0; i < batch.size(); i++) {
                Copy copy = batch.get(i);
                placed.add(new Placed(copy.original, batchHeaders.get(i), at));
                at += copy.recordLength();
                if (last != null) {
                    last.next = copy;
                }
                last = copy;
            }
            SegmentBatch.Place place = new SegmentBatch.Place(target, position, (int) batchBytes);
            SegmentBatch whole =
                    new SegmentBatch(sequence, batch.isEmpty() ? null : batch.get(0), batch.size(), null, place);
            try {
                // Each batch before it is on disk when the header makes it count.
                writer.write(whole, sequence - 1, false);
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
            sequence++;
            position += whole.bytes();
            batch.clear();
            batchHeaders.clear();
            batchBytes = SegmentFormat.BATCH_HEADER_BYTES;
        }

        /** From now on the index shows the copies. */
        void becomeLatest(Segment filled) {
            for (Placed each : placed) {
                index.put(each.header.key(), Version.recovered(each.header, filled, each.position));
                filled.becameLive(each.header.length());
                ((Segment) each.original.home()).becameDead(each.header.length());
            }
        }
    }
}
