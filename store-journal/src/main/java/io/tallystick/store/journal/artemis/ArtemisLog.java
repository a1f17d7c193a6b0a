package io.tallystick.store.journal.artemis;

import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.StateKey;
import io.tallystick.store.journal.engine.Append;
import io.tallystick.store.journal.engine.LogContext;
import io.tallystick.store.journal.engine.LogIo;
import io.tallystick.store.journal.engine.RecordDecoder;
import io.tallystick.store.journal.engine.RecordFormat;
import io.tallystick.store.journal.engine.RecordLog;
import io.tallystick.store.spi.StateImage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.activemq.artemis.core.journal.impl.JournalImpl;

/**
 * The Artemis journal as a log. Each image of a key is an Artemis record with an id of its own, which is deleted in the
 * batch that brings the next image or the removal: a batch is on disk as a whole or not at all. Images stay on the heap.
 */
public final class ArtemisLog implements RecordLog {
    /** A batch is not made larger than this, unless one record is. */
    private static final int MAX_BATCH_BYTES = 1024 * 1024;

    private final LogContext context;
    private final JournalImpl journal;
    private final DiskFileFactory factory;
    private final DataFiles dataFiles;
    private final Room room;
    private final FailureLatch failure;
    private final Keeper keeper;
    private final BatchWriter writer;

    // Guarded by the layout lock of the group commit.
    private DataFile active;
    private boolean activeHoldsBatches;
    private long activeEnd;
    private long nextSequence;
    private long nextRecordId;
    private long liveBytes;

    private ArtemisLog(
            LogContext context,
            ArtemisRecovery.Recovered recovered,
            DiskFileFactory factory,
            DataFiles dataFiles,
            Room room,
            FailureLatch failure,
            Keeper keeper) {
        this.context = context;
        this.journal = recovered.journal();
        this.factory = factory;
        this.dataFiles = dataFiles;
        this.room = room;
        this.failure = failure;
        this.keeper = keeper;
        this.writer = new BatchWriter(journal, factory, failure, keeper, dataFiles);
        this.active = recovered.active();
        this.activeHoldsBatches = recovered.active().lastSequence() != 0;
        this.activeEnd = recovered.activeEnd();
        this.nextSequence = recovered.lastSequence() + 1;
        this.nextRecordId = recovered.nextRecordId();
        this.liveBytes = recovered.liveBytes();
        keeper.liveBytesAre(liveBytes);
    }

    /** Recovers the journal in the directory, or makes one, and fills the index with the latest version of each key. */
    public static ArtemisLog open(LogContext context, ConcurrentHashMap<StateKey, Append> index) throws IOException {
        ArtemisRecovery recovery = new ArtemisRecovery(context);
        ArtemisRecovery.Scanned scanned = recovery.scan();
        FailureLatch failure = new FailureLatch();
        DataFiles dataFiles = new DataFiles();
        Room room = new Room();
        DiskFileFactory factory = new DiskFileFactory(
                context.io(),
                context.directory(),
                context.storeId(),
                scanned.fileBytes(),
                alignmentBytes(context),
                dataFiles);
        checkFileShape(context, factory);
        Keeper keeper = new Keeper(context, factory, dataFiles, room, index, failure);
        try {
            ArtemisRecovery.Recovered recovered =
                    keeper.house().call(() -> recovery.load(scanned, factory, keeper, dataFiles, index));
            return new ArtemisLog(context, recovered, factory, dataFiles, room, failure, keeper);
        } catch (IOException | RuntimeException | Error failed) {
            deleteUnfinished(keeper, factory, failed);
            keeper.close();
            try {
                factory.closeAll();
            } catch (IOException alsoFailed) {
                failed.addSuppressed(alsoFailed);
            }
            throw failed;
        }
    }

    /** Through the page cache a batch may begin anywhere; past it, where the user and the disk want it to. */
    private static int alignmentBytes(LogContext context) {
        LogIo io = context.io();
        return io.needsForce()
                ? io.alignment()
                : Math.max(io.alignment(), context.options().blockBytes());
    }

    private static void checkFileShape(LogContext context, DiskFileFactory factory) {
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

    private static void deleteUnfinished(Keeper keeper, DiskFileFactory factory, Throwable failed) {
        try {
            keeper.house().call(() -> {
                factory.deleteUnfinished();
                return null;
            });
        } catch (IOException | RuntimeException leftOver) {
            failed.addSuppressed(leftOver);
        }
    }

    @Override
    public void start(Rewriter rewriter) {
        keeper.start(rewriter);
    }

    @Override
    public int writesInFlight() {
        return 1; // the journal takes appends one at a time
    }

    @Override
    public void reserve(Append append) {
        keeper.reserve(append);
    }

    @Override
    public void refund(Append append) {
        room.give(keeper.charge(append));
    }

    @Override
    public Batch layOut(Append first) {
        boolean beginsFile = false;
        Map<Long, Long> files = activeHoldsBatches ? Map.of() : dataFiles.lastSequences();
        long leastEnd = activeEnd + ArtemisFormat.batchHeaderBytes(files.size()) + recordBytes(first);
        if (leastEnd > factory.fileBytes() || (activeHoldsBatches && keeper.takeRollWanted())) {
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
        Append append = first;
        while (append != null && (count == 0 || length + recordBytes(append) <= limit)) {
            length += recordBytes(append);
            records += (append.isTombstone() ? 0 : 1) + (supersedesImage(append) ? 1 : 0);
            append.place(active, append.isTombstone() ? 0 : nextRecordId++);
            charged += keeper.charge(append);
            count++;
            append = append.next();
        }
        ArtemisBatch batch = newBatch(new ArtemisBatch.Chain(first, count, append), beginsFile, files, length, records);
        room.give(charged - batch.bytes());
        return batch;
    }

    private ArtemisBatch newBatch(
            ArtemisBatch.Chain chain, boolean beginsFile, Map<Long, Long> files, long length, int records) {
        long begin = activeEnd;
        activeEnd = ArtemisFormat.aligned(begin + length, factory.getAlignment());
        activeHoldsBatches = true;
        active.laidOut(nextSequence);
        return new ArtemisBatch(
                nextSequence++,
                chain,
                active,
                beginsFile,
                files,
                begin,
                (int) length,
                activeEnd - begin,
                records,
                nextRecordId);
    }

    private static long recordBytes(Append append) {
        long add = append.isTombstone() ? 0 : ArtemisFormat.ADD_FRAME_BYTES + (long) append.recordLength();
        return add + (supersedesImage(append) ? ArtemisFormat.DELETE_BYTES : 0);
    }

    private static boolean supersedesImage(Append append) {
        Append superseded = append.previous();
        return superseded != null && !superseded.isTombstone();
    }

    @Override
    public void write(Batch batch) throws IOException {
        writer.write((ArtemisBatch) batch);
    }

    @Override
    public void durable(Batch batch, long durableSequence) {
        factory.durable(durableSequence);
        boolean somethingDied = false;
        Append append = batch.first();
        for (int i = 0; i < batch.count(); i++) {
            Append superseded = append.previous();
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
        keeper.liveBytesAre(liveBytes);
        if (((ArtemisBatch) batch).beginsFile()) {
            keeper.firstBatchIsDurable();
        } else if (somethingDied) {
            keeper.requestTidying();
        }
        keeper.batchIsDurable();
    }

    @Override
    public StateImage read(Append version) {
        ByteBuffer bytes = ByteBuffer.wrap(version.record()).order(RecordFormat.ORDER);
        try {
            RecordDecoder.Header header = new RecordDecoder(context.storeId()).decodeHeader(bytes, 0, bytes.capacity());
            return RecordDecoder.imageOf(bytes, 0, header);
        } catch (RecordDecoder.BadRecordException bad) {
            throw new CorruptStoreException(
                    context.directory(),
                    version.position(),
                    "the record of " + version.key().toPrintable() + " is damaged in memory: " + bad.getMessage(),
                    "what is on disk is not; restart the process, and check its memory");
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
                keeper.house().call(() -> {
                    journal.stop();
                    if (marks) {
                        factory.markOldestSpare();
                    }
                    return null;
                });
            } finally {
                keeper.close();
                factory.closeAll();
            }
        }
    }

    /**
     * Leaves an empty batch behind the last one, by which recovery can tell whether that one is damaged.
     *
     * @return whether there are batches, and all that were laid out are on disk; there need not be room for another one
     */
    private boolean writeClosingBatch() throws IOException {
        boolean isAllDurable = factory.durableSequence() == nextSequence - 1;
        if (!activeHoldsBatches || !isAllDurable || failure.isSet()) {
            return false;
        }
        int length = ArtemisFormat.batchHeaderBytes(0);
        if (activeEnd + ArtemisFormat.aligned(length, factory.getAlignment()) <= factory.fileBytes()) {
            ArtemisBatch closing = newBatch(new ArtemisBatch.Chain(null, 0, null), false, Map.of(), length, 0);
            writer.write(closing);
            factory.durable(closing.sequence());
        }
        return true;
    }
}
