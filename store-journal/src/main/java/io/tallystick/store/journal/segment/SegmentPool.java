package io.tallystick.store.journal.segment;

import io.tallystick.storage.UsedFile;
import io.tallystick.store.StateKey;
import io.tallystick.store.journal.JournalContext;
import io.tallystick.store.journal.io.LogIo;
import io.tallystick.store.journal.room.Room;
import io.tallystick.store.log.spi.RecordLog.Rewriter;
import io.tallystick.store.log.spi.Version;
import io.tallystick.store.spi.StoreEvents;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The store's segments, and the room in them. One lock guards the parts that change together:
 *
 * <ul>
 *   <li>{@link SegmentRing} knows the order of the segments, and numbers them.
 *   <li>{@link SegmentFactory} makes files, and gives files another life.
 *   <li>{@link RoomRequests} is where callers reserve room, and wait for it.
 *   <li>{@link CurrentReserves} holds room back, so that removals work on a full disk.
 *   <li>{@link OpeningCompaction} makes room at an opening, before there are callers.
 *   <li>{@link Housekeeper} is the thread that frees segments and has files made; {@link HousekeepingSnapshot} decides
 *       its
 *       next step.
 * </ul>
 */
final class SegmentPool implements Closeable {
    private final ReentrantLock lock = new ReentrantLock();
    private final Room room = new Room();
    private final SegmentRing ring;
    private final SegmentFactory factory;
    private final RoomRequests requests;
    private final Housekeeper.Workplace workplace;
    private final byte[] storeId;
    private final StoreEvents events;

    // By the thread that opens the log, then by the one that closes it.
    private Housekeeper housekeeper;
    // By the closing thread only: all batches of this opening up to this sequence are on disk.
    private long closedDurableThrough;

    SegmentPool(JournalContext context, int blockBytes, RecoveredSegments found) {
        SegmentPlan plan =
                new SegmentPlan(context.directory(), context.options().segmentBytes(), blockBytes);
        this.storeId = context.storeId();
        this.events = context.statistics().events();
        CurrentReserves reserves = new CurrentReserves(
                lock, plan, found.longestRecord(), found.inUse().size());
        this.ring = new SegmentRing(lock, plan, found, room, reserves);
        this.factory = new SegmentFactory(context.io(), plan, storeId, ring);
        this.requests = new RoomRequests(lock, plan, room, reserves, ring);
        this.workplace = new Housekeeper.Workplace(plan.directory(), ring, factory, requests);
    }

    /** Makes one more spare file. Before {@link #start} only. */
    void makeSpare() throws IOException {
        factory.makeSpare(() -> false);
    }

    /**
     * Gives files that recovery found unused another life. Before {@link #start} only.
     *
     * @param unused in the order of their ids
     */
    void adoptSpares(List<Segment> unused) throws IOException {
        factory.adoptSpares(unused);
    }

    int spares() {
        return ring.spares();
    }

    /** Whether a removal would have to wait for room. */
    boolean isShortForRemovals() {
        return ring.isShortForRemovals();
    }

    /** Makes room where the disk takes no more files. Before {@link #start} only. */
    OpeningCompaction compaction(LogIo io, ConcurrentHashMap<StateKey, Version> index, long firstSequence) {
        return new OpeningCompaction(io, ring, factory, new SegmentScanner(storeId), index, firstSequence);
    }

    /** Starts the housekeeper. */
    void start(Rewriter rewriter) {
        housekeeper = Housekeeper.of(workplace, rewriter, new SegmentScanner(storeId), events);
        housekeeper.start();
        requests.rouseHousekeeper();
    }

    /**
     * Takes room for a record; see {@link RoomRequests#reserve}.
     *
     * @throws io.tallystick.store.StoreFullException the housekeeper has found none
     * @throws io.tallystick.store.StoreIoException it has found none, and the disk fails when it makes a file
     */
    void reserve(Version append) {
        requests.reserve(append);
    }

    /** How many bytes a record reserves. */
    long charge(Version append) {
        return requests.charge(append);
    }

    /** Gives back reserved room that is not needed. */
    void refund(long charged) {
        room.give(charged);
    }

    /** Takes room for bytes that are wasted at the end of a segment. */
    void used(long bytes) {
        room.take(bytes);
    }

    /** The next segment to fill; there is one, because each record that is laid out has reserved its room. */
    Segment takeSpare() {
        lock.lock();
        try {
            Segment next = ring.takeSpare();
            requests.rouseHousekeeper();
            return next;
        } finally {
            lock.unlock();
        }
    }

    /** The files of all segments. The header of one that is used stays as it is until it is a spare. */
    List<UsedFile> filesInUse() {
        Set<Segment> used = Set.copyOf(ring.used());
        List<UsedFile> files = new ArrayList<>();
        for (Segment segment : ring.all()) {
            long bytes = segment.header().segmentBytes();
            files.add(
                    used.contains(segment)
                            ? new UsedFile(segment.path(), bytes, true, headerOf(segment))
                            : UsedFile.open(segment.path(), bytes));
        }
        return files;
    }

    private ByteBuffer headerOf(Segment segment) {
        ByteBuffer header = ByteBuffer.allocate(SegmentFormat.SEGMENT_HEADER_BYTES);
        segment.header().encodeTo(header, storeId);
        return header.rewind();
    }

    /** Every batch up to this sequence is on disk. */
    void durable(long sequence) {
        ring.durable(sequence);
    }

    /**
     * Says, before {@link #close}, that every batch of this opening up to this sequence is on disk. Closing then writes
     * it into the header of the last spare too. So recovery knows it even if a segment rots or is replaced by an older
     * copy.
     */
    void allDurable(long sequence) {
        closedDurableThrough = sequence;
    }

    /**
     * Ends the housekeeper and closes all files. The files are closed whatever the steps before throw, because a second
     * close of the store does nothing; the first error is thrown.
     */
    @Override
    public void close() throws IOException {
        try (ring) {
            requests.close();
            if (housekeeper != null) {
                housekeeper.end();
            }
            boolean hasFailed = housekeeper != null && housekeeper.hasStoreFailed(); // it may have, at the very end
            if (closedDurableThrough > 0 && !factory.isHeaderInDoubt() && !hasFailed) {
                markLastSpare();
            }
        }
    }

    /**
     * Writes into the last spare the header of another opening that wrote nothing. Without a spare only the last mark
     * tells.
     */
    private void markLastSpare() throws IOException {
        lock.lock();
        try {
            Segment marked = ring.lastSpareRebornOrNull(closedDurableThrough);
            if (marked != null) {
                factory.writeHeader(marked);
            }
        } finally {
            lock.unlock();
        }
    }
}
