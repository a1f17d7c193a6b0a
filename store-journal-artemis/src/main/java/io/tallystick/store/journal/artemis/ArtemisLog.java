package io.tallystick.store.journal.artemis;

import io.tallystick.storage.UsedFile;
import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.StateKey;
import io.tallystick.store.journal.JournalContext;
import io.tallystick.store.journal.io.LogIo;
import io.tallystick.store.log.record.RecordDecoder;
import io.tallystick.store.log.spi.RecordLog;
import io.tallystick.store.log.spi.Version;
import io.tallystick.store.spi.StateImage;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.activemq.artemis.core.journal.impl.JournalImpl;

/**
 * The Artemis journal as a log. Each image of a key is an Artemis record with an id of its own. The batch that
 * brings the next image, or the removal, also deletes this record. A batch is on disk as a whole or not at all.
 * Images stay on the heap.
 */
final class ArtemisLog implements RecordLog {
    /** Only a single record makes a batch larger than this. */
    private static final int MAX_BATCH_BYTES = 1024 * 1024;

    private final JournalContext context;
    private final JournalImpl journal;
    private final DiskFileFactory factory;
    private final DataFiles dataFiles;
    private final JournalRoom room;
    private final LiveRecords live;
    private final FailureLatch failure;
    private final Housekeeper housekeeper;
    private final AdmissionControl admission;
    private final BatchWriter writer;

    // Guarded by the layout lock of the group commit.
    private DataFile active;
    private boolean activeHoldsBatches;
    private long activeEnd;
    private long nextSequence;
    // The sequence of the last mark, or the one before the first batch.
    private long lastMark;
    private long nextRecordId;
    private long liveBytes;

    // By the thread that opens the log, then by the one that closes it.
    private Rewriter rewriter;

    /** The parts of a log that its threads share. */
    record Parts(
            DiskFileFactory factory,
            DataFiles dataFiles,
            JournalFiles files,
            LiveRecords live,
            JournalRoom room,
            FailureLatch failure) {}

    private ArtemisLog(
            JournalContext context, ArtemisRecovery.Recovered recovered, Parts parts, Housekeeper housekeeper) {
        this.context = context;
        this.journal = recovered.journal();
        this.factory = parts.factory;
        this.dataFiles = parts.dataFiles;
        this.room = parts.room;
        this.live = parts.live;
        this.failure = parts.failure;
        this.housekeeper = housekeeper;
        this.admission = new AdmissionControl(context.directory(), room, dataFiles, housekeeper);
        this.writer = new BatchWriter(journal, parts, housekeeper);
        this.active = recovered.active();
        this.activeHoldsBatches = recovered.active().lastSequence() != 0;
        this.activeEnd = recovered.activeEnd();
        this.nextSequence = recovered.lastSequence() + 1;
        this.lastMark = nextSequence - 1;
        this.nextRecordId = recovered.nextRecordId();
        this.liveBytes = recovered.liveBytes();
        live.bytesAre(liveBytes);
    }

    /** Recovers the journal in the directory, or makes one, and fills the index with the latest version of each key. */
    static ArtemisLog open(JournalContext context, ConcurrentHashMap<StateKey, Version> index) throws IOException {
        ArtemisRecovery recovery = new ArtemisRecovery(context);
        ArtemisRecovery.Scanned scanned = recovery.scan();
        Parts parts = partsOf(context, scanned, index);
        checkFileShape(context, parts.factory);
        Housekeeper housekeeper = new Housekeeper(context, parts);
        try {
            ArtemisRecovery.Recovered recovered =
                    housekeeper.thread().call(() -> recovery.load(scanned, parts, housekeeper, index));
            return new ArtemisLog(context, recovered, parts, housekeeper);
        } catch (IOException | RuntimeException | Error failed) {
            giveUp(housekeeper, parts.factory, failed);
            throw failed;
        }
    }

    private static Parts partsOf(
            JournalContext context, ArtemisRecovery.Scanned scanned, ConcurrentHashMap<StateKey, Version> index) {
        DataFiles dataFiles = new DataFiles();
        DiskFileFactory factory = new DiskFileFactory(context, scanned.fileBytes(), alignmentBytes(context), dataFiles);
        LiveRecords live = new LiveRecords(index);
        return new Parts(
                factory, dataFiles, new JournalFiles(), live, new JournalRoom(factory, live), new FailureLatch());
    }

    /**
     * Ends the thread and closes the files of a journal that could not be opened. A second failure is added to the
     * first.
     */
    private static void giveUp(Housekeeper housekeeper, DiskFileFactory factory, Throwable failed) {
        try {
            deleteUnfinished(housekeeper, factory);
        } catch (IOException | RuntimeException | Error leftOver) {
            failed.addSuppressed(leftOver);
        }
        try {
            housekeeper.close();
            factory.closeAll();
        } catch (IOException | RuntimeException | Error alsoFailed) {
            failed.addSuppressed(alsoFailed);
        }
    }

    /**
     * The alignment of batches. Through the page cache a batch begins anywhere, otherwise at a block of the
     * configuration and the disk.
     */
    private static int alignmentBytes(JournalContext context) {
        LogIo io = context.io();
        return io.needsForce()
                ? io.alignment()
                : Math.max(io.alignment(), context.options().blockBytes());
    }

    private static void checkFileShape(JournalContext context, DiskFileFactory factory) {
        long longestBatch = ArtemisFormat.batchHeaderBytes(context.options().segments())
                + (long) ArtemisFormat.ADD_FRAME_BYTES
                + context.options().longestRecordBytes()
                + ArtemisFormat.DELETE_BYTES;
        context.options()
                .checkFileShape(
                        factory.fileBytes(),
                        factory.usableBytes(),
                        factory.getAlignment(),
                        ArtemisFormat.aligned(longestBatch, factory.getAlignment()));
    }

    private static void deleteUnfinished(Housekeeper housekeeper, DiskFileFactory factory) throws IOException {
        housekeeper.thread().call(() -> {
            factory.deleteUnfinished();
            return null;
        });
    }

    @Override
    public void start(Rewriter newRewriter) {
        rewriter = newRewriter;
        housekeeper.start(newRewriter);
    }

    @Override
    public String name() {
        return "journal";
    }

    @Override
    public int writesInFlight() {
        return 1; // the journal takes appends one at a time
    }

    @Override
    public List<UsedFile> filesInUse() {
        return dataFiles.inUse(factory.fileBytes());
    }

    @Override
    public void reserve(Version append) {
        admission.admit(append);
    }

    @Override
    public void refund(Version append) {
        room.give(room.charge(append));
    }

    @Override
    public Batch layOut(Version first) {
        boolean beginsFile = false;
        Map<Long, Long> files = activeHoldsBatches ? Map.of() : dataFiles.lastSequences();
        long leastEnd = activeEnd + ArtemisFormat.batchHeaderBytes(files.size()) + recordBytes(first);
        boolean isActiveFull = leastEnd > factory.fileBytes();
        if (isActiveFull || (activeHoldsBatches && room.nextFile().take())) {
            beginsFile = true;
            files = dataFiles.lastSequences();
            room.give(activeEnd - factory.fileBytes());
            active = new DataFile();
            activeEnd = factory.blockStart(0);
        }
        long limit = Math.min(factory.fileBytes() - activeEnd, MAX_BATCH_BYTES);
        long length = ArtemisFormat.batchHeaderBytes(files.size());
        long charged = 0;
        int count = 0;
        int records = 0;
        Version append = first;
        while (append != null && (count == 0 || length + recordBytes(append) <= limit)) {
            length += recordBytes(append);
            records += (append.isTombstone() ? 0 : 1) + (supersedesImage(append) ? 1 : 0);
            append.place(active, append.isTombstone() ? 0 : nextRecordId++);
            charged += room.charge(append);
            count++;
            append = append.next();
        }
        ArtemisBatch batch =
                newBatch(new ArtemisBatch.Contents(first, count, append, (int) length, records), beginsFile, files);
        room.give(charged - batch.bytes());
        return batch;
    }

    private ArtemisBatch newBatch(ArtemisBatch.Contents contents, boolean beginsFile, Map<Long, Long> files) {
        long begin = activeEnd;
        activeEnd = ArtemisFormat.aligned(begin + contents.length(), factory.getAlignment());
        activeHoldsBatches = true;
        active.laidOut(nextSequence);
        ArtemisBatch.Place place = new ArtemisBatch.Place(active, beginsFile, files, begin, activeEnd - begin);
        return new ArtemisBatch(nextSequence++, contents, place, nextRecordId);
    }

    private static long recordBytes(Version append) {
        long add = append.isTombstone() ? 0 : ArtemisFormat.ADD_FRAME_BYTES + (long) append.recordLength();
        return add + (supersedesImage(append) ? ArtemisFormat.DELETE_BYTES : 0);
    }

    private static boolean supersedesImage(Version append) {
        Version superseded = append.previous();
        return superseded != null && !superseded.isTombstone();
    }

    @Override
    public boolean wantsMark() {
        return activeHoldsBatches && nextSequence - 1 != lastMark && hasPlaceForMark();
    }

    private boolean hasPlaceForMark() {
        return activeEnd + ArtemisFormat.aligned(ArtemisFormat.batchHeaderBytes(0), factory.getAlignment())
                <= factory.fileBytes();
    }

    @Override
    public Batch layOutMark() {
        ArtemisBatch.Contents none = new ArtemisBatch.Contents(null, 0, null, ArtemisFormat.batchHeaderBytes(0), 0);
        ArtemisBatch mark = newBatch(none, false, Map.of());
        lastMark = mark.sequence();
        room.give(-mark.bytes());
        return mark;
    }

    @Override
    public void write(Batch batch) throws IOException {
        writer.write((ArtemisBatch) batch);
    }

    @Override
    public void durable(Batch batch, long durableSequence) {
        factory.durable(durableSequence);
        boolean somethingDied = false;
        Version append = batch.first();
        for (int i = 0; i < batch.count(); i++) {
            Version superseded = append.previous();
            if (superseded != null && !superseded.isTombstone()) {
                DataFile home = (DataFile) superseded.home();
                home.becameDead();
                liveBytes -= superseded.recordLength();
                somethingDied |= home.live() == 0 && home != active;
            }
            if (append.isTombstone()) {
                append.dropRecord();
            } else {
                ((DataFile) append.home()).becameLive();
                liveBytes += append.recordLength();
            }
            append = append.next();
        }
        live.bytesAre(liveBytes);
        if (((ArtemisBatch) batch).beginsFile()) {
            housekeeper.firstBatchIsDurable();
        } else if (somethingDied) {
            housekeeper.requestTidying();
        }
        housekeeper.batchIsDurable();
    }

    @Override
    public StateImage read(Version version) {
        byte[] bytes = version.record();
        try {
            RecordDecoder.Header header =
                    new RecordDecoder(context.storeId(), version.key()).decodeHeader(bytes, 0, bytes.length);
            return RecordDecoder.imageOf(bytes, 0, header);
        } catch (RecordDecoder.BadRecordException bad) {
            throw new CorruptStoreException(
                    context.directory(),
                    version.position(),
                    "the record of " + version.key().toPrintable() + " is damaged in memory: " + bad.getMessage(),
                    "the record on disk is not; restart the process, and check its memory");
        }
    }

    @Override
    public void close() throws IOException {
        boolean isAllDurable = false;
        try {
            isAllDurable = writeClosingBatch();
        } finally {
            boolean marks = isAllDurable;
            try {
                housekeeper.thread().call(() -> {
                    journal.stop();
                    if (marks) {
                        factory.markOldestSpare();
                    }
                    return null;
                });
            } finally {
                housekeeper.close();
                factory.closeAll();
            }
        }
    }

    /**
     * Writes an empty batch behind the last one. By it recovery can tell whether the last one is damaged.
     *
     * @return whether there are batches and all of them are on disk, even if there was no room for the empty one
     */
    private boolean writeClosingBatch() throws IOException {
        boolean isAllDurable = factory.durableSequence() == nextSequence - 1;
        if (!activeHoldsBatches || !isAllDurable || failure.isSet() || rewriter == null || rewriter.hasFailed()) {
            return false;
        }
        if (wantsMark()) {
            Batch closing = layOutMark();
            write(closing);
            factory.durable(closing.sequence());
        }
        return true;
    }
}
