package io.tallystick.store.journal.segmented;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFullException;
import io.tallystick.store.journal.engine.Append;
import io.tallystick.store.journal.engine.LogIo;
import io.tallystick.store.journal.engine.RecordDecoder;
import io.tallystick.store.journal.engine.RecordLog.Carried;
import io.tallystick.store.journal.engine.RecordLog.Rewriter;
import io.tallystick.store.spi.StoreEvents;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The store's segments, and the room in them.
 *
 * <h2>States of a segment</h2>
 *
 * <pre>
 *   made --> spare --> active --> full --> free --> spare (another life of the same file)
 * </pre>
 *
 * Segments are used in the order in which they were prepared, and freed in the order in which they were used. So a removal
 * lies in the same segment as what it removes, or in a later one, and may go with its segment: nothing can come back.
 *
 * <h2>The housekeeper</h2>
 *
 * One thread keeps {@value #SPARES} spares ahead of need. It frees the oldest full segment when nothing in it is live;
 * otherwise it makes a new file while more than half of all room is live, and else moves the few live records out of the
 * way: they are queued again like any write, and forced, before the segment is freed.
 *
 * <h2>Room</h2>
 *
 * Every record reserves room before it is queued, twice its padded size, which pays for its place and for what it may waste
 * at the end of a segment. So a batch that is laid out always finds a spare. Writes leave a reserve untouched that removals
 * may use, and removals one that only the housekeeper may use.
 *
 * <h2>A full disk</h2>
 *
 * When no file can be made, room comes from what is dead, and that may lie behind segments in which all is live: removals
 * are short, each takes a block, and dies at once, but the oldest segment is freed first. So then the housekeeper carries
 * whole segments along, live or not, until the dead ones have had their turn; what it carries is laid out side by side and
 * is charged for its length alone. Carrying a segment along may waste {@link #wasteOfMoving} bytes, in blocks that are not
 * filled and at the end of a segment. The reserves are such that all may be carried along and a removal still finds
 * room: removals leave two segments, one for what is carried and one that the next opening may need to begin, and that
 * waste once for each segment; writes leave as much again of the waste, and a quarter of a segment for removals. This
 * holds where the longest record and its padding are no more than a quarter of a segment.
 */
final class SegmentPool {
    static final int SPARES = 3;

    private static final System.Logger LOG = System.getLogger(SegmentPool.class.getName());

    private static final int ZEROS_BYTES = 1024 * 1024;
    /** What is carried along on a full disk is queued in portions of about this length, bytes. */
    private static final int PORTION_BYTES = 512 * 1024;
    /** And this is how much else commits have to wait for behind what is moved out of the way, bytes at a time. */
    private static final int SLICE_BYTES = 128 * 1024;
    /** How often a removal asks for room before it gives up: others may have been quicker to take it. */
    private static final int REMOVAL_ATTEMPTS = 50;

    private static final SecureRandom RANDOM = new SecureRandom();

    private final Disk disk;
    private final LogIo io;
    private final Path directory;
    private final byte[] storeId;
    private final long segmentBytes;
    private final int blockBytes;
    private final StoreEvents events;
    private final long firstSequence;
    private final long durableBefore;

    private final AtomicLong room = new AtomicLong();
    private final AtomicLong longestRecord;
    // What must be left by a removal, and by a write, bytes.
    private volatile long removalFloor;
    private volatile long writeFloor;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition workArrived = lock.newCondition();
    private final Condition workDone = lock.newCondition();
    // All guarded by the lock.
    private final ArrayDeque<Segment> inUse;
    private final ArrayDeque<Segment> spares = new ArrayDeque<>();
    private long nextSegmentId;
    private long lastPreparedId;
    private long freedThrough;
    private int nextFileNumber;
    private long ticketsTaken;
    private long ticketsDone;
    private long wantedRoom;
    private volatile int segmentCount;
    // Whether the last segment in use is being filled; in a new opening none is, before the first batch.
    private boolean hasActive;
    private String fullBecause = "";
    private boolean closed;
    private Throwable broken;

    private volatile long durableSequence;
    private Housekeeper housekeeper;
    // A header was written, or perhaps not, whose segment did not become a spare: it may name the last spare as the one
    // before it. On the thread that makes spares, then by the closing one.
    private boolean headerInDoubt;
    // Set by the closing thread only: all of this opening is on disk up to here.
    private long closedDurableThrough;

    /** What recovery found. */
    record Found(
            ArrayDeque<Segment> inUse,
            long highestSegmentId,
            int highestFileNumber,
            long firstSequence,
            long durableBefore,
            long freedThrough,
            int longestRecord) {}

    SegmentPool(
            LogIo io,
            Disk disk,
            Path directory,
            byte[] storeId,
            long segmentBytes,
            int blockBytes,
            StoreEvents events,
            Found found) {
        this.io = io;
        this.disk = disk;
        this.directory = directory;
        this.storeId = storeId;
        this.segmentBytes = segmentBytes;
        this.blockBytes = blockBytes;
        this.events = events;
        this.inUse = found.inUse;
        this.nextSegmentId = found.highestSegmentId + 1;
        this.nextFileNumber = found.highestFileNumber + 1;
        this.firstSequence = found.firstSequence;
        this.durableBefore = found.durableBefore;
        this.freedThrough = found.freedThrough;
        this.durableSequence = firstSequence - 1;
        this.lastPreparedId = inUse.isEmpty() ? 0 : inUse.getLast().id();
        this.longestRecord = new AtomicLong(found.longestRecord);
        this.segmentCount = inUse.size();
        setFloors();
    }

    private void setFloors() {
        removalFloor = floor(true, wasteOfMoving());
        writeFloor = floor(false, wasteOfMoving());
    }

    private long floor(boolean removal, long waste) {
        long forRemovals = 2 * segmentBytes + (segmentCount + 2) * waste;
        return removal ? forRemovals : forRemovals + segmentCount * waste + segmentBytes / 4;
    }

    /** What carrying a segment along may take beyond the length of its records, bytes. */
    private long wasteOfMoving() {
        return wasteOfMoving(longestRecord.get());
    }

    private long wasteOfMoving(long longest) {
        long batches = segmentBytes / PORTION_BYTES + 2;
        long waste = longest + batches * (SegmentFormat.BATCH_HEADER_BYTES + (long) blockBytes);
        return Math.min(waste, segmentBytes / 4);
    }

    /** Makes one more spare file. Before {@link #start} or on the housekeeper only. */
    void makeSpare() throws IOException {
        int number;
        SegmentHeader header;
        lock.lock();
        try {
            number = nextFileNumber++;
            header = nextHeader(segmentBytes);
        } finally {
            lock.unlock();
        }
        Path path = directory.resolve(SegmentFormat.fileName(number));
        Path unfinished = directory.resolve(SegmentFormat.fileName(number) + SegmentFormat.UNFINISHED_SUFFIX);
        try {
            writeFile(unfinished, header);
            disk.rename(unfinished, path);
            disk.forceDirectory(directory);
            addSpare(open(path, header));
        } catch (IOException failed) {
            try {
                discard(unfinished, path);
            } catch (IOException leftOver) {
                failed.addSuppressed(leftOver);
            }
            throw failed;
        }
    }

    private void discard(Path unfinished, Path path) throws IOException {
        boolean wasInDoubt = headerInDoubt;
        headerInDoubt = true;
        for (Path file : List.of(path, unfinished)) {
            if (disk.kindOf(file) != Disk.PathKind.MISSING) {
                disk.delete(file);
            }
        }
        disk.forceDirectory(directory);
        headerInDoubt = wasInDoubt;
    }

    /**
     * Gives files that recovery found unused another life, and deletes those that have not the size that files have now.
     * The last prepared first: what is left is then an unbroken chain behind the used ones, wherever this is cut off.
     * Before {@link #start} only.
     *
     * @param unused in the order of their ids
     */
    void adoptSpares(List<Segment> unused) throws IOException {
        if (unused.isEmpty()) {
            return;
        }
        // The first header that is written says which segments are needed, before any that says so is deleted.
        Segment first = rewriteHeader(unused.get(unused.size() - 1));
        if (hasSizeOfNow(first)) {
            addSpare(first);
        }
        for (int i = unused.size() - 2; i >= 0; i--) {
            if (hasSizeOfNow(unused.get(i))) {
                addSpare(rewriteHeader(unused.get(i)));
            } else {
                delete(unused.get(i));
            }
        }
        if (!hasSizeOfNow(first)) {
            makeSpare();
            delete(first);
        }
    }

    /** Whether the file may be used again: one that was made with another configuration may be too small for a record. */
    private boolean hasSizeOfNow(Segment segment) {
        return segment.header().segmentBytes() == segmentBytes;
    }

    /** No header on disk needs the segment any more. */
    private void delete(Segment segment) throws IOException {
        segment.free();
        segment.close();
        disk.delete(segment.path());
        disk.forceDirectory(directory);
        lock.lock();
        try {
            segmentCount = inUse.size() + spares.size();
            setFloors();
        } finally {
            lock.unlock();
        }
    }

    private void writeFile(Path path, SegmentHeader header) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocateDirect(ZEROS_BYTES);
        try (DiskFile file = disk.open(path, OpenMode.CREATE_NEW)) {
            for (long position = 0; position < header.segmentBytes(); position += ZEROS_BYTES) {
                zeros.clear().limit((int) Math.min(ZEROS_BYTES, header.segmentBytes() - position));
                if (position == 0) {
                    header.encodeTo(zeros, storeId);
                }
                file.writeFully(zeros, position);
                if (position == 0) {
                    zeros.put(0, new byte[SegmentFormat.SEGMENT_HEADER_BYTES]);
                }
            }
            file.force();
        }
    }

    /** Opens a segment file for reads and durable writes. */
    Segment open(Path path, SegmentHeader header) throws IOException {
        DiskFile readFile = disk.open(path, OpenMode.READ);
        try {
            return new Segment(path, header, io.disk().open(path, io.mode()), readFile);
        } catch (IOException | RuntimeException failed) {
            readFile.close();
            throw failed;
        }
    }

    private void addSpare(Segment spare) {
        lock.lock();
        try {
            spares.add(spare);
            lastPreparedId = spare.id();
            segmentCount = inUse.size() + spares.size();
            setFloors();
            room.addAndGet(spare.usableBytes());
        } finally {
            lock.unlock();
        }
    }

    private SegmentHeader nextHeader(long bytes) {
        return nextHeader(bytes, firstSequence, durableBefore);
    }

    private SegmentHeader nextHeader(long bytes, long openingSequence, long durableBeforeOpening) {
        return new SegmentHeader(
                nextSegmentId++,
                RANDOM.nextLong(),
                bytes,
                blockBytes,
                lastPreparedId,
                inUse.isEmpty()
                        ? (spares.isEmpty() ? nextSegmentId - 1 : spares.peek().id())
                        : inUse.peek().id(),
                openingSequence,
                durableBeforeOpening,
                freedThrough);
    }

    private Segment rewriteHeader(Segment old) throws IOException {
        SegmentHeader header;
        lock.lock();
        try {
            header = nextHeader(old.header().segmentBytes());
        } finally {
            lock.unlock();
        }
        return rewriteHeader(old, header);
    }

    private Segment rewriteHeader(Segment old, SegmentHeader header) throws IOException {
        ByteBuffer block = ByteBuffer.allocateDirect(2 * blockBytes)
                .alignedSlice(blockBytes)
                .slice(0, blockBytes);
        header.encodeTo(block, storeId);
        try {
            old.writeFile().writeFully(block, 0);
            if (io.needsForce()) {
                old.writeFile().force();
            }
        } catch (IOException unknown) {
            headerInDoubt = true;
            throw unknown;
        }
        return old.reborn(header);
    }

    /** Starts the housekeeper. */
    void start(Rewriter rewriter) {
        housekeeper = new Housekeeper(rewriter);
        housekeeper.start();
        rouse();
    }

    /** The next segment to fill; there is one, because what is to be laid out has reserved its room. */
    Segment takeSpare() {
        lock.lock();
        try {
            Segment next = spares.poll();
            if (next == null) {
                throw new IllegalStateException("no spare segment in directory=" + directory + " room=" + room);
            }
            inUse.add(next);
            hasActive = true;
            workArrived.signal();
            return next;
        } finally {
            lock.unlock();
        }
    }

    /** How many bytes a record reserves. */
    long charge(Append append) {
        return append.isCarried()
                ? append.recordLength()
                : 2
                        * SegmentFormat.aligned(
                                SegmentFormat.BATCH_HEADER_BYTES + (long) append.recordLength(), blockBytes);
    }

    void refund(long charged) {
        room.addAndGet(charged);
    }

    /** Bytes were laid out or wasted. */
    void used(long bytes) {
        room.addAndGet(-bytes);
    }

    /** Every batch up to this sequence is on disk. */
    void durable(long sequence) {
        durableSequence = sequence;
    }

    /**
     * Takes room for a record, waiting for the housekeeper if need be; what is carried along finds its room now or never.
     *
     * @throws StoreFullException the housekeeper has found none
     */
    void reserve(Append append) {
        long charge = charge(append);
        if (append.isCarried()) {
            if (!tryReserve(charge, wasteOfMoving())) {
                throw full("there is too little room to carry records along");
            }
            return;
        }
        boolean removal = append.isTombstone();
        if (!tryReserve(charge, floor(removal, append.recordLength()))) {
            reserveWaiting(charge, removal, append.recordLength());
        }
        noteLength(append.recordLength());
    }

    /** What must be left when a record of this length is there too: a longer one than any before raises the reserves. */
    private long floor(boolean removal, int recordLength) {
        if (recordLength > longestRecord.get()) {
            return floor(removal, wasteOfMoving(recordLength));
        }
        return removal ? removalFloor : writeFloor;
    }

    private void noteLength(int recordLength) {
        if (recordLength <= longestRecord.get()) {
            return;
        }
        lock.lock();
        try {
            longestRecord.accumulateAndGet(recordLength, Math::max);
            setFloors();
        } finally {
            lock.unlock();
        }
    }

    private boolean tryReserve(long charge, long floor) {
        if (room.addAndGet(-charge) >= floor) {
            return true;
        }
        room.addAndGet(charge);
        return false;
    }

    private void reserveWaiting(long charge, boolean removal, int recordLength) {
        lock.lock();
        try {
            for (int attempts = removal ? REMOVAL_ATTEMPTS : 1; ; attempts--) {
                long ticket = ++ticketsTaken;
                wantedRoom = Math.max(wantedRoom, charge + floor(removal, recordLength));
                workArrived.signal();
                while (ticketsDone < ticket && broken == null && !closed) {
                    workDone.awaitUninterruptibly();
                }
                if (broken != null || closed) {
                    room.addAndGet(-charge); // whatever is wrong, the queue is sealed for it and says so
                    return;
                }
                if (tryReserve(charge, floor(removal, recordLength))) {
                    return;
                }
                if (!fullBecause.isEmpty() && attempts <= 1) {
                    throw full(fullBecause);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private StoreFullException full(String because) {
        return new StoreFullException("the journal in directory=" + directory + " is full (" + because
                + "); nothing was written. Make room on the disk, or let transactions finish: removals still work, and"
                + " writes work again when there is room");
    }

    private void rouse() {
        lock.lock();
        try {
            workArrived.signal();
        } finally {
            lock.unlock();
        }
    }

    int spares() {
        lock.lock();
        try {
            return spares.size();
        } finally {
            lock.unlock();
        }
    }

    private List<Segment> segments() {
        lock.lock();
        try {
            ArrayDeque<Segment> all = new ArrayDeque<>(inUse);
            all.addAll(spares);
            return List.copyOf(all);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Says, before {@link #close}, that every batch of this opening is on disk, up to this sequence. Closing then lets the
     * last spare say so too: a segment that rots, or is exchanged for an older copy of itself, cannot deny it.
     */
    void allDurable(long sequence) {
        closedDurableThrough = sequence;
    }

    void close() throws IOException {
        lock.lock();
        try {
            closed = true;
            workArrived.signalAll();
            workDone.signalAll();
        } finally {
            lock.unlock();
        }
        if (housekeeper != null) {
            housekeeper.end();
        }
        IOException failed = null;
        try {
            if (closedDurableThrough > 0 && !headerInDoubt) {
                markLastSpare();
            }
        } catch (IOException trouble) {
            failed = trouble;
        }
        for (Segment segment : segments()) {
            try {
                segment.close();
            } catch (IOException trouble) {
                failed = trouble;
            }
        }
        if (failed != null) {
            throw failed;
        }
    }

    /** As if another opening had begun and written nothing. */
    private void markLastSpare() throws IOException {
        lock.lock();
        try {
            Segment last = spares.pollLast();
            if (last == null) {
                return; // the mark in the active segment has to do
            }
            lastPreparedId = last.header().previousId();
            SegmentHeader header = nextHeader(
                    last.header().segmentBytes(),
                    closedDurableThrough + SegmentRecovery.SEQUENCE_STEP,
                    closedDurableThrough);
            spares.add(last); // to be closed, whatever comes of it
            rewriteHeader(last, header);
        } finally {
            lock.unlock();
        }
    }

    private final class Housekeeper extends Thread {
        private final Rewriter rewriter;
        private final SegmentScanner scanner = new SegmentScanner(storeId);

        Housekeeper(Rewriter rewriter) {
            super("tallystick-journal-housekeeper");
            setDaemon(true);
            this.rewriter = rewriter;
        }

        /** Nobody but {@link #end} ends this thread. */
        @Override
        public void interrupt() {
            // an interrupt is none of its business
        }

        void end() {
            boolean interrupted = false;
            while (isAlive()) {
                try {
                    join();
                } catch (InterruptedException later) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void run() {
            try {
                while (awaitWork()) {
                    long ticket = ticketsTakenNow();
                    String full = keepHouse();
                    workDone(ticket, full);
                }
            } catch (StoreException failedOrClosed) {
                breakDown(failedOrClosed);
            } catch (IOException | RuntimeException | Error trouble) {
                breakDown(trouble);
                rewriter.failStop(trouble);
            }
        }

        private boolean awaitWork() {
            lock.lock();
            try {
                while (!closed && ticketsTaken == ticketsDone && (spares.size() >= SPARES || !fullBecause.isEmpty())) {
                    workArrived.awaitUninterruptibly();
                    if (spares.size() < SPARES) {
                        return !closed;
                    }
                }
                return !closed;
            } finally {
                lock.unlock();
            }
        }

        private long ticketsTakenNow() {
            lock.lock();
            try {
                return ticketsTaken;
            } finally {
                lock.unlock();
            }
        }

        private void workDone(long ticket, String full) {
            lock.lock();
            try {
                ticketsDone = ticket;
                fullBecause = full;
                if (ticketsDone == ticketsTaken) {
                    wantedRoom = 0;
                }
                workDone.signalAll();
            } finally {
                lock.unlock();
            }
        }

        private void breakDown(Throwable trouble) {
            lock.lock();
            try {
                broken = trouble;
                workDone.signalAll();
            } finally {
                lock.unlock();
            }
        }

        /** Frees or makes segments until there is enough; returns why there is not, or nothing. */
        private String keepHouse() throws IOException {
            int moved = 0;
            int carriedAlong = 0;
            if (isShort()) {
                rewriter.force(); // what is queued holds more room than it will take, and may be what is not dead yet
            }
            while (isShort()) {
                if (isOldestLanding()) {
                    rewriter.force();
                }
                Segment oldest = oldestFull();
                if (oldest != null && oldest.liveRecords() == 0) {
                    String full = recycle(oldest);
                    if (!full.isEmpty()) {
                        return full;
                    }
                } else if (oldest == null
                        || isMostlyLive()
                        || isHardlyDead(oldest)
                        || (hasSizeOfNow(oldest) && !mayMovingSuffice(moved++))
                        || !moveOut(oldest, SLICE_BYTES)) {
                    String full = grow();
                    if (!full.isEmpty() && !(wouldGain(carriedAlong++) && carryAlong())) {
                        return full;
                    }
                }
            }
            return "";
        }

        /** Whether the wanted room can come from what is dead, and has not been looked for in every segment already. */
        private boolean mayMovingSuffice(int moved) {
            lock.lock();
            try {
                return moved <= segmentCount && roomBehindAll() >= wantedRoom;
            } finally {
                lock.unlock();
            }
        }

        /** Whether carrying along everything once, or twice, because the active segment is no part of it, makes the room. */
        private boolean wouldGain(int carriedAlong) {
            lock.lock();
            try {
                long needed = Math.max(wantedRoom, removalFloor);
                return !closed && room.get() < needed && carriedAlong <= 2 * segmentCount && roomBehindAll() >= needed;
            } finally {
                lock.unlock();
            }
        }

        /** The room there is at least when everything live has been moved once, bytes. Under the lock only. */
        private long roomBehindAll() {
            long room = -segmentCount * wasteOfMoving();
            for (Segment segment : segments()) {
                room += segment.usableBytes() - segment.liveBytes();
            }
            return room;
        }

        private boolean carryAlong() throws IOException {
            rewriter.force(); // what is in flight holds more room than it will take
            Segment oldest = oldestFull();
            return oldest != null && moveOut(oldest, PORTION_BYTES);
        }

        private boolean isHardlyDead(Segment segment) {
            return segment.liveBytes() > segment.usableBytes() / 4 * 3;
        }

        private boolean isShort() {
            lock.lock();
            try {
                return !closed && (spares.size() < SPARES || room.get() < wantedRoom);
            } finally {
                lock.unlock();
            }
        }

        /** The oldest segment, if it is full and all of it is on disk. */
        private Segment oldestFull() {
            lock.lock();
            try {
                return hasFull() && inUse.peek().lastSequence() <= durableSequence ? inUse.peek() : null;
            } finally {
                lock.unlock();
            }
        }

        /** Whether the oldest segment is full but its last batches are still on their way. */
        private boolean isOldestLanding() {
            lock.lock();
            try {
                return hasFull() && inUse.peek().lastSequence() > durableSequence;
            } finally {
                lock.unlock();
            }
        }

        private boolean hasFull() {
            return inUse.size() > (hasActive ? 1 : 0);
        }

        private boolean isMostlyLive() {
            lock.lock();
            try {
                long live = 0;
                long usable = 0;
                for (Segment segment : inUse) {
                    live += segment.liveBytes();
                    usable += segment.usableBytes();
                }
                return live > usable / 2;
            } finally {
                lock.unlock();
            }
        }

        /** Makes another file; returns why it cannot, or nothing. */
        private String grow() {
            try {
                makeSpare();
                return "";
            } catch (IOException refused) {
                return "another segment of " + segmentBytes + " bytes cannot be made: " + refused.getMessage();
            }
        }

        /** Moves what is live in the segment elsewhere and recycles it; false if that cannot be done. */
        private boolean moveOut(Segment segment, int portionBytes) throws IOException {
            long records = segment.liveRecords();
            long bytes = segment.liveBytes();
            StoreEvents.Relocation relocation = events.beginRelocation();
            try {
                rewriteLive(segment, 0, portionBytes, scanner, rewriter);
            } catch (StoreFullException noRoomToMove) {
                return false;
            } catch (IOException unreadable) {
                LOG.log(
                        System.Logger.Level.ERROR,
                        "TALLY0302 file=" + segment.path()
                                + " cannot be read, so its live records stay where they are; check the disk",
                        unreadable);
                return false;
            }
            rewriter.force();
            if (segment.liveRecords() != 0) {
                throw new IllegalStateException(segment + " still has live records after they were moved");
            }
            relocation.ended(segment.path().toString(), records, bytes);
            return recycle(segment).isEmpty();
        }

        /** Makes a spare of a segment that nothing needs; returns why it cannot, or nothing. */
        private String recycle(Segment segment) throws IOException {
            lock.lock();
            try {
                inUse.remove(segment);
                freedThrough = Math.max(freedThrough, segment.lastSequence());
            } finally {
                lock.unlock();
            }
            if (!hasSizeOfNow(segment)) {
                return replace(segment);
            }
            segment.free();
            try {
                addSpare(rewriteHeader(segment));
            } catch (IOException unknown) {
                putBack(segment); // to be closed, as all others are
                throw unknown;
            }
            events.reclaimed(segment.path().toString(), true);
            return "";
        }

        /** The header of a new file must say that the old one is not needed, before that one may be missing. */
        private String replace(Segment segment) throws IOException {
            String full = grow();
            if (full.isEmpty()) {
                delete(segment);
                events.reclaimed(segment.path().toString(), false);
            } else {
                putBack(segment);
            }
            return full;
        }

        private void putBack(Segment segment) {
            lock.lock();
            try {
                inUse.addFirst(segment);
            } finally {
                lock.unlock();
            }
        }
    }

    /** Queues again whatever of the segment is the latest version of its key and lies in a batch after this sequence. */
    static void rewriteLive(Segment segment, long afterSequence, SegmentScanner scanner, Rewriter rewriter)
            throws IOException {
        rewriteLive(segment, afterSequence, PORTION_BYTES, scanner, rewriter);
    }

    private static void rewriteLive(
            Segment segment, long afterSequence, int mostBytes, SegmentScanner scanner, Rewriter rewriter)
            throws IOException {
        List<Carried> portion = new ArrayList<>();
        scanner.scan(segment, new SegmentScanner.Visitor() {
            private boolean wanted;
            private long portionBytes;

            @Override
            public void batch(long position, long end, long gapStart, long sequence, long durableSequence) {
                wanted = sequence > afterSequence;
            }

            @Override
            public void record(long position, RecordDecoder.Header record, ByteBuffer bytes, int offset) {
                if (!wanted || record.flags() == 0) {
                    return;
                }
                Append latest = rewriter.latest(record.key());
                if (latest != null && latest.home() == segment && latest.position() == position) {
                    byte[] copy = new byte[record.length()];
                    bytes.get(offset, copy);
                    portion.add(new Carried(latest, copy));
                    portionBytes += copy.length;
                    if (portionBytes >= mostBytes) {
                        rewrite(portion, rewriter);
                        rewriter.force();
                        portion.clear();
                        portionBytes = 0;
                    }
                }
            }
        });
        rewrite(portion, rewriter);
    }

    /** What is queued already holds more room than it will take; once it is on disk there is room for the rest. */
    private static void rewrite(List<Carried> portion, Rewriter rewriter) {
        try {
            rewriter.rewrite(portion);
        } catch (StoreFullException noRoomYet) {
            rewriter.force();
            rewriter.rewrite(portion);
        }
    }
}
