package io.tallystick.store.journal.segment;

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
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;

/** The segmented log: gives batches their place in the active segment, writes them, and reads records back. */
public final class SegmentedLog implements RecordLog {
    /** Only a single record makes a batch larger than this. */
    private static final int MAX_BATCH_BYTES = 1024 * 1024;
    /** Records of live keys that are kept in memory although they are on disk, bytes in all. */
    private static final long CACHED_BYTES = 8L * 1024 * 1024;
    /**
     * Durable writes at a time, of few records each, where the disk takes several; found by trial, see
     * docs/lab/engines.md.
     */
    private static final int WRITES_IN_FLIGHT = 4;

    private final LogIo io;
    private final byte[] storeId;
    private final SegmentPool pool;
    private final SegmentRecovery.Result recovered;
    private final int blockBytes;
    private final long longestBatchBytes;
    // All are made at opening, so that no write fails when memory runs out later.
    private final ArrayBlockingQueue<BatchWriter> writers;

    // Guarded by the layout lock of the group commit, as is the cache below.
    private Segment active;
    private long activePosition;
    private long nextSequence;
    // The sequence of the last mark, or the one before the first batch.
    private long lastMark;
    private long cachedBytes;

    private volatile long durableSequence;

    // By the thread that opens the log, then by the one that closes it.
    private Rewriter rewriter;

    private SegmentedLog(JournalContext context, SegmentRecovery.Result recovered, int blockBytes) {
        this.io = context.io();
        this.storeId = context.storeId();
        this.pool = recovered.pool();
        this.recovered = recovered;
        this.blockBytes = blockBytes;
        this.longestBatchBytes = context.options().segmentBytes() - blockBytes;
        this.active = recovered.end().activeOrNull();
        this.activePosition = recovered.end().position();
        this.nextSequence = recovered.end().nextSequence();
        this.durableSequence = nextSequence - 1;
        this.lastMark = nextSequence - 1;
        this.writers = new ArrayBlockingQueue<>(writesInFlight());
        // No batch is longer than a segment. Direct memory comes back only with a garbage collection, so a process that
        // opens stores again and again would hold much that no store uses.
        int capacity = (int) Math.min(MAX_BATCH_BYTES, context.options().segmentBytes());
        while (writers.remainingCapacity() > 0) {
            writers.add(new BatchWriter(capacity, Math.max(blockBytes, io.alignment())));
        }
    }

    /** Recovers the log in the directory, or makes one, and fills the index with the latest version of each key. */
    public static SegmentedLog open(JournalContext context, ConcurrentHashMap<StateKey, Version> index)
            throws IOException {
        int blockBytes = Math.max(context.options().blockBytes(), context.io().alignment());
        SegmentRecovery.Result recovered = new SegmentRecovery(context, blockBytes).recover(index);
        try {
            return new SegmentedLog(context, recovered, blockBytes);
        } catch (RuntimeException | Error failed) {
            try {
                recovered.pool().close();
            } catch (IOException alsoFailed) {
                failed.addSuppressed(alsoFailed);
            }
            throw failed;
        }
    }

    @Override
    public void start(Rewriter newRewriter) throws IOException {
        rewriter = newRewriter;
        // The housekeeper first: rewriting may need room that only it can make.
        pool.start(rewriter);
        recovered.rewriteBeyondGap(rewriter);
    }

    @Override
    public String name() {
        return "journal";
    }

    @Override
    public int writesInFlight() {
        // The system may report an error to only one of two forces of a file, and the other would succeed.
        return io.needsForce() ? 1 : WRITES_IN_FLIGHT;
    }

    @Override
    public List<UsedFile> filesInUse() {
        return pool.filesInUse();
    }

    @Override
    public void reserve(Version append) {
        pool.reserve(append);
    }

    @Override
    public void refund(Version append) {
        pool.refund(pool.charge(append));
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalStateException no segment has room for the first record; nothing got a place
     */
    @Override
    public Batch layOut(Version first) {
        if (paddedLength(first) > longestBatchBytes) {
            throw new IllegalStateException("the record of " + first.key().toPrintable() + " takes "
                    + paddedLength(first) + " bytes, but a segment has room for " + longestBatchBytes);
        }
        if (active == null || activeLeft() < paddedLength(first)) {
            roll();
        }
        long limit = Math.min(activeLeft(), MAX_BATCH_BYTES);
        long length = SegmentFormat.BATCH_HEADER_BYTES;
        long charged = 0;
        int count = 0;
        Version append = first;
        while (append != null && (count == 0 || length + append.recordLength() <= limit)) {
            append.place(active, activePosition + length);
            if (!append.isTombstone()) {
                active.becameLive(append.recordLength());
            }
            length += append.recordLength();
            charged += pool.charge(append);
            count++;
            append = append.next();
        }
        SegmentBatch.Place place = new SegmentBatch.Place(active, activePosition, (int) length);
        SegmentBatch batch = new SegmentBatch(nextSequence++, first, count, append, place);
        active.laidOut(batch.sequence());
        activePosition += batch.bytes();
        pool.refund(charged - batch.bytes());
        return batch;
    }

    private long activeLeft() {
        return active.header().segmentBytes() - activePosition;
    }

    private long paddedLength(Version append) {
        return SegmentFormat.aligned((long) SegmentFormat.BATCH_HEADER_BYTES + append.recordLength(), blockBytes);
    }

    private void roll() {
        if (active != null) {
            pool.used(activeLeft());
        }
        active = pool.takeSpare();
        activePosition = active.header().blockBytes();
    }

    @Override
    public boolean wantsMark() {
        return active != null && nextSequence - 1 != lastMark && activeLeft() >= blockBytes;
    }

    /**
     * {@inheritDoc}
     *
     * <p>Its block has not reserved room. Each mark follows a batch that left the reserves whole, and the next batch
     * waits until they are whole again. So all that is missing at any time is one block, which the waste covers.
     */
    @Override
    public Batch layOutMark() {
        SegmentBatch.Place place = new SegmentBatch.Place(active, activePosition, SegmentFormat.BATCH_HEADER_BYTES);
        SegmentBatch mark = new SegmentBatch(nextSequence++, null, 0, null, place);
        lastMark = mark.sequence();
        active.laidOut(mark.sequence());
        activePosition += mark.bytes();
        pool.used(mark.bytes());
        return mark;
    }

    @Override
    public void write(Batch batch) throws IOException {
        BatchWriter writer = writers.remove(); // there are as many as writes in flight
        try {
            writer.write((SegmentBatch) batch, durableSequence, io.needsForce());
        } finally {
            writers.add(writer);
        }
    }

    /**
     * {@inheritDoc}
     *
     * <p>A record counts as live from its layout on. The sequence is published after all records of the batch were
     * counted. So at every moment a segment has at most as many live records as its count says.
     */
    @Override
    public void durable(Batch batch, long durableThrough) {
        Version append = batch.first();
        for (int i = 0; i < batch.count(); i++) {
            Version superseded = append.previous();
            if (superseded != null && !superseded.isTombstone()) {
                ((Segment) superseded.home()).becameDead(superseded.recordLength());
                release(superseded);
            }
            if (append.isTombstone()) {
                append.dropRecord();
            } else {
                keepOrDrop(append);
            }
            append = append.next();
        }
        durableSequence = durableThrough;
        pool.durable(durableThrough);
    }

    private void keepOrDrop(Version append) {
        if (!append.isSuperseded() && cachedBytes + append.recordLength() <= CACHED_BYTES) {
            cachedBytes += append.recordLength();
            append.setCached(true);
        } else {
            append.dropRecord();
        }
    }

    private void release(Version superseded) {
        superseded.markSuperseded(); // it may land after the version that supersedes it
        if (superseded.isCached()) {
            superseded.setCached(false);
            cachedBytes -= superseded.recordLength();
            superseded.dropRecord();
        }
    }

    @Override
    public StateImage read(Version version) throws IOException {
        byte[] bytes = version.record();
        if (bytes == null) {
            bytes = new byte[version.recordLength()];
            Segment segment = (Segment) version.home();
            try {
                segment.readFile().readFully(ByteBuffer.wrap(bytes), version.position());
            } catch (IOException unreadable) {
                if (segment.isFreed()) {
                    return null; // its file may be gone
                }
                throw unreadable;
            }
            if (segment.isFreed()) {
                return null;
            }
        }
        try {
            RecordDecoder.Header header =
                    new RecordDecoder(storeId, version.key()).decodeHeader(bytes, 0, bytes.length);
            if (!header.key().equals(version.key())) {
                throw damaged(version, "it holds another key");
            }
            return RecordDecoder.imageOf(bytes, 0, header);
        } catch (RecordDecoder.BadRecordException bad) {
            throw damaged(version, bad.getMessage());
        }
    }

    private static CorruptStoreException damaged(Version version, String reason) {
        return new CorruptStoreException(
                ((Segment) version.home()).path(),
                version.position(),
                "the record of " + version.key().toPrintable() + " is damaged: " + reason,
                "restore the directory from a backup; the store goes on");
    }

    @Override
    public void close() throws IOException {
        try (pool) {
            markAllDurable();
        }
    }

    /** Writes an empty batch and a header whose marks cover every batch, so that recovery requires every batch. */
    private void markAllDurable() throws IOException {
        if (rewriter == null || rewriter.hasFailed()) {
            return; // nothing is written after a failure
        }
        boolean isAllDurable = durableSequence == nextSequence - 1;
        if (isAllDurable && wantsMark()) {
            write(layOutMark());
        }
        if (active != null && isAllDurable) {
            pool.allDurable(nextSequence - 1);
        }
    }
}
