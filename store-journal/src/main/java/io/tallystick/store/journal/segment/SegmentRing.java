package io.tallystick.store.journal.segment;

import io.tallystick.storage.SystemRandom;
import io.tallystick.store.journal.room.Room;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The order of the segments: those in use, oldest first, then the spares in the order of their use.
 *
 * <pre>
 *   made --> spare --> active --> full --> free --> spare (another life of the same file)
 * </pre>
 *
 * Segments are used in the order in which they were prepared, and freed in the order in which they were used. So a
 * removal lies in the segment of the record that it removes, or in a later one. It may go with its segment, and no
 * removed record comes back.
 *
 * <p>The ring also numbers segments and files, because each header names the oldest segment in use and the one before
 * it.
 */
final class SegmentRing implements Closeable {
    private final ReentrantLock lock;
    private final SegmentPlan plan;
    private final long firstSequence;
    private final long durableBefore;
    private final Room room;
    private final CurrentReserves reserves;

    // All guarded by the lock.
    // Linked lists: they allocate before they change, so that running out of memory leaves them as they were.
    private final Deque<Segment> inUse;
    private final Deque<Segment> spares = new LinkedList<>();
    private long nextSegmentId;
    private long lastPreparedId;
    private long freedThrough;
    private int nextFileNumber;
    // Whether the last segment in use is being filled; in a new opening none is, before the first batch.
    private boolean hasActive;

    private volatile long durableSequence;

    /** @param lock the lock of the pool */
    SegmentRing(ReentrantLock lock, SegmentPlan plan, RecoveredSegments found, Room room, CurrentReserves reserves) {
        this.lock = lock;
        this.plan = plan;
        this.room = room;
        this.reserves = reserves;
        this.inUse = found.inUse();
        this.nextSegmentId = found.highest().segmentId() + 1;
        this.nextFileNumber = found.highest().fileNumber() + 1;
        this.firstSequence = found.sequences().first();
        this.durableBefore = found.sequences().durableBefore();
        this.freedThrough = found.sequences().freedThrough();
        this.durableSequence = firstSequence - 1;
        this.lastPreparedId = inUse.isEmpty() ? 0 : inUse.getLast().id();
    }

    /** The number in the name of the next file. */
    int takeFileNumber() {
        lock.lock();
        try {
            return nextFileNumber++;
        } finally {
            lock.unlock();
        }
    }

    /** The header of the next segment, in a file of this size. */
    SegmentHeader nextHeader(long bytes) {
        long salt = SystemRandom.nextLong();
        lock.lock();
        try {
            return nextHeader(salt, bytes, null, firstSequence, durableBefore);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Under the lock only.
     *
     * @param replacedOrNull the last spare, if the header is for its next life
     */
    private SegmentHeader nextHeader(
            long salt, long bytes, Segment replacedOrNull, long openingSequence, long durableBeforeOpening) {
        if (hasActive && inUse.isEmpty()) {
            // A header that names a spare as the oldest would say that nothing in use is needed.
            throw new IllegalStateException("the active segment of directory=" + plan.directory() + " is not in use");
        }
        Segment oldest = inUse.isEmpty() ? spares.peek() : inUse.peek();
        long segmentId = nextSegmentId++;
        return new SegmentHeader(
                segmentId,
                salt,
                bytes,
                plan.blockBytes(),
                replacedOrNull == null
                        ? lastPreparedId
                        : replacedOrNull.header().previousId(),
                oldest == null || oldest == replacedOrNull ? segmentId : oldest.id(),
                openingSequence,
                durableBeforeOpening,
                freedThrough);
    }

    /** The header of the segment is on disk: the segment is the last spare, and its room counts. */
    void addSpare(Segment spare) {
        lock.lock();
        try {
            spares.add(spare);
            lastPreparedId = spare.id();
            reserves.segmentsAre(inUse.size() + spares.size());
            room.give(spare.usableBytes());
        } finally {
            lock.unlock();
        }
    }

    /** The next segment to fill; there is one, because each record that is laid out has reserved its room. */
    Segment takeSpare() {
        lock.lock();
        try {
            Segment next = spares.peek();
            if (next == null) {
                throw new IllegalStateException(
                        "no spare segment in directory=" + plan.directory() + " room=" + room.free());
            }
            inUse.add(next);
            spares.remove();
            hasActive = true;
            return next;
        } finally {
            lock.unlock();
        }
    }

    /** The segments in use, oldest first. */
    List<Segment> used() {
        lock.lock();
        try {
            return List.copyOf(inUse);
        } finally {
            lock.unlock();
        }
    }

    /** The spare that is filled next; null if there is none. */
    Segment firstSpareOrNull() {
        lock.lock();
        try {
            return spares.peek();
        } finally {
            lock.unlock();
        }
    }

    /**
     * The header of the first spare, where it names the oldest segment and the batches that are needed without these
     * segments.
     *
     * @param freed the oldest segments in use
     */
    SegmentHeader headerWithout(List<Segment> freed, Segment spare) {
        lock.lock();
        try {
            long oldestId = spare.id();
            for (Segment segment : inUse) {
                if (!freed.contains(segment)) {
                    oldestId = segment.id();
                    break;
                }
            }
            long freedNow = freedThrough;
            for (Segment segment : freed) {
                freedNow = Math.max(freedNow, segment.lastSequence());
            }
            SegmentHeader header = spare.header();
            return new SegmentHeader(
                    header.segmentId(),
                    header.salt(),
                    header.segmentBytes(),
                    header.blockBytes(),
                    header.previousId(),
                    oldestId,
                    header.firstSequence(),
                    header.durableBefore(),
                    freedNow);
        } finally {
            lock.unlock();
        }
    }

    /**
     * The first spare is the active segment from now on. In a new opening only, before the first batch.
     *
     * @param next the spare, with the header that is on disk
     * @param bytes of its room that are used already, and of that of the segment that was active before
     */
    void fill(Segment spare, Segment next, long bytes) {
        lock.lock();
        try {
            inUse.add(next);
            spares.remove(spare);
            hasActive = true;
            room.take(bytes);
        } finally {
            lock.unlock();
        }
    }

    /** Whether a removal would have to wait for room. */
    boolean isShortForRemovals() {
        return isShortForRemovals(0);
    }

    /** Whether a removal would have to wait although this many bytes became free. */
    boolean isShortForRemovals(long bytes) {
        return room.free() + bytes < reserves.forRemovals();
    }

    /** Whether the housekeeper would make a file for removals before it moves records. */
    boolean prefersNewFile() {
        return snapshot(false, reserves.forRemovals()).nextStep(0) == HousekeepingSnapshot.Step.GROW;
    }

    /** Whether removals have their room after all live records were moved once. */
    boolean mayCarryingSuffice() {
        return snapshot(false, 0).room().attainable() >= reserves.forRemovals();
    }

    /** Every batch up to this sequence is on disk. */
    void durable(long sequence) {
        durableSequence = sequence;
    }

    /** The oldest segment, if it is full and all of it is on disk; else null. */
    Segment oldestOnDiskOrNull() {
        lock.lock();
        try {
            return hasFull() && isOldestOnDisk() ? inUse.peek() : null;
        } finally {
            lock.unlock();
        }
    }

    private boolean hasFull() {
        return inUse.size() > (hasActive ? 1 : 0);
    }

    private boolean isOldestOnDisk() {
        return inUse.peek().lastSequence() <= durableSequence;
    }

    /** The present numbers, for the housekeeper. */
    HousekeepingSnapshot snapshot(boolean closed, long wantedRoom) {
        lock.lock();
        try {
            HousekeepingSnapshot.OldestSegment oldest = hasFull() ? oldest() : null;
            long usedLive = 0;
            long used = 0;
            for (Segment segment : inUse) {
                usedLive += segment.liveBytes();
                used += segment.usableBytes();
            }
            long dead = used - usedLive;
            for (Segment segment : spares) {
                dead += segment.usableBytes() - segment.liveBytes();
            }
            return new HousekeepingSnapshot(
                    closed,
                    new HousekeepingSnapshot.SegmentCounts(inUse.size() + spares.size(), spares.size(), usedLive, used),
                    new HousekeepingSnapshot.RoomCounts(
                            room.free(), wantedRoom, reserves.forRemovals(), reserves.afterCarryingAll(dead)),
                    oldest);
        } finally {
            lock.unlock();
        }
    }

    private HousekeepingSnapshot.OldestSegment oldest() {
        Segment oldest = inUse.peek();
        boolean isOnDisk =
                isOldestOnDisk(); // before the live records: they are counted before their sequence is durable
        return new HousekeepingSnapshot.OldestSegment(
                isOnDisk, oldest.liveRecords(), oldest.liveBytes(), oldest.usableBytes(), hasCurrentSize(oldest));
    }

    /** Whether the file has the size of new files. One of another configuration may be too small for a record. */
    boolean hasCurrentSize(Segment segment) {
        return segment.header().segmentBytes() == plan.segmentBytes();
    }

    /** Takes a segment out of use: from now on headers do not need it. Returns the last sequence freed before. */
    long takeOut(Segment segment) {
        lock.lock();
        try {
            long freedBefore = freedThrough;
            inUse.remove(segment);
            freedThrough = Math.max(freedThrough, segment.lastSequence());
            return freedBefore;
        } finally {
            lock.unlock();
        }
    }

    /** Undoes {@link #takeOut}: from now on headers need the segment and each batch in it again. */
    void putBack(Segment segment, long freedBefore) {
        lock.lock();
        try {
            inUse.addFirst(segment);
            freedThrough = freedBefore;
        } finally {
            lock.unlock();
        }
    }

    /** The file of a segment that was neither in use nor a spare is gone. */
    void deleted() {
        lock.lock();
        try {
            reserves.segmentsAre(inUse.size() + spares.size());
        } finally {
            lock.unlock();
        }
    }

    /**
     * The next life of the last spare, with the header of an opening that has written nothing; null if there is no
     * spare. The segment itself stays a spare, so that it is closed with the others.
     *
     * @param durableThrough all of this opening is on disk up to this sequence
     */
    Segment lastSpareRebornOrNull(long durableThrough) {
        long salt = SystemRandom.nextLong();
        lock.lock();
        try {
            Segment last = spares.peekLast();
            if (last == null) {
                return null;
            }
            return last.reborn(nextHeader(
                    salt,
                    last.header().segmentBytes(),
                    last,
                    durableThrough + SegmentRecovery.SEQUENCE_STEP,
                    durableThrough));
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

    /** All segments, in use and spare, in the order of their use. */
    List<Segment> all() {
        lock.lock();
        try {
            List<Segment> all = new ArrayList<>(inUse);
            all.addAll(spares);
            return List.copyOf(all);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Closes all segments, whatever the closing of one throws; the first error is thrown. Called when every other
     * thread is done with the segments. So it does without the lock and without a list of them: both may need memory,
     * and there may be none.
     */
    @Override
    public void close() throws IOException {
        Throwable failed = closeAll(spares, closeAll(inUse, null));
        if (failed instanceof IOException trouble) {
            throw trouble;
        }
        if (failed instanceof RuntimeException trouble) {
            throw trouble;
        }
        if (failed instanceof Error trouble) {
            throw trouble;
        }
    }

    /** Returns the first error, or null. */
    private static Throwable closeAll(Deque<Segment> segments, Throwable firstOrNull) {
        Throwable first = firstOrNull;
        for (Segment segment = segments.poll(); segment != null; segment = segments.poll()) {
            try {
                segment.close();
            } catch (IOException | RuntimeException | Error trouble) {
                if (first == null) {
                    first = trouble;
                } else {
                    addSuppressed(first, trouble);
                }
            }
        }
        return first;
    }

    private static void addSuppressed(Throwable first, Throwable trouble) {
        try {
            if (first != trouble) { // the virtual machine may throw the same error again
                first.addSuppressed(trouble);
            }
        } catch (OutOfMemoryError noMemory) {
            // the first error tells enough, and the other segments are to be closed
        }
    }
}
