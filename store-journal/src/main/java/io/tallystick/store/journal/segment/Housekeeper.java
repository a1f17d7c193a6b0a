package io.tallystick.store.journal.segment;

import io.tallystick.storage.Shortage;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFailedException;
import io.tallystick.store.StoreFullException;
import io.tallystick.store.log.spi.RecordLog.Rewriter;
import io.tallystick.store.spi.FailureLog;
import io.tallystick.store.spi.StoreEvents;
import io.tallystick.store.spi.StoreThread;
import io.tallystick.store.spi.UninterruptedWait;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The thread that keeps {@value HousekeepingSnapshot#SPARES} spares ahead of need, and makes the room that callers
 * wait for.
 *
 * <p>{@link HousekeepingSnapshot#nextStep} decides. When nothing in the oldest full segment is live, it is freed. While
 * more than half of all room is live, a new file is made. Otherwise the few live records of the oldest segment are
 * moved: they are queued again like any write, and forced, before the segment is freed.
 *
 * <h2>A full disk</h2>
 *
 * When no file can be made, room comes from dead records, and those may lie behind segments in which all is live. A
 * removal takes one block and is dead as soon as it is on disk, and the oldest segment is freed first. So the
 * housekeeper carries whole segments along, live or not, until it reaches dead blocks. {@link
 * io.tallystick.store.journal.room.Reserves} has the room for that.
 *
 * <h2>A store that has failed</h2>
 *
 * The disk may have lost a write, so the housekeeper begins nothing more on it: before each file and each header it
 * asks whether the store has failed. It ends what it was writing when the store failed; that holds no record yet.
 */
final class Housekeeper extends StoreThread {
    private static final System.Logger LOG = System.getLogger(Housekeeper.class.getName());

    /** Records are moved in slices of this size, because commits wait behind each slice. */
    private static final int SLICE_BYTES = 128 * 1024;

    private final Path directory;
    private final SegmentRing ring;
    private final SegmentFactory factory;
    private final RoomRequests requests;
    private final Rewriter rewriter;
    private final SegmentScanner scanner;
    private final StoreEvents events;

    // On this thread only.
    private String failureToGrow = "";
    // A segment with live records in damaged batches. Nothing behind it is freed before they are superseded.
    private Segment rotten;

    private Housekeeper(
            Making making, Workplace workplace, Rewriter rewriter, SegmentScanner scanner, StoreEvents events) {
        super(making, "tallystick-journal-housekeeper");
        this.directory = workplace.directory;
        this.ring = workplace.ring;
        this.factory = workplace.factory;
        this.requests = workplace.requests;
        this.rewriter = rewriter;
        this.scanner = scanner;
        this.events = events;
    }

    /**
     * A housekeeper that was not started.
     *
     * @param workplace the parts of the pool that it works on
     */
    static Housekeeper of(Workplace workplace, Rewriter rewriter, SegmentScanner scanner, StoreEvents events) {
        return StoreThread.made(making -> new Housekeeper(making, workplace, rewriter, scanner, events));
    }

    /** The parts of a pool that its housekeeper works on. */
    record Workplace(Path directory, SegmentRing ring, SegmentFactory factory, RoomRequests requests) {}

    /** Only {@link #end} ends this thread. */
    @Override
    public void interrupt() {
        // an interrupt changes nothing here
    }

    /** Waits until the thread has ended; the requests were closed before. */
    void end() {
        UninterruptedWait.join(this);
    }

    /** Whether the store has failed; nothing is written then. */
    boolean hasStoreFailed() {
        return rewriter.hasFailed();
    }

    @Override
    public void run() {
        try {
            while (requests.awaitWork()) {
                long ticket = requests.lastTicket();
                requests.answer(ticket, keepHouse());
            }
        } catch (StoreException failedOrClosed) {
            requests.breakDown(failedOrClosed);
        } catch (Throwable trouble) { // without a housekeeper callers would wait for ever
            try {
                rewriter.failStop(trouble); // first, so that a caller that is let go finds the queue sealed
            } catch (Throwable untold) {
                trouble.addSuppressed(untold);
            } finally {
                requests.breakDown(trouble);
            }
        }
    }

    /** Frees or makes segments until there is enough; returns why there is not, or null. */
    private RoomRefusal keepHouse() throws IOException {
        int moves = 0;
        int carried = 0;
        HousekeepingSnapshot now = requests.snapshot();
        if (now.isShort()) {
            rewriter.force(); // queued records hold more room than they will take, and may supersede live ones
            now = requests.snapshot();
        }
        while (true) {
            if (now.isShort() && now.isOldestLanding()) {
                rewriter.force();
                now = requests.snapshot();
            }
            HousekeepingSnapshot.Step step = now.nextStep(moves);
            if (step == HousekeepingSnapshot.Step.REST) {
                return null;
            }
            RoomRefusal refused = null;
            if (step == HousekeepingSnapshot.Step.RECYCLE) {
                refused = recycle(ring.oldestOnDiskOrNull());
            } else if (step == HousekeepingSnapshot.Step.GROW || !moveOut(ring.oldestOnDiskOrNull(), SLICE_BYTES)) {
                refused = grow();
                if (refused != null && requests.snapshot().wouldCarryingGain(carried++) && carryAlong()) {
                    refused = null;
                }
            }
            if (refused != null) {
                return refused;
            }
            if (step == HousekeepingSnapshot.Step.MOVE && now.oldestOrNull().hasCurrentSize()) {
                moves++;
            }
            now = requests.snapshot();
        }
    }

    /** Ends this thread where the store has failed; the callers that wait are let go then, and the queue tells why. */
    private void refuseIfFailed() {
        if (rewriter.hasFailed()) {
            throw new StoreFailedException(
                    "the store in directory=" + directory + " has failed, so its housekeeper begins nothing more",
                    null);
        }
    }

    private boolean carryAlong() throws IOException {
        rewriter.force(); // records in flight hold more room than they will take
        Segment oldest = ring.oldestOnDiskOrNull();
        return oldest != null && moveOut(oldest, RecordRelocation.PORTION_BYTES);
    }

    /**
     * Makes another file; returns why it cannot, or null. The file holds no record yet, so no outcome is unknown after
     * a failure. The journal goes on with the segments that it has.
     */
    private RoomRefusal grow() {
        refuseIfFailed();
        try {
            factory.makeSpare(this::hasStoreFailed);
            failureToGrow = "";
            return null;
        } catch (IOException refused) {
            refuseIfFailed(); // the journal does not go on then
            String because =
                    "another segment of " + factory.segmentBytes() + " bytes cannot be made: " + refused.getMessage();
            if (Shortage.isShortageOfRoom(refused)) {
                return new RoomRefusal(because, null);
            }
            if (!because.equals(failureToGrow)) {
                failureToGrow = because;
                FailureLog.tell(
                        LOG,
                        System.Logger.Level.WARNING,
                        "TALLY0307 directory=" + directory + ": " + because
                                + "; the journal goes on while it has room; check the disk",
                        refused);
            }
            return new RoomRefusal(because, refused);
        }
    }

    /** Moves the live records of the segment elsewhere and recycles it; false if that cannot be done. */
    private boolean moveOut(Segment segment, int portionBytes) throws IOException {
        if (segment == rotten) {
            return false; // its sound records were moved, and later versions may yet supersede the others
        }
        long records = segment.liveRecords();
        long bytes = segment.liveBytes();
        StoreEvents.Relocation relocation = events.beginRelocation();
        try {
            RecordRelocation.allLive(segment, portionBytes, scanner, rewriter);
        } catch (StoreFullException noRoomToMove) {
            return false;
        } catch (IOException unreadable) {
            FailureLog.tell(
                    LOG,
                    System.Logger.Level.ERROR,
                    "TALLY0302 file=" + segment.path()
                            + " cannot be read, so its live records stay where they are; check the disk",
                    unreadable);
            return false;
        }
        rewriter.force();
        if (hasRottenRecords(segment)) {
            return false;
        }
        relocation.ended(segment.path().toString(), records, bytes);
        return recycle(segment) == null;
    }

    /** Whether live records are left in a segment although all readable ones were moved, and that is on disk. */
    private boolean hasRottenRecords(Segment segment) {
        int left = segment.liveRecords();
        if (left < 0) {
            throw new IllegalStateException(segment + " has lost count of its live records");
        }
        if (left == 0) {
            return false;
        }
        rotten = segment;
        FailureLog.tell(
                LOG,
                System.Logger.Level.ERROR,
                "TALLY0308 file=" + segment.path() + " has damaged batches with records=" + left
                        + " that are live; they stay where they are, and so does the file; the store goes on."
                        + " Look which records are damaged with `tallystick verify`, check the disk, and back the"
                        + " directory up while the process runs",
                null);
        return true;
    }

    /** Makes a spare of a segment that nothing needs; returns why it cannot, or null. */
    private RoomRefusal recycle(Segment segment) throws IOException {
        refuseIfFailed();
        boolean hasCurrentSize = ring.hasCurrentSize(segment);
        long freedBefore = ring.takeOut(segment);
        RoomRefusal refused = null;
        try {
            if (hasCurrentSize) {
                factory.recycle(segment);
            } else {
                refused = grow(); // the header of a new file must say that the old one is not needed
            }
        } catch (IOException | RuntimeException | Error unknown) {
            ring.putBack(segment, freedBefore); // to be closed, as all others are
            throw unknown;
        }
        if (refused != null) {
            ring.putBack(segment, freedBefore);
            return refused;
        }
        if (!hasCurrentSize) {
            factory.delete(segment);
        }
        events.reclaimed(segment.path().toString(), hasCurrentSize);
        return null;
    }
}
