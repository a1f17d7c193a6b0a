package io.tallystick.store.journal.segment;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreFullException;
import io.tallystick.store.journal.JournalContext;
import io.tallystick.store.journal.io.DamageListener;
import io.tallystick.store.journal.io.IgnoredBatch;
import io.tallystick.store.log.record.RecordDecoder;
import io.tallystick.store.log.spi.RecordLog.Rewriter;
import io.tallystick.store.log.spi.Version;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Recovers the acknowledged records. The files are forced before they are read, and batches that no mark covers are
 * written again ({@link UncoveredBatches}). So a second crash cannot take back bytes that recovery has relied on.
 * Segments are scanned in the order of their ids, and the last record of a key wins.
 * Nothing is appended behind a recovered tail: a new opening begins with a fresh segment.
 *
 * <p>Recovery changes nothing before everything has been read and found sound. Then it writes bytes over themselves,
 * and changes only files that hold nothing, one header at a time. So it may be cut off anywhere and run again.
 */
public final class SegmentRecovery {
    /** The file that says that the store's first segments were made: from then on a missing segment is damage. */
    public static final String READY_FILE = "journal.ready";

    /** An opening begins this far behind the highest sequence seen: more than batches can have been in flight. */
    static final long SEQUENCE_STEP = 1024;

    /**
     * The first read of a file is this long. After a first read of a few KiB, Linux caches the file in small pages, and
     * reads it two to three times as slowly.
     */
    private static final int FIRST_READ_BYTES = 128 * 1024;

    private static final String REMEDY = "restore the directory from a backup; nothing was changed";
    private static final DamageListener REFUSING = DamageListener.refusing(REMEDY);

    private final JournalContext context;
    private final Disk disk;
    private final Path directory;
    private final int blockBytes;
    private int longestRecord;
    // Of the last opening; null for none.
    private IgnoredBatch ignored;
    // For direct reads of one block.
    private ByteBuffer block;

    SegmentRecovery(JournalContext context, int blockBytes) {
        this.context = context;
        this.disk = context.io().disk();
        this.directory = context.directory();
        this.blockBytes = blockBytes;
        long segmentBytes = context.options().segmentBytes();
        long longestBatch =
                (long) SegmentFormat.BATCH_HEADER_BYTES + context.options().longestRecordBytes();
        context.options()
                .checkFileShape(
                        segmentBytes,
                        segmentBytes - blockBytes,
                        blockBytes,
                        SegmentFormat.aligned(longestBatch, blockBytes));
    }

    /**
     * A segment whose last batches no mark covers, because they lie behind a batch that was not completed.
     *
     * @param coveredThrough the last sequence that is covered
     */
    record Uncovered(Segment segment, long coveredThrough) {}

    /**
     * The outcome of recovery, for the log.
     *
     * @param end where the log goes on: recovery itself may have written batches
     */
    record Result(SegmentPool pool, RecoveredSegments.End end, List<Uncovered> uncovered, byte[] storeId) {
        /**
         * Writes again the records and removals behind a batch that was not completed, because no mark covers them. If
         * an opening crashes on the way, the next one does it.
         */
        void rewriteBeyondGap(Rewriter rewriter) throws IOException {
            SegmentScanner scanner = new SegmentScanner(storeId);
            Set<StateKey> removed = new HashSet<>();
            try {
                for (Uncovered each : uncovered) {
                    rewriteBeyondGap(each, removed, scanner, rewriter);
                }
            } catch (StoreFullException noRoom) {
                // The records stay in their place, known by their own checksums only.
            }
            if (!uncovered.isEmpty()) {
                rewriter.force();
            }
        }

        private static void rewriteBeyondGap(
                Uncovered each, Set<StateKey> removed, SegmentScanner scanner, Rewriter rewriter) throws IOException {
            try {
                RecordRelocation.allBeyond(each.segment, each.coveredThrough, removed, scanner, rewriter);
            } catch (IOException unreadable) {
                if (!each.segment.isFreed()) {
                    throw unreadable;
                }
                // The housekeeper was quicker: nothing in the segment was needed, and its file may be gone.
            }
        }
    }

    Result recover(ConcurrentHashMap<StateKey, Version> index) throws IOException {
        List<Path> files = SegmentFiles.in(disk, directory);
        boolean isReady = disk.kindOf(directory.resolve(READY_FILE)) != Disk.PathKind.MISSING;
        if (isReady && files.isEmpty()) {
            throw new CorruptStoreException(directory, 0, "every segment file is missing", REMEDY);
        }
        List<Segment> all = new ArrayList<>();
        try {
            for (Path file : files) {
                all.add(openSegment(file));
            }
            return recover(all, isReady, index);
        } catch (IOException | RuntimeException | Error failed) {
            for (Segment segment : all) {
                close(segment::close, failed);
            }
            throw failed;
        }
    }

    private interface Closing {
        void close() throws IOException;
    }

    private static void close(Closing closing, Throwable why) {
        try {
            closing.close();
        } catch (IOException alsoFailed) {
            why.addSuppressed(alsoFailed);
        }
    }

    private Segment openSegment(Path file) throws IOException {
        if (disk.kindOf(file) != Disk.PathKind.FILE) {
            throw new CorruptStoreException(file, 0, "it is not a regular file", REMEDY);
        }
        DiskFile readFile = disk.open(file, OpenMode.READ_WRITE);
        try {
            readFile.force();
            readFile.read(ByteBuffer.allocate(FIRST_READ_BYTES), 0);
            long size = readFile.size();
            SegmentHeader header =
                    SegmentHeader.decode(SegmentFiles.headerBlock(readFile, size), context.storeId(), file, size);
            return opened(new Segment(file, header, disk.open(file, context.io().mode()), readFile));
        } catch (IOException | RuntimeException | Error failed) {
            close(readFile::close, failed);
            throw failed;
        }
    }

    private Segment opened(Segment segment) throws IOException {
        try {
            checkPageCache(segment, 0);
            return segment;
        } catch (IOException | RuntimeException | Error failed) {
            close(segment.writeFile()::close, failed);
            throw failed;
        }
    }

    /**
     * Checks that the page cache shows the block that is on disk. Batches are written past it and read through it. If
     * it missed a write, an old header would hide a segment, and an old block behind the last batch would look like a
     * torn tail.
     */
    private void checkPageCache(Segment segment, long position) throws IOException {
        int length = context.io().alignment();
        long aligned = position - position % length;
        if (context.io().needsForce() || aligned + length > segment.header().segmentBytes()) {
            return;
        }
        if (block == null) {
            block = ByteBuffer.allocateDirect(2 * length).alignedSlice(length).slice(0, length);
        }
        ByteBuffer cached = ByteBuffer.allocate(length);
        segment.readFile().readFully(cached, aligned);
        segment.writeFile().readFully(block.clear(), aligned);
        if (block.flip().mismatch(cached.flip()) >= 0) {
            throw new IOException("file=" + segment.path() + " position=" + aligned + ": the page cache of the system"
                    + " shows other bytes than the disk; end every program that has the file open, or start the"
                    + " machine again");
        }
    }

    private Result recover(List<Segment> all, boolean isReady, ConcurrentHashMap<StateKey, Version> index)
            throws IOException {
        disk.forceDirectory(directory);
        all.sort((one, other) -> Long.compare(one.id(), other.id()));
        Map<Path, SegmentHeader> headers = new LinkedHashMap<>();
        for (Segment segment : all) {
            headers.put(segment.path(), segment.header());
        }
        long oldestId = SegmentFiles.oldestId(headers);
        SegmentFiles.checkNoneMissing(headers, oldestId, directory, isReady, REFUSING);

        SequenceAudit audit = new SequenceAudit(headers.values(), directory, REFUSING);
        List<Segment> counting = new ArrayList<>();
        long lastOpening = 0;
        for (Segment segment : all) {
            lastOpening = Math.max(lastOpening, segment.header().firstSequence());
            if (segment.id() >= oldestId) {
                counting.add(segment);
            }
        }
        UncoveredBatches uncovered = new UncoveredBatches(context.io(), context.storeId());
        SegmentScanner scanner = new SegmentScanner(context.storeId());
        replay(counting, scanner, new Found(audit, uncovered, index, lastOpening));
        long lastUsedId = 0;
        for (Segment segment : counting) {
            if (segment.lastSequence() > 0) {
                lastUsedId = Math.max(lastUsedId, segment.id());
            }
        }
        long durableBefore = audit.check();
        StoredStateCheck.check(context.options(), blockBytes, index.values());
        if (ignored != null) {
            ignored.tell();
        }
        uncovered.bringToDisk(audit, scanner, counting);
        rename(all);
        OpenedSegments found = new OpenedSegments(all, new LinkedList<>(), new ArrayList<>(), isReady);
        for (Segment segment : all) {
            // A segment before the last used one was used too, even if no batch in it was completed.
            boolean isUsed = segment.id() >= oldestId && segment.id() <= lastUsedId;
            (isUsed ? found.used : found.unused).add(segment);
        }
        long freedThrough = Math.max(audit.freedThrough(), freeOldestDead(found));
        return handOver(
                found,
                audit,
                new RecoveredSegments.Sequences(firstSequence(found, audit), durableBefore, freedThrough),
                index);
    }

    /**
     * Frees the oldest segments if nothing in them is live, until there are as many unused ones as the housekeeper
     * keeps. Their headers need not be written for that: the first header of this opening says it.
     *
     * @return the last sequence in them, or 0
     */
    private static long freeOldestDead(OpenedSegments found) {
        List<Segment> dead = new ArrayList<>();
        long freedThrough = 0;
        while (found.unused.size() + dead.size() < HousekeepingSnapshot.SPARES
                && !found.used.isEmpty()
                && found.used.peek().liveRecords() == 0) {
            freedThrough = Math.max(freedThrough, found.used.peek().lastSequence());
            dead.add(found.used.remove());
        }
        found.unused.addAll(dead);
        found.unused.sort((one, other) -> Long.compare(one.id(), other.id()));
        return freedThrough;
    }

    /**
     * Gives each file that an earlier release named its present name. In the order of the ids: if this is cut off, such
     * a release misses the oldest segment and refuses the store, rather than the newest one.
     */
    private void rename(List<Segment> all) throws IOException {
        Set<String> names = new HashSet<>();
        int highest = 0;
        for (Segment segment : all) {
            names.add(segment.path().getFileName().toString());
            highest = Math.max(highest, SegmentFormat.fileNumber(segment.path()));
        }
        boolean isAnyRenamed = false;
        for (Segment segment : all) {
            int number = SegmentFormat.fileNumber(segment.path());
            String old = segment.path().getFileName().toString();
            if (!old.equals(SegmentFormat.fileName(number))) {
                boolean isFree = number > 0 && !names.contains(SegmentFormat.fileName(number));
                Path target = directory.resolve(SegmentFormat.fileName(isFree ? number : ++highest));
                disk.renameToNew(segment.path(), target);
                segment.renamedTo(target);
                names.add(target.getFileName().toString());
                isAnyRenamed = true;
            }
        }
        if (isAnyRenamed) {
            disk.forceDirectory(directory);
        }
    }

    private static long firstSequence(OpenedSegments found, SequenceAudit audit) {
        return found.all.isEmpty() ? 1 : audit.highest() + SEQUENCE_STEP;
    }

    /**
     * The places where recovery puts what it reads.
     *
     * @param lastOpening the first sequence of the last opening
     */
    private record Found(
            SequenceAudit audit,
            UncoveredBatches uncovered,
            ConcurrentHashMap<StateKey, Version> index,
            long lastOpening) {}

    private void replay(List<Segment> segments, SegmentScanner scanner, Found found) throws IOException {
        try (ReadAhead ahead = new ReadAhead(segments)) {
            for (int i = 0; i < segments.size(); i++) {
                replay(segments.get(i), ahead.startOf(i), scanner, found);
            }
        }
    }

    private void replay(Segment segment, long from, SegmentScanner scanner, Found found) throws IOException {
        long[] gapStart = new long[1];
        scanner.scan(segment, from, new SegmentScanner.Visitor() {
            @Override
            public void batch(ScannedBatch batch) {
                found.audit.batch(segment.path(), segment.header().firstSequence(), batch);
                found.uncovered.found(segment, batch);
                segment.laidOut(batch.sequence());
            }

            @Override
            public void broken(long position) {
                if (ignored == null && segment.header().firstSequence() == found.lastOpening) {
                    ignored = new IgnoredBatch(segment.path(), position);
                }
            }

            @Override
            public void end(long start) {
                gapStart[0] = start;
            }

            @Override
            public void record(long position, RecordDecoder.Header record, byte[] bytes, int offset) {
                Version superseded;
                if (record.flags() == 0) {
                    superseded = found.index.remove(record.key());
                } else {
                    superseded = found.index.put(record.key(), Version.recovered(record, segment, position));
                    segment.becameLive(record.length());
                    longestRecord = Math.max(longestRecord, record.length());
                }
                if (superseded != null) {
                    ((Segment) superseded.home()).becameDead(superseded.recordLength());
                }
            }
        });
        checkPageCache(segment, gapStart[0]);
    }

    /**
     * The segments that recovery has opened.
     *
     * @param all in the order of their ids
     * @param used those that hold batches, oldest first
     * @param unused those that hold none that is needed, in the order of their ids
     * @param isReady whether the store's first segments were made before
     */
    private record OpenedSegments(List<Segment> all, Deque<Segment> used, List<Segment> unused, boolean isReady) {
        RecoveredSegments.Highest highest() {
            int fileNumber = 0;
            for (Segment segment : all) {
                fileNumber = Math.max(fileNumber, SegmentFormat.fileNumber(segment.path()));
            }
            return new RecoveredSegments.Highest(
                    all.isEmpty() ? 0 : all.get(all.size() - 1).id(), fileNumber);
        }
    }

    private Result handOver(
            OpenedSegments found,
            SequenceAudit audit,
            RecoveredSegments.Sequences sequences,
            ConcurrentHashMap<StateKey, Version> index)
            throws IOException {
        deleteUnfinished();
        List<Segment> used = List.copyOf(found.used);
        SegmentPool pool = new SegmentPool(
                context, blockBytes, new RecoveredSegments(found.used, found.highest(), sequences, longestRecord));
        OpeningCompaction compaction = pool.compaction(context.io(), index, sequences.first());
        try {
            prepare(pool, found, compaction);
            if (!found.isReady) {
                disk.open(directory.resolve(READY_FILE), OpenMode.CREATE_NEW).close();
                disk.forceDirectory(directory);
            }
        } catch (IOException | RuntimeException | Error failed) {
            close(pool::close, failed);
            throw failed;
        }
        return new Result(pool, compaction.end(), uncovered(used, audit), context.storeId());
    }

    private static List<Uncovered> uncovered(List<Segment> used, SequenceAudit audit) {
        List<Uncovered> uncovered = new ArrayList<>();
        for (Segment segment : used) {
            long last = segment.lastSequence();
            long coveredThrough = last > 0 ? audit.coveredThrough(last) : 0;
            if (last > coveredThrough && !segment.isFreed()) {
                uncovered.add(new Uncovered(segment, coveredThrough));
            }
        }
        return uncovered;
    }

    private void prepare(SegmentPool pool, OpenedSegments found, OpeningCompaction compaction) throws IOException {
        int used = found.used.size();
        pool.adoptSpares(found.unused);
        while (pool.spares() < 1) {
            pool.makeSpare();
        }
        try {
            while (used + pool.spares() < context.options().segments()) {
                pool.makeSpare();
            }
        } catch (IOException noRoomForMore) {
            if (used == 0 && !found.isReady) {
                throw noRoomForMore; // a new store begins whole or not at all
            }
        }
        if (used > 0) {
            makeRoomForRemovals(pool, compaction);
        }
    }

    /** An opening that was cut off may have left too little room. Then there is no more of it on a full disk. */
    private static void makeRoomForRemovals(SegmentPool pool, OpeningCompaction compaction) throws IOException {
        compaction.run(true);
        try {
            while (pool.isShortForRemovals()) {
                pool.makeSpare();
            }
        } catch (IOException noRoomForMore) {
            compaction.run(false);
        }
    }

    private void deleteUnfinished() throws IOException {
        for (Path file : disk.list(directory)) {
            if (SegmentFormat.isUnfinished(file)) {
                disk.delete(file);
            }
        }
    }
}
