package io.tallystick.store.journal.inspect;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.journal.segment.ScannedBatch;
import io.tallystick.store.journal.segment.SegmentFiles;
import io.tallystick.store.journal.segment.SegmentHeader;
import io.tallystick.store.journal.segment.SegmentScanner;
import io.tallystick.store.journal.segment.SequenceAudit;
import io.tallystick.store.log.record.RecordDecoder;
import io.tallystick.store.spi.Damage;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Reads a segmented journal while its owner writes to it, and finds its content at one moment.
 *
 * <h2>The cut</h2>
 *
 * Batches have sequences. What is found is the store's content after all batches up to some sequence: those that are
 * applied <em>in a row</em>, without a gap. Each batch that was on disk when the reading began is among them.
 *
 * <h2>Batches on their way</h2>
 *
 * Several batches may be on their way at once, and one may land, and be acknowledged, before the batches before it. So
 * what lies behind a missing batch may have been acknowledged long ago. An undisturbed pass notes the highest sequence
 * that it has met, the <em>bound</em>. Whatever was acknowledged before the reading began lies up to it. As a
 * rule the missing batches have landed when the next pass comes, and the row reaches the bound. If it does not, because
 * a write is slow, the batches behind the gap and up to the bound are applied as well, as recovery applies them: a
 * crash at the moment of the bound could have left just that. No later batch counts then, because it may have been
 * written by someone who saw the missing one acknowledged.
 *
 * <h2>Passes</h2>
 *
 * Each pass lists the headers, and then reads every segment that is not known to be read to its end. The owner gives a
 * segment another life when nothing in it is needed. It does so in the order of the ids, and writes the new header
 * before it uses the file again. So each header is read again behind its segment. Where it has changed, the finds from
 * that segment and from all before it are dropped. Their live records have been written again, superseded or removed in
 * later batches that were on disk before. The next pass finds those. All that was on disk when a pass listed the
 * headers is in the segments that it has read, if no segment has disturbed it.
 *
 * <h2>Damage</h2>
 *
 * A missing batch may not have been written yet when its place was read. It is damaged if a mark says that it was on
 * disk, and that mark was read before the pass began.
 *
 * <p>The bytes of live records are kept, because their places will not last.
 */
final class LiveSegmentReading {
    private static final int MAX_PASSES = 10_000;
    private static final int HEADER_TRIES = 1_000;

    private final Disk disk;
    private final Path directory;
    private final byte[] storeId;
    private final NotedDamage damage = new NotedDamage();
    private final LatestRecords records = new LatestRecords();
    // By segment id: each life from which batches were taken.
    private final TreeMap<Long, Taken> taken = new TreeMap<>();
    private Map<Path, SegmentHeader> headers = Map.of();
    private long oldestId;
    private long opening;
    private long appliedThrough;
    private long highestMark;
    private long highestSeen;
    // The highest sequence that an undisturbed pass has met, and the headers of that pass; 0 before.
    private long bound;
    private Map<Path, SegmentHeader> headersAtBound = Map.of();
    // Behind a gap and up to the bound, in the order of the log; of this pass only.
    private final List<Beyond> beyond = new ArrayList<>();
    private boolean beyondCut;

    LiveSegmentReading(Disk disk, Path directory, byte[] storeId) {
        this.disk = disk;
        this.directory = directory;
        this.storeId = storeId;
    }

    /** Batches without a gap between them. */
    private static final class Run {
        final long first;
        final long position;
        final long gapStart;
        long last;
        long end;
        long durable;

        Run(ScannedBatch batch) {
            this.first = batch.sequence();
            this.position = batch.position();
            this.gapStart = batch.gapStart();
        }

        void add(ScannedBatch batch) {
            last = batch.sequence();
            end = batch.end();
            durable = Math.max(durable, batch.durableThrough());
        }

        /** The batch of this sequence; only the places of the first and the end of the last are known. */
        ScannedBatch batch(long sequence) {
            boolean isFirst = sequence == first;
            return new ScannedBatch(
                    isFirst ? position : end, end, isFirst ? gapStart : end, sequence, sequence == last ? durable : 0);
        }
    }

    /** The batches that were taken from one life of a file. */
    private static final class Taken {
        final Path path;
        final SegmentHeader header;
        final List<Run> runs = new ArrayList<>();
        boolean isComplete;

        Taken(Path path, SegmentHeader header) {
            this.path = path;
            this.header = header;
        }

        void add(ScannedBatch batch) {
            if (runs.isEmpty() || lastSequence() + 1 != batch.sequence()) {
                runs.add(new Run(batch));
            }
            runs.get(runs.size() - 1).add(batch);
        }

        long lastSequence() {
            return runs.isEmpty() ? 0 : runs.get(runs.size() - 1).last;
        }
    }

    /** A batch behind a gap, with its records. */
    private record Beyond(Taken life, ScannedBatch batch, List<Found> records) {}

    private record Found(RecordDecoder.Header header, RecordOnDisk recordOrNull) {}

    /**
     * Reads until a pass is undisturbed, and no gap is left that matters.
     *
     * @throws StoreLockedException the owner was quicker in every pass
     */
    void read() throws IOException {
        for (int pass = 0; pass < MAX_PASSES; pass++) {
            if (isUndisturbedPass()) {
                audit();
                return;
            }
        }
        throw new StoreLockedException("directory=" + directory
                + ": the store writes so fast that segments are used again before they are read; try again when it"
                + " has less to do");
    }

    Set<Damage> damages() {
        return damage.all();
    }

    Collection<RecordOnDisk> records() {
        return records.all();
    }

    SegmentView view() {
        Map<Path, Long> last = new HashMap<>();
        taken.values().stream()
                .filter(life -> life.lastSequence() > 0)
                .forEach(life -> last.put(life.path, life.lastSequence()));
        return new SegmentView(headers, oldestId, last, Map.of()); // what is not whole may be on its way
    }

    private boolean isUndisturbedPass() throws IOException {
        long markBefore = highestMark;
        damage.clear();
        try {
            headers = listedHeaders();
            // The same twice: so all of them were there at one moment in between.
            if (!headers.equals(listedHeaders())) {
                return false;
            }
        } catch (NoSuchFileException | EOFException goneMeanwhile) {
            return false;
        }
        begin();
        for (Map.Entry<Path, SegmentHeader> entry : headers.entrySet()) {
            long id = entry.getValue().segmentId();
            if (id < oldestId || taken.containsKey(id) && taken.get(id).isComplete) {
                continue;
            }
            if (!isTakenWhole(entry.getKey(), entry.getValue())) {
                drop(id);
                return false;
            }
        }
        markComplete();
        if (appliedThrough < markBefore) {
            tellMissing(markBefore);
            return true;
        }
        if (bound > 0 && appliedThrough >= bound) {
            return true;
        }
        // A segment that has got another life since then would have its live records behind the bound.
        if (bound > 0 && headers.equals(headersAtBound)) {
            applyBeyond();
            return true;
        }
        bound = highestSeen;
        headersAtBound = headers;
        // A mark may be of a batch that came after the missing one's place was read; the next pass tells.
        return appliedThrough >= Math.max(highestMark, highestSeen);
    }

    /** Applies what lies behind the gap and up to the bound. */
    private void applyBeyond() {
        for (Beyond batch : beyond) {
            batch.life.add(batch.batch);
            for (Found found : batch.records) {
                records.apply(found.header, batch.life.header.segmentId(), () -> found.recordOrNull);
            }
        }
    }

    private Map<Path, SegmentHeader> listedHeaders() throws IOException {
        Map<Path, SegmentHeader> found = new HashMap<>();
        for (Path path : SegmentFiles.in(disk, directory)) {
            try {
                found.put(path, header(path));
            } catch (CorruptStoreException damaged) {
                damage.damaged(path, damaged.offset(), Damage.Kind.HEADER, damaged.reason());
            }
        }
        return SegmentFiles.inOrder(found);
    }

    /** Reads a header. A damaged one is read again, because the owner may be writing it. */
    private SegmentHeader header(Path path) throws IOException {
        CorruptStoreException damaged = null;
        for (int tries = 0; tries < HEADER_TRIES; tries++) {
            try (DiskFile file = disk.open(path, OpenMode.READ)) {
                long size = file.size();
                return SegmentHeader.decode(SegmentFiles.headerBlock(file, size), storeId, path, size);
            } catch (CorruptStoreException notYet) {
                damaged = notYet;
                Thread.onSpinWait();
            }
        }
        throw damaged;
    }

    private void begin() {
        long latest = headers.values().stream()
                .mapToLong(SegmentHeader::firstSequence)
                .max()
                .orElse(1);
        long freedThrough = headers.values().stream()
                .mapToLong(SegmentHeader::freedThrough)
                .max()
                .orElse(0);
        if (latest != opening) {
            opening = latest;
            taken.clear();
            records.clear();
            appliedThrough = opening - 1;
            highestMark = 0;
            highestSeen = 0;
            bound = 0;
        }
        oldestId = SegmentFiles.oldestId(headers);
        drop(oldestId - 1);
        appliedThrough = Math.max(appliedThrough, freedThrough);
        beyondCut = false;
        beyond.clear();
    }

    /** Forgets the finds from lives up to this one: nothing in them counts any more. */
    private void drop(long throughId) {
        if (!taken.headMap(throughId, true).isEmpty()) {
            taken.headMap(throughId, true).clear();
            records.forget(id -> id <= throughId);
        }
    }

    /** Takes the batches that were not taken yet; false if the file has got another life meanwhile. */
    private boolean isTakenWhole(Path path, SegmentHeader header) throws IOException {
        Taken life = taken.computeIfAbsent(header.segmentId(), id -> new Taken(path, header));
        try (DiskFile file = disk.open(path, OpenMode.READ)) {
            new SegmentScanner(storeId).scan(file, header, new Taking(life));
        } catch (NoSuchFileException | EOFException goneMeanwhile) {
            return false;
        }
        try {
            return header(path).equals(header);
        } catch (NoSuchFileException | EOFException | CorruptStoreException goneMeanwhile) {
            return false;
        }
    }

    /** Takes the batches of one life that come next. */
    private final class Taking implements SegmentScanner.Visitor {
        private final Taken life;
        private final RecordOnDisk.StoreFile file;
        private final boolean isOfThisOpening;
        private boolean counts;
        private boolean countsBeyond;

        Taking(Taken life) {
            this.life = life;
            this.file = new RecordOnDisk.StoreFile(disk, storeId, life.path);
            this.isOfThisOpening = life.header.firstSequence() == opening;
        }

        @Override
        public void batch(ScannedBatch batch) {
            long sequence = batch.sequence();
            if (!isOfThisOpening) {
                counts = sequence > life.lastSequence();
            } else {
                highestMark = Math.max(highestMark, batch.durableThrough());
                highestSeen = Math.max(highestSeen, sequence);
                beyondCut |= sequence > appliedThrough + 1;
                counts = sequence == appliedThrough + 1 && !beyondCut;
                appliedThrough = counts ? sequence : appliedThrough;
            }
            if (counts) {
                life.add(batch);
            }
            countsBeyond = beyondCut && sequence <= bound;
            if (countsBeyond) {
                beyond.add(new Beyond(life, batch, new ArrayList<>()));
            }
        }

        @Override
        public void record(long position, RecordDecoder.Header record, byte[] bytes, int offset) {
            if (counts) {
                records.apply(record, life.header.segmentId(), () -> kept(position, record, bytes, offset));
            } else if (countsBeyond) {
                boolean isRemoval = record.flags() == 0;
                beyond.get(beyond.size() - 1)
                        .records
                        .add(new Found(record, isRemoval ? null : kept(position, record, bytes, offset)));
            }
        }

        private RecordOnDisk kept(long position, RecordDecoder.Header record, byte[] bytes, int offset) {
            byte[] copy = new byte[record.length()];
            System.arraycopy(bytes, offset, copy, 0, copy.length);
            return new RecordOnDisk(file, position, record, copy);
        }
    }

    /** Marks the lives that get no more batches: those of earlier openings, and those before one that holds a batch. */
    private void markComplete() {
        boolean isLaterUsed = false;
        for (Taken life : taken.descendingMap().values()) {
            life.isComplete = life.header.firstSequence() != opening || isLaterUsed;
            isLaterUsed |= life.header.firstSequence() == opening && !life.runs.isEmpty();
        }
    }

    private void tellMissing(long onDiskThrough) {
        Taken last = taken.values().stream()
                .filter(life -> life.lastSequence() == appliedThrough)
                .findFirst()
                .orElse(taken.isEmpty() ? null : taken.firstEntry().getValue());
        damage.damaged(
                last == null ? directory : last.path,
                last == null || last.runs.isEmpty() ? 0 : last.runs.get(last.runs.size() - 1).end,
                Damage.Kind.BATCH,
                "batch " + (appliedThrough + 1) + " is damaged or missing, though batches up to " + onDiskThrough
                        + " were on disk; batches behind it are not checked while the store is in use");
    }

    /** Audits the batches as recovery does. */
    private void audit() {
        SegmentFiles.checkNoneMissing(headers, oldestId, directory, true, damage);
        SequenceAudit audit = new SequenceAudit(headers.values(), directory, damage);
        for (Taken life : taken.values()) {
            for (Run run : life.runs) {
                for (long sequence = run.first; sequence <= run.last; sequence++) {
                    audit.batch(life.path, life.header.firstSequence(), run.batch(sequence));
                }
            }
        }
        audit.check();
    }
}
