package io.tallystick.store.journal.artemis;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.StateKey;
import io.tallystick.store.UnsupportedFormatException;
import io.tallystick.store.journal.inspect.JournalInspector;
import io.tallystick.store.journal.inspect.RecordOnDisk;
import io.tallystick.store.journal.io.BestEffortFile;
import io.tallystick.store.log.record.RecordDecoder;
import io.tallystick.store.spi.Damage;
import io.tallystick.store.spi.InspectedFile.Role;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.apache.activemq.artemis.core.journal.impl.JournalImpl;

/**
 * Reads a journal that is not in use. First it scans the files as recovery does, and notes all damage that recovery
 * would refuse. Then it reads the records. If nothing is damaged, it reads the files that recovery would read.
 * Otherwise it reads everything whole: batches behind broken ones, files without headers, and images in broken batches
 * whose own checksums fit.
 */
final class ArtemisReading implements JournalInspector.Files {
    private final Disk disk;
    private final Path directory;
    private final Set<Damage> damages = new LinkedHashSet<>();
    private final TreeMap<Long, Live> live = new TreeMap<>();
    private final Map<StateKey, Long> latest = new HashMap<>();
    private final Map<Long, Long> onDiskThrough = new HashMap<>();
    private final Map<Path, FileScan> scans = new HashMap<>();
    private final Set<Path> data = new HashSet<>();
    private byte[] storeId;
    private boolean isSalvage;
    private long madeUpId;

    /**
     * A reading of this directory.
     *
     * @param storeIdOrNull the store's id; null if the identity file is damaged
     */
    ArtemisReading(Disk disk, Path directory, byte[] storeIdOrNull) {
        this.disk = disk;
        this.directory = directory;
        this.storeId = storeIdOrNull;
    }

    /** An image that was not deleted; without a record if it is damaged. */
    private record Live(Path path, long at, Optional<RecordOnDisk> record, Optional<StateKey> claimed, String reason) {}

    void read() throws IOException {
        boolean isReady = disk.kindOf(directory.resolve(ArtemisFormat.READY_FILE)) != Disk.PathKind.MISSING;
        List<Path> paths = ArtemisAudit.journalFiles(
                disk,
                directory,
                stranger -> note(stranger, 0, Damage.Kind.STRANGER, "it is not one that the journal writes"));
        if (paths.isEmpty() && isReady) {
            note(directory, 0, Damage.Kind.MISSING, "all files of the journal are missing");
        }
        if (storeId == null) {
            storeId = mostCommonStoreId(paths);
        }
        if (storeId != null) {
            List<FileScan> found = scanned(paths, FileScanner.Use.INSPECTION);
            List<FileScan> counting = audited(found);
            if (!damages.isEmpty()) {
                isSalvage = true;
                counting = saved(scanned(paths, FileScanner.Use.SALVAGE));
            }
            replay(counting);
        }
    }

    Optional<byte[]> storeId() {
        return Optional.ofNullable(storeId);
    }

    Set<Damage> damages() {
        return damages;
    }

    Collection<RecordOnDisk> records() {
        Map<StateKey, RecordOnDisk> records = new HashMap<>();
        live.values().forEach(one -> one.record.ifPresent(record -> records.put(record.key(), record)));
        return records.values();
    }

    @Override
    public Optional<Role> roleOf(Path file) {
        String name = file.getFileName().toString();
        if (name.equals(ArtemisFormat.READY_FILE)) {
            return Optional.of(Role.MARKER);
        }
        if (ArtemisFormat.FILE_NAME.matcher(name).matches()) {
            return Optional.of(data.contains(file) ? Role.DATA : Role.SPARE);
        }
        return ArtemisFormat.UNFINISHED_NAME.matcher(name).matches() ? Optional.of(Role.LEFTOVER) : Optional.empty();
    }

    @Override
    public String remark(Path file) {
        FileScan scan = scans.get(file);
        return scan == null || scan.header().isEmpty()
                ? ""
                : "file-id=" + scan.fileId() + (scan.hasBatches() ? " last-sequence=" + scan.lastSequence() : "");
    }

    /** The files that are damaged tell of themselves. */
    @Override
    public OptionalLong ignoredAt(Path file) {
        FileScan scan = scans.get(file);
        return scan == null || isSalvage ? OptionalLong.empty() : scan.ignoredAt();
    }

    @Override
    public Optional<Long> fileBytes() {
        return scans.values().stream()
                .flatMap(scan -> scan.header().stream())
                .map(header -> (long) header.fileBytes())
                .max(Comparator.naturalOrder());
    }

    private void note(Path file, long offset, Damage.Kind kind, String reason) {
        damages.add(Damage.of(file, offset, kind, reason));
    }

    private byte[] mostCommonStoreId(List<Path> paths) throws IOException {
        Map<ByteBuffer, Integer> counts = new HashMap<>();
        for (Path path : paths) {
            try (DiskFile file = new BestEffortFile(disk.open(path, OpenMode.READ), this::note)) {
                ByteBuffer block = ByteBuffer.allocate((int) Math.min(file.size(), ArtemisFormat.HEADER_BYTES));
                file.readFully(block, 0);
                FileHeader.storeIdOf(block.flip()).ifPresent(id -> counts.merge(ByteBuffer.wrap(id), 1, Integer::sum));
            }
        }
        return counts.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(most -> most.getKey().array())
                .orElse(null);
    }

    private List<FileScan> scanned(List<Path> paths, FileScanner.Use use) throws IOException {
        FileScanner scanner = new FileScanner(disk, storeId, use, this::note);
        List<FileScan> found = new ArrayList<>();
        for (Path path : paths) {
            try {
                FileScan scan = scanner.scan(path);
                found.add(scan);
                scans.put(path, scan);
            } catch (CorruptStoreException bad) {
                note(path, bad.offset(), Damage.Kind.HEADER, bad.reason());
            } catch (UnsupportedFormatException notOurs) {
                note(path, 0, Damage.Kind.MISPLACED, notOurs.getMessage());
            }
        }
        return found;
    }

    private List<FileScan> audited(List<FileScan> found) {
        FileScan newest = ArtemisAudit.newestOf(found);
        ArtemisAudit audit = new ArtemisAudit(this::note);
        audit.checkNothingIsNewer(found, newest);
        Set<Integer> sizes = ArtemisAudit.sizesOf(found);
        if (!found.isEmpty() && sizes.size() != 1) {
            note(found.get(0).path(), 0, Damage.Kind.HEADER, "the files of the journal have different sizes=" + sizes);
        }
        return newest == null ? List.of() : audit.dataOf(newest, found);
    }

    /** The files to salvage: those that the newest file names, or all if its list is lost. */
    private List<FileScan> saved(List<FileScan> found) {
        FileScan newest = ArtemisAudit.newestOf(found);
        if (newest == null) {
            return List.of();
        }
        boolean isListLost =
                newest.files().isEmpty() && newest.brokenAt().equals(OptionalLong.of(ArtemisFormat.DATA_OFFSET));
        List<FileScan> counting = new ArrayList<>();
        for (FileScan scan : found) {
            // A file that is named held batches, even if none of them is whole now.
            boolean counts = scan.header().isPresent()
                    && (scan == newest
                            || newest.files().containsKey(scan.fileId())
                            || (isListLost && scan.hasBatches()));
            if (counts) {
                counting.add(scan);
                long fileId = scan.fileId();
                onDiskThrough.put(
                        fileId, Math.max(scan.lastSequence(), newest.files().getOrDefault(fileId, 0L)));
            }
        }
        return counting;
    }

    private void replay(List<FileScan> counting) throws IOException {
        FileScanner scanner = new FileScanner(
                disk,
                storeId,
                isSalvage ? FileScanner.Use.SALVAGE : FileScanner.Use.INSPECTION,
                (file, offset, kind, reason) -> {});
        List<FileScan> inOrder = counting.stream()
                .sorted(Comparator.comparingLong(FileScan::fileId))
                .toList();
        for (FileScan scan : inOrder) {
            data.add(scan.path());
            try {
                scanner.scan(scan.path(), new Replay(scan.path()));
            } catch (CorruptStoreException bad) {
                note(bad.file(), bad.offset(), Damage.Kind.BATCH, bad.reason());
            }
        }
        live.values().stream()
                .filter(one -> one.record.isEmpty())
                .forEach(one -> damages.add(new Damage(one.path, one.at, Damage.Kind.RECORD, one.claimed, one.reason)));
        if (!isSalvage) {
            noteTwins();
        }
    }

    private void noteTwins() {
        Set<StateKey> keys = new HashSet<>();
        for (Live one : live.values()) {
            one.record
                    .filter(record -> !keys.add(record.key()))
                    .ifPresent(twin -> damages.add(new Damage(
                            one.path,
                            one.at,
                            Damage.Kind.RECORD,
                            Optional.of(twin.key()),
                            "there is another record of the same key")));
        }
    }

    /** Applies the records of one file. */
    private final class Replay implements FileScanner.Records {
        private final Path path;
        private final RecordOnDisk.StoreFile storeFile;
        private final RecordDecoder decoder = new RecordDecoder(storeId);

        Replay(Path path) {
            this.path = path;
            this.storeFile = new RecordOnDisk.StoreFile(disk, storeId, path);
        }

        @Override
        public void add(long recordId, ByteBuffer file, int bodyAt, int bodyBytes) {
            Live found = decoded(file, bodyAt, bodyBytes);
            live.put(recordId, found);
            if (isSalvage) {
                found.record.ifPresent(record -> supersede(record.key(), recordId));
            }
        }

        private Live decoded(ByteBuffer file, int bodyAt, int bodyBytes) {
            byte[] bytes = file.array();
            String reason;
            try {
                RecordDecoder.Header header = decoder.decodeHeader(bytes, bodyAt, bodyAt + bodyBytes);
                if (header.length() == bodyBytes && header.flags() != 0) {
                    return new Live(
                            path,
                            bodyAt,
                            Optional.of(new RecordOnDisk(storeFile, bodyAt, header, null)),
                            Optional.empty(),
                            "");
                }
                reason = "it is no image";
            } catch (RecordDecoder.BadRecordException bad) {
                reason = bad.getMessage();
            }
            return new Live(
                    path, bodyAt, Optional.empty(), decoder.claimedKey(bytes, bodyAt, bodyAt + bodyBytes), reason);
        }

        /** The later image counts, because the deletion of the earlier one may be lost. */
        private void supersede(StateKey key, long recordId) {
            Long before = latest.put(key, recordId);
            if (before != null && before != recordId) {
                live.remove(before);
            }
        }

        @Override
        public void delete(long recordId) {
            live.remove(recordId);
        }

        @Override
        public void broken(FileHeader header, ByteBuffer file, int at, long sequence) {
            if (sequence <= onDiskThrough.getOrDefault(header.fileId(), 0L)) {
                int begin = at;
                int limit = Math.min(file.limit(), header.fileBytes());
                while (begin < limit && file.get(begin) == 0) {
                    begin++;
                }
                walkBroken(header, file, begin, limit);
            }
        }

        /** Reads the images of a broken batch, but no deletions: no checksum covers the ids in them. */
        private void walkBroken(FileHeader header, ByteBuffer file, int begin, int limit) {
            ByteBuffer ours = file.duplicate().order(ArtemisFormat.ORDER);
            ByteBuffer artemis = file.duplicate().order(ByteOrder.BIG_ENDIAN);
            if (limit - begin < ArtemisFormat.batchHeaderBytes(0)
                    || ours.getLong(begin + ArtemisFormat.BATCH_FILE_ID_OFFSET) != header.fileId()
                    || ours.getInt(begin + ArtemisFormat.BATCH_POSITION_OFFSET) != begin) {
                return;
            }
            int files = ours.getInt(begin + ArtemisFormat.BATCH_FILE_COUNT_OFFSET);
            if (files < 0 || files > (limit - begin) / ArtemisFormat.BATCH_FILE_BYTES) {
                return;
            }
            int at = begin + ArtemisFormat.batchHeaderBytes(files);
            while (limit - at >= ArtemisFormat.DELETE_BYTES
                    && artemis.getInt(at + ArtemisFormat.RECORD_FILE_ID_OFFSET)
                            == ArtemisFormat.recordFileId(header.fileId())) {
                byte type = artemis.get(at + ArtemisFormat.RECORD_TYPE_OFFSET);
                if (type == JournalImpl.DELETE_RECORD) {
                    at += ArtemisFormat.DELETE_BYTES;
                    continue;
                }
                int body = artemis.getInt(at + ArtemisFormat.RECORD_BODY_LENGTH_OFFSET);
                if (type != JournalImpl.ADD_RECORD || body < 0 || body > limit - at - ArtemisFormat.ADD_FRAME_BYTES) {
                    return;
                }
                addBroken(artemis.getLong(at + ArtemisFormat.RECORD_ID_OFFSET), file, at, body);
                at += ArtemisFormat.ADD_FRAME_BYTES + body;
            }
        }

        private void addBroken(long recordId, ByteBuffer file, int at, int body) {
            Live found = decoded(file, at + ArtemisFormat.RECORD_BODY_OFFSET, body);
            if (found.record.isEmpty()) {
                damages.add(new Damage(path, found.at, Damage.Kind.RECORD, found.claimed, found.reason));
                return;
            }
            long id = live.containsKey(recordId) ? --madeUpId : recordId;
            live.put(id, found);
            supersede(found.record.get().key(), id);
        }
    }
}
