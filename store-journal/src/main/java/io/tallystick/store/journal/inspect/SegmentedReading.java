package io.tallystick.store.journal.inspect;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.StateKey;
import io.tallystick.store.UnsupportedFormatException;
import io.tallystick.store.journal.io.BestEffortFile;
import io.tallystick.store.journal.segment.ScannedBatch;
import io.tallystick.store.journal.segment.SegmentFiles;
import io.tallystick.store.journal.segment.SegmentFormat;
import io.tallystick.store.journal.segment.SegmentHeader;
import io.tallystick.store.journal.segment.SegmentRecovery;
import io.tallystick.store.journal.segment.SegmentScanner;
import io.tallystick.store.journal.segment.SequenceAudit;
import io.tallystick.store.log.record.RecordDecoder;
import io.tallystick.store.spi.Damage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Reads a segmented journal that no process has open, as recovery does, but goes on where recovery refuses. Where a
 * file's header is damaged, its batches tell the salt and the segment id. Of a damaged batch the whole records are
 * taken.
 */
final class SegmentedReading {
    private final Disk disk;
    private final Path directory;
    private final NotedDamage damage = new NotedDamage();
    private final LatestRecords records = new LatestRecords();
    private final Map<Path, Long> lastSequences = new HashMap<>();
    private final Map<Path, Long> ignored = new HashMap<>();
    private Map<Path, SegmentHeader> headers = Map.of();
    private byte[] storeId;
    private long oldestId;

    /**
     * A reading of this directory.
     *
     * @param storeIdOrNull the store's id; null if the file that tells it is damaged
     */
    SegmentedReading(Disk disk, Path directory, byte[] storeIdOrNull) {
        this.disk = disk;
        this.directory = directory;
        this.storeId = storeIdOrNull;
    }

    void read() throws IOException {
        List<Path> files = SegmentFiles.in(disk, directory);
        boolean isReady = disk.kindOf(directory.resolve(SegmentRecovery.READY_FILE)) != Disk.PathKind.MISSING;
        if (isReady && files.isEmpty()) {
            damage.damaged(directory, 0, Damage.Kind.MISSING, "every segment file is missing");
        }
        if (storeId == null) {
            storeId = mostCommonStoreId(files);
        }
        if (storeId != null) {
            readHeaders(files);
            replay(isReady);
        }
    }

    /** The store's id, if it is known. */
    Optional<byte[]> storeId() {
        return Optional.ofNullable(storeId);
    }

    Set<Damage> damages() {
        return damage.all();
    }

    Collection<RecordOnDisk> records() {
        return records.all();
    }

    SegmentView view() {
        return new SegmentView(headers, oldestId, lastSequences, ignored);
    }

    private DiskFile open(Path file) throws IOException {
        return new BestEffortFile(disk.open(file, OpenMode.READ), damage);
    }

    private byte[] mostCommonStoreId(List<Path> files) throws IOException {
        Map<ByteBuffer, Integer> counts = new HashMap<>();
        for (Path path : files) {
            if (disk.kindOf(path) == Disk.PathKind.FILE) {
                try (DiskFile file = open(path)) {
                    SegmentHeader.storeIdOf(SegmentFiles.headerBlock(file, file.size()))
                            .ifPresent(id -> counts.merge(ByteBuffer.wrap(id), 1, Integer::sum));
                }
            }
        }
        return counts.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(most -> most.getKey().array())
                .orElse(null);
    }

    private void readHeaders(List<Path> files) throws IOException {
        Map<Path, SegmentHeader> found = new HashMap<>();
        List<Path> headless = new ArrayList<>();
        for (Path path : files) {
            if (disk.kindOf(path) != Disk.PathKind.FILE) {
                damage.damaged(path, 0, Damage.Kind.MISPLACED, "it is not a regular file");
                continue;
            }
            try (DiskFile file = open(path)) {
                long size = file.size();
                ByteBuffer block = SegmentFiles.headerBlock(file, size);
                try {
                    found.put(path, SegmentHeader.decode(block, storeId, path, size));
                } catch (UnsupportedFormatException notOurs) {
                    noteForeign(path, block);
                } catch (CorruptStoreException bad) {
                    damage.damaged(bad.file(), bad.offset(), Damage.Kind.HEADER, bad.reason());
                    Optional<SegmentHeader> cut = SegmentHeader.ofCutFile(block, storeId, path, size);
                    cut.ifPresentOrElse(header -> found.put(path, header), () -> headless.add(path));
                }
            }
        }
        oldestId = SegmentFiles.oldestId(found);
        for (Path path : headless) {
            guessHeader(path, found);
        }
        headers = SegmentFiles.inOrder(found);
        if (headers.size() == headless.size() && !headers.isEmpty()) {
            oldestId = headers.values().iterator().next().segmentId(); // no header is left to tell
        }
    }

    private void noteForeign(Path path, ByteBuffer block) {
        Optional<byte[]> other = SegmentHeader.storeIdOf(block).filter(id -> !Arrays.equals(id, storeId));
        if (other.isPresent()) {
            damage.damaged(path, SegmentFormat.STORE_ID_OFFSET, Damage.Kind.MISPLACED, "it belongs to another store");
        } else {
            damage.damaged(path, SegmentFormat.VERSION_OFFSET, Damage.Kind.NEWER, "it has a newer format version");
        }
    }

    /** Makes a header from the batches of a headless file. They belong to the last opening that began before them. */
    private void guessHeader(Path path, Map<Path, SegmentHeader> found) throws IOException {
        try (DiskFile file = open(path)) {
            SegmentScanner scanner = new SegmentScanner(storeId);
            Optional<SegmentHeader> life = scanner.latestLife(file, file.size());
            if (life.isEmpty()) {
                return;
            }
            long[] first = {0};
            scanner.scan(file, life.get(), new SegmentScanner.Visitor() {
                @Override
                public void batch(ScannedBatch batch) {
                    first[0] = first[0] == 0 ? batch.sequence() : first[0];
                }

                @Override
                public void record(long position, RecordDecoder.Header record, byte[] bytes, int offset) {
                    // the replay applies it
                }
            });
            long opening = found.values().stream()
                    .mapToLong(SegmentHeader::firstSequence)
                    .filter(sequence -> sequence <= first[0])
                    .max()
                    .orElse(first[0]);
            found.put(path, life.get().ofOpening(opening));
        }
    }

    private void replay(boolean isReady) throws IOException {
        SegmentFiles.checkNoneMissing(headers, oldestId, directory, isReady && !headers.isEmpty(), damage);
        SequenceAudit audit = new SequenceAudit(headers.values(), directory, damage);
        replay(audit, List.of());
        audit.check();
        if (!audit.required().isEmpty()) {
            ignored.clear(); // it is told as damage
            records.clear();
            SequenceAudit again = new SequenceAudit(headers.values(), directory, (file, offset, kind, reason) -> {});
            replay(again, audit.required());
        }
    }

    private void replay(SequenceAudit audit, List<SequenceAudit.Gap> salvaged) throws IOException {
        SegmentScanner scanner = new SegmentScanner(storeId);
        for (Map.Entry<Path, SegmentHeader> entry : headers.entrySet()) {
            if (entry.getValue().segmentId() >= oldestId) {
                try (DiskFile file = open(entry.getKey())) {
                    Replay replay = new Replay(file, entry.getValue(), audit, salvaged);
                    scanner.scan(file, entry.getValue(), replay);
                    replay.rethrow();
                }
            }
        }
    }

    /** Applies one segment's records. */
    private final class Replay implements SegmentScanner.Visitor, SegmentSalvage.Finds {
        private final DiskFile file;
        private final RecordOnDisk.StoreFile storeFile;
        private final SegmentHeader header;
        private final SequenceAudit audit;
        private final List<SequenceAudit.Gap> salvaged;
        private boolean counts;
        private IOException failed;

        Replay(DiskFile file, SegmentHeader header, SequenceAudit audit, List<SequenceAudit.Gap> salvaged) {
            this.file = file;
            this.storeFile = new RecordOnDisk.StoreFile(disk, storeId, file.path());
            this.header = header;
            this.audit = audit;
            this.salvaged = salvaged;
        }

        @Override
        public void batch(ScannedBatch batch) {
            if (batch.isBehindGap()) {
                salvage(batch.gapStart(), batch.position());
            }
            counts = audit.batch(file.path(), header.firstSequence(), batch);
            if (counts) {
                lastSequences.put(file.path(), batch.sequence());
            }
        }

        @Override
        public void record(long position, RecordDecoder.Header record, byte[] bytes, int offset) {
            if (counts) {
                records.apply(record, header.segmentId(), () -> new RecordOnDisk(storeFile, position, record, null));
            }
        }

        @Override
        public void broken(long position) {
            if (salvaged.isEmpty()) {
                ignored.putIfAbsent(file.path(), position);
            }
        }

        @Override
        public void end(long gapStart) {
            salvage(gapStart, header.segmentBytes());
        }

        private void salvage(long from, long to) {
            if (salvaged.isEmpty() || failed != null) {
                return;
            }
            boolean isDamagedBatch =
                    salvaged.stream().anyMatch(gap -> gap.file().equals(file.path()) && gap.offset() == from);
            counts = true;
            try {
                new SegmentSalvage(file, header, storeId, this)
                        .search(from, to, isDamagedBatch, sequence -> salvaged.stream()
                                .anyMatch(gap -> gap.first() <= sequence && sequence <= gap.last()));
            } catch (IOException trouble) {
                failed = trouble;
            }
        }

        @Override
        public void lost(long position, Optional<StateKey> claimedKey, String reason) {
            damage.add(new Damage(file.path(), position, Damage.Kind.RECORD, claimedKey, reason));
        }

        void rethrow() throws IOException {
            if (failed != null) {
                throw failed;
            }
        }
    }
}
