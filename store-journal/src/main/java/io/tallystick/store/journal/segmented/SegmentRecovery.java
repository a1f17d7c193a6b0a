package io.tallystick.store.journal.segmented;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreFullException;
import io.tallystick.store.journal.engine.Append;
import io.tallystick.store.journal.engine.Judge;
import io.tallystick.store.journal.engine.LogContext;
import io.tallystick.store.journal.engine.RecordDecoder;
import io.tallystick.store.journal.engine.RecordLog.Rewriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Finds again what was acknowledged. The files are forced before they are read, so that nothing is decided on bytes that a
 * second crash could take back; segments are scanned in the order of their ids; the newest record of a key wins, which is
 * the last one met. Nothing is appended behind a recovered tail: a new opening begins with a fresh segment.
 *
 * <p>Recovery changes nothing before everything has been read and found sound, and from then on only files that hold
 * nothing, one header at a time: it may be cut off anywhere and run again.
 */
final class SegmentRecovery {
    /** Says that the store's first segments were made: from then on a missing segment is damage. */
    static final String READY_FILE = "journal.ready";

    /** An opening begins this far behind the highest sequence seen: more than batches can have been in flight. */
    static final long SEQUENCE_STEP = 1024;

    /** Linux caches a file whose first read is of a few KiB in small pages, and reads all of it two to three times as slowly. */
    private static final int FIRST_READ_BYTES = 128 * 1024;

    private static final String REMEDY = "restore the directory from a backup; nothing was changed";
    private static final Judge REFUSING = Judge.refusing(REMEDY);

    private final LogContext context;
    private final Disk disk;
    private final Path directory;
    private final int blockBytes;
    private int longestRecord;

    SegmentRecovery(LogContext context, int blockBytes) {
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

    /** What recovery hands over to the log. */
    record Result(SegmentPool pool, long firstSequence, List<Segment> withGap, long durableBefore, byte[] storeId) {
        /**
         * Records that lie behind a batch that never was completed are not covered by any mark of this opening; they are
         * written again, so that from now on they are.
         */
        void rewriteBeyondGap(Rewriter rewriter) throws IOException {
            SegmentScanner scanner = new SegmentScanner(storeId);
            try {
                for (Segment segment : withGap) {
                    SegmentPool.rewriteLive(segment, durableBefore, scanner, rewriter);
                }
            } catch (StoreFullException noRoom) {
                // They stay where they are, on disk, known by their own checksums only.
            }
            if (!withGap.isEmpty()) {
                rewriter.force();
            }
        }
    }

    Result recover(ConcurrentHashMap<StateKey, Append> index) throws IOException {
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
                segment.close();
            }
            throw failed;
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
            return new Segment(file, header, disk.open(file, context.io().mode()), readFile);
        } catch (IOException | RuntimeException failed) {
            readFile.close();
            throw failed;
        }
    }

    private Result recover(List<Segment> all, boolean isReady, ConcurrentHashMap<StateKey, Append> index)
            throws IOException {
        disk.forceDirectory(directory);
        all.sort(Comparator.comparingLong(Segment::id));
        Map<Path, SegmentHeader> headers = new LinkedHashMap<>();
        all.forEach(segment -> headers.put(segment.path(), segment.header()));
        long oldestId = SegmentFiles.oldestId(headers);
        SegmentFiles.checkNoneMissing(headers, oldestId, directory, isReady, REFUSING);

        SequenceAudit audit = new SequenceAudit(headers.values(), directory, REFUSING);
        List<Segment> counting =
                all.stream().filter(segment -> segment.id() >= oldestId).toList();
        replay(counting, audit, index);
        long lastUsedId = counting.stream()
                .filter(segment -> segment.lastSequence() > 0)
                .mapToLong(Segment::id)
                .max()
                .orElse(0);
        long durableBefore = audit.check();
        ArrayDeque<Segment> used = new ArrayDeque<>();
        List<Segment> unused = new ArrayList<>();
        for (Segment segment : all) {
            // A segment before the last used one was used too, even if no batch in it was completed.
            boolean isUsed = segment.id() >= oldestId && segment.id() <= lastUsedId;
            (isUsed ? used : unused).add(segment);
        }
        return handOver(all, used, unused, audit, durableBefore, isReady);
    }

    private void replay(List<Segment> segments, SequenceAudit audit, ConcurrentHashMap<StateKey, Append> index)
            throws IOException {
        SegmentScanner scanner = new SegmentScanner(context.storeId());
        try (ReadAhead ahead = new ReadAhead()) {
            for (int i = 0; i < segments.size(); i++) {
                ahead.await();
                if (i + 1 < segments.size()) {
                    Segment next = segments.get(i + 1);
                    ahead.begin(next.readFile(), next.header().segmentBytes());
                }
                replay(segments.get(i), scanner, audit, index);
            }
        }
    }

    private void replay(
            Segment segment, SegmentScanner scanner, SequenceAudit audit, ConcurrentHashMap<StateKey, Append> index)
            throws IOException {
        scanner.scan(segment, new SegmentScanner.Visitor() {
            @Override
            public void batch(long position, long end, long gapStart, long sequence, long durableSequence) {
                audit.batch(
                        segment.path(),
                        segment.header().firstSequence(),
                        position,
                        end,
                        gapStart,
                        sequence,
                        durableSequence);
                segment.laidOut(sequence);
            }

            @Override
            public void record(long position, RecordDecoder.Header record, ByteBuffer bytes, int offset) {
                Append superseded;
                if (record.flags() == 0) {
                    superseded = index.remove(record.key());
                } else {
                    superseded = index.put(record.key(), Append.recovered(record, segment, position));
                    segment.becameLive(record.length());
                    longestRecord = Math.max(longestRecord, record.length());
                }
                if (superseded != null) {
                    ((Segment) superseded.home()).becameDead(superseded.recordLength());
                }
            }
        });
    }

    private Result handOver(
            List<Segment> all,
            ArrayDeque<Segment> used,
            List<Segment> unused,
            SequenceAudit audit,
            long durableBefore,
            boolean isReady)
            throws IOException {
        deleteUnfinished();
        long firstSequence = all.isEmpty() ? 1 : audit.highest() + SEQUENCE_STEP;
        List<Segment> withGap = used.stream()
                .filter(segment -> segment.lastSequence() > durableBefore)
                .toList();
        SegmentPool pool = new SegmentPool(
                context.io(),
                disk,
                directory,
                context.storeId(),
                context.options().segmentBytes(),
                blockBytes,
                context.statistics().events(),
                new SegmentPool.Found(
                        used,
                        all.isEmpty() ? 0 : all.get(all.size() - 1).id(),
                        all.stream()
                                .mapToInt(segment -> SegmentFormat.fileNumber(segment.path()))
                                .max()
                                .orElse(0),
                        firstSequence,
                        durableBefore,
                        audit.freedThrough(),
                        longestRecord));
        try {
            prepare(pool, used.size(), unused);
            if (!isReady) {
                disk.open(directory.resolve(READY_FILE), OpenMode.CREATE_NEW).close();
                disk.forceDirectory(directory);
            }
        } catch (IOException | RuntimeException | Error failed) {
            pool.close();
            throw failed;
        }
        return new Result(pool, firstSequence, withGap, durableBefore, context.storeId());
    }

    private void prepare(SegmentPool pool, int used, List<Segment> unused) throws IOException {
        pool.adoptSpares(unused);
        while (pool.spares() < 1) {
            pool.makeSpare();
        }
        try {
            while (used + pool.spares() < context.options().segments()) {
                pool.makeSpare();
            }
        } catch (IOException noRoomForMore) {
            if (used == 0) {
                throw noRoomForMore; // a new store begins whole or not at all
            }
        }
    }

    private void deleteUnfinished() throws IOException {
        for (Path file : disk.list(directory)) {
            String name = file.getFileName().toString();
            if (name.startsWith("segment-") && name.endsWith(SegmentFormat.UNFINISHED_SUFFIX)) {
                disk.delete(file);
            }
        }
    }
}
