package io.tallystick.store.journal.artemis;

import io.tallystick.storage.Disk;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.StateKey;
import io.tallystick.store.UnsupportedFormatException;
import io.tallystick.store.journal.JournalContext;
import io.tallystick.store.journal.artemis.room.RoomRequests;
import io.tallystick.store.journal.io.DamageListener;
import io.tallystick.store.journal.io.IgnoredBatch;
import io.tallystick.store.log.record.RecordDecoder;
import io.tallystick.store.log.spi.Version;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.activemq.artemis.core.journal.LoaderCallback;
import org.apache.activemq.artemis.core.journal.PreparedTransactionInfo;
import org.apache.activemq.artemis.core.journal.RecordInfo;
import org.apache.activemq.artemis.core.journal.impl.JournalFile;
import org.apache.activemq.artemis.core.journal.impl.JournalImpl;

/**
 * Opens a journal. It scans every file and checks that no acknowledged batch is missing. Only then the Artemis journal
 * loads the batches that the scan found whole.
 *
 * <p>The file with the newest batch is the authority. Its first batch names the other files that held batches then, and
 * the last batch in each. All these batches must be there, unless the header of a file proves that it has replaced them
 * since. Its own batches must have no gap. Batches in other files are left over, and the journal does not see them.
 */
final class ArtemisRecovery {
    private static final System.Logger LOG = System.getLogger(ArtemisRecovery.class.getName());
    private static final String REMEDY = "restore the directory from a backup";

    private final JournalContext context;
    private final Disk disk;
    private final Path directory;

    ArtemisRecovery(JournalContext context) {
        this.context = context;
        this.disk = context.io().disk();
        this.directory = context.directory();
    }

    /**
     * The content of all files.
     *
     * @param scans one for each file
     * @param newest the scan of the file with the newest batch, null if there is no batch
     * @param newestBatch that batch, or null
     * @param data the scans of the files whose batches count
     * @param fileBytes size of the files
     */
    record Scanned(
            List<FileScan> scans, FileScan newest, NewestBatch newestBatch, List<FileScan> data, long fileBytes) {}

    /**
     * A journal that is ready.
     *
     * @param active the batches of its active file
     * @param activeEnd the offset in the active file where the next batch begins
     * @param lastSequence the last batch of all
     * @param nextRecordId the id that the next record gets
     * @param liveBytes bytes of the records of the latest versions of all keys
     */
    record Recovered(
            JournalImpl journal,
            DataFile active,
            long activeEnd,
            long lastSequence,
            long nextRecordId,
            long liveBytes) {}

    /** Reads and checks everything; changes nothing. */
    Scanned scan() throws IOException {
        List<Path> paths = ArtemisAudit.journalFiles(disk, directory, stranger -> {
            throw new UnsupportedFormatException("file=" + stranger + " is not one that this version of the journal"
                    + " writes; nothing was changed. Use the program that wrote it, or configure another directory");
        });
        boolean isReady = disk.kindOf(directory.resolve(ArtemisFormat.READY_FILE)) != Disk.PathKind.MISSING;
        if (paths.isEmpty() && isReady) {
            throw new CorruptStoreException(
                    directory.resolve(ArtemisFormat.READY_FILE), 0, "all files of the journal are missing", REMEDY);
        }
        // A killed process may not have forced the name of its last file, and the next batches may lie in that one.
        disk.forceDirectory(directory);
        FileScanner scanner = new FileScanner(disk, context.storeId());
        List<FileScan> scans = new ArrayList<>();
        for (Path path : paths) {
            scans.add(scanner.scan(path));
        }
        FileScan newest = ArtemisAudit.newestOf(scans);
        ArtemisAudit audit = new ArtemisAudit(DamageListener.refusing(REMEDY));
        audit.checkNothingIsNewer(scans, newest);
        List<FileScan> data = newest == null ? List.of() : audit.dataOf(newest, scans);
        if (newest != null) {
            warnOfDamagedHeaders(scans);
        }
        tellWhatIsIgnored(scans, newest == null ? 0 : newest.fileId());
        return new Scanned(scans, newest, scanner.newestBatch(), data, fileBytes(scans));
    }

    private long fileBytes(List<FileScan> scans) {
        long configured = context.options().segmentBytes();
        if (scans.isEmpty()) {
            return configured;
        }
        Set<Integer> sizes = ArtemisAudit.sizesOf(scans);
        if (sizes.size() != 1) {
            throw new CorruptStoreException(
                    scans.get(0).path(), 0, "the files of the journal have different sizes=" + sizes, REMEDY);
        }
        long found = sizes.iterator().next();
        if (context.options().maxStateBytes() * 4L > found) {
            throw new IllegalArgumentException("tallystick.max-state-size="
                    + context.options().maxStateBytes() + " bytes is more than a quarter of the files in directory="
                    + directory + ", which have " + found + " bytes for good; lower it, or use a new directory");
        }
        if (found != configured) {
            LOG.log(
                    System.Logger.Level.INFO,
                    "TALLY0321 the files in directory={0} keep their size={1}; tallystick.journal.segment-size={2}"
                            + " is for new directories",
                    directory,
                    Long.toString(found),
                    Long.toString(configured));
        }
        return found;
    }

    private static void warnOfDamagedHeaders(List<FileScan> scans) {
        for (FileScan scan : scans) {
            if (scan.header().isEmpty()) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "TALLY0322 file={0} has a damaged header; nothing in it is needed, and it is used again",
                        scan.path());
            }
        }
    }

    private static void tellWhatIsIgnored(List<FileScan> scans, long newestFileId) {
        for (FileScan scan : scans) {
            if (scan.ignoredAt().isPresent() && scan.fileId() >= newestFileId) {
                new IgnoredBatch(scan.path(), scan.ignoredAt().getAsLong()).tell();
            }
        }
    }

    /** Loads the journal and fills the index. On the housekeeper's thread only. */
    Recovered load(
            Scanned scanned,
            ArtemisLog.Parts parts,
            Housekeeper housekeeper,
            ConcurrentHashMap<StateKey, Version> index)
            throws Exception {
        DiskFileFactory factory = parts.factory();
        FileScan newest = scanned.newest();
        if (newest != null) {
            scanned.newestBatch().bringToDisk(context.io());
        }
        Map<Long, DataFile> data = new HashMap<>();
        for (FileScan scan : scanned.data()) {
            data.put(scan.fileId(), new DataFile(scan.fileId(), scan.lastSequence()));
        }
        data.values().forEach(parts.dataFiles()::add);
        long lastSequence = newest == null ? 0 : newest.lastSequence();
        factory.durable(lastSequence);
        JournalImpl journal = newJournal(scanned, factory, housekeeper);
        boolean isLoaded = false;
        journal.start();
        try {
            factory.beginLoading(scanned.scans(), data);
            Loader loader = new Loader(factory, data);
            journal.load(loader);
            factory.endLoading();
            checkAllWasLoaded(scanned, loader, journal);
            long liveBytes = fill(index, loader);
            Recovered recovered = recovered(scanned, factory, journal, data, liveBytes);
            markReady();
            housekeeper.adopt(journal, factory.fileBytes() - recovered.activeEnd());
            isLoaded = true;
            return recovered;
        } finally {
            if (!isLoaded) {
                factory.endLoading();
                journal.stop();
            }
        }
    }

    private JournalImpl newJournal(Scanned scanned, DiskFileFactory factory, Housekeeper housekeeper) {
        // An existing journal must open on a full disk; the housekeeper makes more files when it can.
        int filesAtOpening = scanned.scans().isEmpty() ? context.options().segments() : 2;
        JournalImpl journal = new JournalImpl(
                housekeeper.executors(),
                (int) factory.fileBytes(),
                filesAtOpening,
                -1, // no file is ever deleted: each gets another life
                0, // no compaction
                0,
                (int) RoomRequests.PATIENCE_SECONDS,
                factory,
                ArtemisFormat.PREFIX,
                ArtemisFormat.EXTENSION,
                1,
                ArtemisFormat.USER_VERSION);
        journal.setCriticalErrorListener(housekeeper::heard); // the constructor has set one of its own
        return journal;
    }

    private Recovered recovered(
            Scanned scanned, DiskFileFactory factory, JournalImpl journal, Map<Long, DataFile> data, long liveBytes)
            throws IOException {
        FileScan newest = scanned.newest();
        JournalFile current = journal.getCurrentFile();
        if (newest == null) {
            return new Recovered(journal, new DataFile(), factory.blockStart(0), 0, 1, liveBytes);
        }
        if (current.getFileID() != newest.fileId()) {
            throw new IOException("the Artemis journal goes on with file-id=" + current.getFileID() + " and not with "
                    + newest.path());
        }
        long activeEnd = factory.blockStart(newest.end());
        factory.active().position(activeEnd);
        DataFile active = data.get(newest.fileId());
        factory.active().holds(active);
        return new Recovered(journal, active, activeEnd, newest.lastSequence(), newest.nextRecordId(), liveBytes);
    }

    private void checkAllWasLoaded(Scanned scanned, Loader loader, JournalImpl journal) {
        long adds = 0;
        long deletes = 0;
        for (FileScan scan : scanned.data()) {
            adds += scan.adds();
            deletes += scan.deletes();
        }
        if (adds != loader.adds || deletes != loader.deletes || journal.getNumberOfRecords() != loader.live.size()) {
            throw new CorruptStoreException(
                    directory,
                    0,
                    "the Artemis journal has loaded " + loader.adds + " images and " + loader.deletes
                            + " deletions, but there are " + adds + " and " + deletes,
                    "keep the directory and report this");
        }
    }

    private long fill(ConcurrentHashMap<StateKey, Version> index, Loader loader) {
        RecordDecoder decoder = new RecordDecoder(context.storeId());
        long liveBytes = 0;
        for (Map.Entry<Long, Loaded> entry : loader.live.entrySet()) {
            Loaded loaded = entry.getValue();
            byte[] record = loaded.record;
            RecordDecoder.Header header;
            try {
                header = decoder.decodeHeader(record, 0, record.length);
            } catch (RecordDecoder.BadRecordException bad) {
                throw new CorruptStoreException(
                        loaded.path, 0, "record-id=" + entry.getKey() + " is damaged: " + bad.getMessage(), REMEDY);
            }
            Version version = Version.recovered(header, record, loaded.home, entry.getKey());
            Version other = index.put(version.key(), version);
            if (header.length() != record.length || version.isTombstone() || other != null) {
                throw new CorruptStoreException(
                        loaded.path,
                        0,
                        "record-id=" + entry.getKey() + " of " + version.key().toPrintable()
                                + (other == null ? " is no image" : " is there beside record-id=" + other.position()),
                        REMEDY);
            }
            loaded.home.becameLive();
            liveBytes += record.length;
        }
        return liveBytes;
    }

    private void markReady() throws IOException {
        Path ready = directory.resolve(ArtemisFormat.READY_FILE);
        if (disk.kindOf(ready) == Disk.PathKind.MISSING) {
            disk.open(ready, OpenMode.CREATE_NEW).close();
            disk.forceDirectory(directory);
        }
    }

    private record Loaded(byte[] record, DataFile home, Path path) {}

    /** Hears of the records that the journal loads: images, and deletions of images that may be gone already. */
    private static final class Loader implements LoaderCallback {
        private final DiskFileFactory factory;
        private final Map<Long, DataFile> data;
        private final TreeMap<Long, Loaded> live = new TreeMap<>();
        private long adds;
        private long deletes;

        Loader(DiskFileFactory factory, Map<Long, DataFile> data) {
            this.factory = factory;
            this.data = data;
        }

        @Override
        public void addRecord(RecordInfo info) {
            DiskSequentialFile file = factory.reading();
            if (info.userRecordType != ArtemisFormat.IMAGE_TYPE) {
                throw strange("a record of type " + info.userRecordType);
            }
            adds++;
            live.put(info.id, new Loaded(info.data, data.get(file.fileId()), file.path()));
        }

        @Override
        public void deleteRecord(long id) {
            deletes++;
            live.remove(id);
        }

        @Override
        public void updateRecord(RecordInfo info) {
            throw strange("an update");
        }

        @Override
        public void addPreparedTransaction(PreparedTransactionInfo transaction) {
            throw strange("a prepared transaction");
        }

        @Override
        public void failedTransaction(long id, List<RecordInfo> records, List<RecordInfo> deleted) {
            throw strange("a transaction");
        }

        private CorruptStoreException strange(String what) {
            return new CorruptStoreException(
                    factory.reading().path(), 0, "it holds " + what + ", which this store never writes", REMEDY);
        }
    }
}
