package io.tallystick.store.journal.artemis;

import io.tallystick.store.journal.JournalContext;
import io.tallystick.store.journal.artemis.room.RoomRequests;
import io.tallystick.store.journal.artemis.room.Shortfall;
import io.tallystick.store.log.spi.RecordLog.Rewriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.apache.activemq.artemis.core.journal.impl.JournalImpl;
import org.apache.activemq.artemis.utils.ExecutorFactory;
import org.apache.activemq.artemis.utils.actors.ArtemisExecutor;

/**
 * Does the work that callers need not wait for, on one thread. It makes {@link SpareFiles} ahead of need, reuses dead
 * files, and moves live records out of the oldest file ({@link BackgroundRelocation}). Callers that find no room wait
 * here. When the disk takes no other file, {@link FullDiskRelocation} makes room for them.
 *
 * <h2>When the housekeeper works</h2>
 *
 * <dl>
 *   <dt>{@link #requestTidying}: a file may be dead, or a slice of records may be copied
 *   <dd>reuse dead files, copy a slice, make spare files
 *   <dt>{@link #requestRoom}, {@link #awaitSpare}: callers wait
 *   <dd>make files until there is enough room, else copy whole files, then answer all callers
 *   <dt>{@link #executors}: the journal itself makes or opens a file
 *   <dd>run the journal's task, and count the room in the file
 * </dl>
 */
final class Housekeeper {
    private static final Shortfall BROKEN_OFF = Shortfall.ofRoom("the thread that makes files and room has failed");
    private static final Shortfall STORE_FAILED = Shortfall.ofRoom("the store has failed, or its place is lost");

    private final Path directory;
    private final JournalFiles files;
    private final SpareFiles spareFiles;
    private final BackgroundRelocation backgroundRelocation;
    private final FullDiskRelocation fullDiskRelocation;
    private final RoomRequests requests;
    private final LiveRecords live;
    private final JournalRoom room;
    private final FailureLatch failure;
    private final HousekeepingThread thread;

    private final AtomicBoolean tidyingQueued = new AtomicBoolean();
    private volatile Rewriter rewriter;
    private volatile boolean closed;

    Housekeeper(JournalContext context, ArtemisLog.Parts parts) {
        this.directory = context.directory();
        this.files = parts.files();
        this.live = parts.live();
        this.room = parts.room();
        this.failure = parts.failure();
        this.requests = new RoomRequests(context.clock());
        parts.factory().askBeforeNames(this::hasStoreFailed);
        this.spareFiles = new SpareFiles(parts);
        this.backgroundRelocation = new BackgroundRelocation(context, parts);
        this.fullDiskRelocation =
                new FullDiskRelocation(context.statistics().events(), parts, spareFiles, requests, () -> closed);
        this.thread = HousekeepingThread.telling(failure::fail);
        thread.start();
    }

    /** The thread to open and stop the journal on. */
    HousekeepingThread thread() {
        return thread;
    }

    /**
     * The executors that the journal asks for when it starts: for files, for reclaiming, for appends, in this
     * order. The last one runs appends at once on the thread that appends. If it ever does not, {@link BatchWriter}
     * finds out.
     */
    ExecutorFactory executors() {
        ArrayDeque<ArtemisExecutor> inOrder = new ArrayDeque<>();
        inOrder.add(task -> thread.execute(() -> spareFiles.run(task)));
        inOrder.add(thread::execute);
        inOrder.add(Runnable::run);
        return inOrder::remove;
    }

    /** Takes over the loaded journal, and counts its room. On the housekeeper's thread only. */
    void adopt(JournalImpl loaded, long roomInActiveFile) {
        files.adopt(loaded);
        room.give(roomInActiveFile);
        live.noteRecovered();
        spareFiles.count();
    }

    /** Begins its work. */
    void start(Rewriter newRewriter) {
        rewriter = newRewriter;
        failure.tell(newRewriter::failStop);
        requestTidying();
    }

    /** Hears an error from the journal. */
    void heard(Throwable trouble, String message, String file) {
        if (Thread.currentThread() != thread || !spareFiles.heard(trouble)) {
            failure.fail(trouble);
        }
    }

    /** Whether the journal is closed or has failed, so that no room will be made. */
    boolean isStopped() {
        return closed || failure.isSet();
    }

    /** Whether copies may use the reserve for a full disk. On the housekeeper's thread only. */
    boolean isRelocatingOnFullDisk() {
        return fullDiskRelocation.isUnderWay();
    }

    /** Has this much room made, reserves included; returns the shortfall after the attempt. */
    Shortfall requestRoom(long bytes, boolean isRemoval) {
        return await(requests.placeForRoom(bytes, isRemoval), () -> false);
    }

    /**
     * Waits until there is an open spare file, so that the journal need not wait for one.
     *
     * @throws IOException there is none, and none can be made
     */
    void awaitSpare() throws IOException {
        while (files.openSpares() == 0) {
            Shortfall missing = await(requests.placeForSpareFile(), () -> files.openSpares() > 0);
            if (!missing.isNone() && files.openSpares() == 0) {
                throw missing.noNextFile(directory);
            }
        }
    }

    private Shortfall await(long ticket, BooleanSupplier isSatisfied) {
        // The journal may be closed at any moment from here on; close() answers the tickets of all callers.
        if (closed || !thread.tryExecute(this::answerRequests)) {
            return Shortfall.ofRoom("the journal is closed");
        }
        return requests.await(ticket, isSatisfied);
    }

    /** Notes that the first batch of a file is on disk. */
    void firstBatchIsDurable() {
        files.releaseHeldBack();
        room.nextFile().endClaim();
        requestTidying();
    }

    /** Notes that a batch is on disk, so that the next slice of records may be copied. */
    void batchIsDurable() {
        if (backgroundRelocation.isUnderWay()) {
            requestTidying();
        }
    }

    /** Has dead files reused and spare files made, because a file may have become dead or spare. */
    void requestTidying() {
        if (!closed && tidyingQueued.compareAndSet(false, true)) {
            thread.tryExecuteLater(this::tidy); // if the thread ends before, the next opening tidies
        }
    }

    /** Ends the thread after its queued tasks, and answers all callers that wait. */
    void close() {
        closed = true;
        thread.end();
        requests.close();
    }

    private void answerRequests() {
        RoomRequests.Taken wanted = requests.takeAll();
        Shortfall missing = BROKEN_OFF;
        try {
            missing = hasStoreFailed() ? STORE_FAILED : spareFiles.make(wanted.wantedBytes());
            if (missing != STORE_FAILED && !missing.isNone() && madeRoomByCopying(wanted)) {
                missing = Shortfall.NONE;
            }
        } catch (RuntimeException | Error thrown) {
            // A caller that is woken now must not take it for a full disk. Telling the store waits for a lock
            // that such a caller may have, so this thread does that afterwards.
            failure.note(thrown);
            throw thrown;
        } finally {
            requests.answer(wanted.lastTicket(), missing); // also when an error was thrown: the callers must hear of it
        }
    }

    private boolean madeRoomByCopying(RoomRequests.Taken wanted) {
        Rewriter copier = rewriter;
        return wanted.wantedBytes() > 0 && copier != null && fullDiskRelocation.makeRoom(wanted, copier);
    }

    /** Whether the store has failed, or its place is lost: then nothing is made, and nothing is used again. */
    private boolean hasStoreFailed() {
        Rewriter store = rewriter;
        return store != null && store.hasFailed();
    }

    private void tidy() {
        tidyingQueued.set(false);
        if (isStopped() || hasStoreFailed()) {
            return;
        }
        if (spareFiles.reuseDeadFiles()) {
            backgroundRelocation.relocateSlice(rewriter);
            spareFiles.make(0);
        }
    }
}
