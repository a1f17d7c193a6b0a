package io.tallystick.store.journal.artemis;

import io.tallystick.storage.NanoClock;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFullException;
import io.tallystick.store.journal.engine.Append;
import io.tallystick.store.journal.engine.LogContext;
import io.tallystick.store.journal.engine.RecordLog.Carried;
import io.tallystick.store.journal.engine.RecordLog.Rewriter;
import io.tallystick.store.spi.StoreEvents;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.activemq.artemis.core.journal.impl.JournalFile;
import org.apache.activemq.artemis.core.journal.impl.JournalFilesRepository;
import org.apache.activemq.artemis.core.journal.impl.JournalImpl;
import org.apache.activemq.artemis.utils.ExecutorFactory;
import org.apache.activemq.artemis.utils.actors.ArtemisExecutor;

/**
 * Keeps house for the Artemis journal: spare files ahead of need, dead files back into use, live records out of their way.
 *
 * <h2>Spare files</h2>
 *
 * {@value #SPARES} files are kept empty, one of them open. A file that cannot be made, on a full disk above all, is no
 * failure of the store: nothing that was written is in it. It stops writes as soon as they would use up the last spares.
 *
 * <h2>Room</h2>
 *
 * Every record reserves room before it is queued, as if it were alone in its batch. Writes leave two whole files untouched,
 * which removals may use but for one, which pays for what is wasted at the ends of files and lets the next opening begin.
 *
 * <h2>Dead files</h2>
 *
 * The journal itself knows when everything in a file was deleted, and gives it another life. One live record may hold up
 * all the files behind its own, because they hold the deletions of what lies before them. So when there are more files than
 * the live records explain, those of the oldest file are queued once more, like any write, a few at a time: each image
 * stands for itself. The journal's own compaction is never used.
 */
final class Keeper {
    static final int SPARES = 3;

    /** How long somebody waits for a file to be made before it counts as failed. A slow disk is not a failed one. */
    static final long PATIENCE_SECONDS = 120;

    private static final long MOST_SPACE_MARGIN_BYTES = 1024 * 1024;
    private static final int SLICE_BYTES = 64 * 1024;

    private final LogContext context;
    private final DiskFileFactory factory;
    private final DataFiles dataFiles;
    private final Room room;
    private final ConcurrentHashMap<StateKey, Append> index;
    private final FailureLatch failure;
    private final NanoClock clock;
    private final HouseThread house;

    private JournalImpl journal;
    private JournalFilesRepository files;
    private volatile Rewriter rewriter;
    private volatile boolean closed;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    // All guarded by the lock.
    private long ticketsTaken;
    private long ticketsDone;
    private long wantedRoom;
    private String fullBecause = "";

    // On the house thread only.
    private boolean preparing;
    private Throwable preparationFailure;
    private long sparesCounted;
    private DataFile victim;
    private final ArrayDeque<Append> inTheWay = new ArrayDeque<>();
    private boolean isShortOfRoom;

    private final AtomicBoolean tidyingQueued = new AtomicBoolean();
    private volatile boolean relocating;
    private volatile boolean rollWanted;
    private volatile long liveBytes;
    // How often the journal has gone to its next file. By the thread with the permit to write.
    private volatile long rolls;
    // The file that must not go, because the one after it holds no batch on disk yet. By the thread with the permit.
    private volatile JournalFile heldBack;

    Keeper(
            LogContext context,
            DiskFileFactory factory,
            DataFiles dataFiles,
            Room room,
            ConcurrentHashMap<StateKey, Append> index,
            FailureLatch failure) {
        this.context = context;
        this.factory = factory;
        this.dataFiles = dataFiles;
        this.room = room;
        this.index = index;
        this.failure = failure;
        this.clock = context.clock();
        this.house = new HouseThread(failure::fail);
        house.start();
    }

    /** The thread to open and stop the journal on. */
    HouseThread house() {
        return house;
    }

    /**
     * The executors that the journal asks for when it starts: for files, for reclaiming, for appends, in this order. The
     * last one runs appends at once on the thread that appends; {@link BatchWriter} finds out if it ever does not.
     */
    ExecutorFactory executors() {
        ArrayDeque<ArtemisExecutor> inOrder = new ArrayDeque<>();
        inOrder.add(task -> house.execute(() -> prepare(task)));
        inOrder.add(house::execute);
        inOrder.add(Runnable::run);
        return inOrder::remove;
    }

    /** The journal is loaded: counts the room there is. On the house thread only. */
    void adopt(JournalImpl loaded, long roomInActiveFile) {
        journal = loaded;
        files = loaded.getFilesRepository();
        room.give(roomInActiveFile);
        countSpares();
    }

    /** Starts keeping house. */
    void start(Rewriter newRewriter) {
        rewriter = newRewriter;
        failure.tell(newRewriter::failStop);
        requestTidying();
    }

    /** Told by the journal's error listener. */
    void heard(Throwable trouble, String message, String file) {
        if (preparing && Thread.currentThread() == house) {
            preparationFailure = trouble;
        } else {
            failure.fail(trouble);
        }
    }

    /** Bytes in live records, to judge how many files they may take. Under the layout lock only. */
    void liveBytesAre(long bytes) {
        liveBytes = bytes;
    }

    /** Takes room for a record, waiting for the house thread to make some if need be. */
    void reserve(long charge, boolean removal) {
        long fileBytes = factory.fileBytes();
        boolean isHouse = Thread.currentThread() == house;
        long floor = isHouse ? fileBytes / 2 : removal ? fileBytes : 2 * fileBytes;
        if (!room.tryTake(charge, floor)) {
            if (isHouse) {
                throw full("little room is left for moving records");
            }
            reserveWaiting(charge, floor);
        }
    }

    private void reserveWaiting(long charge, long floor) {
        while (true) {
            String because = requestStock(charge + floor);
            if (room.tryTake(charge, floor)) {
                return;
            }
            if (closed || failure.isSet()) {
                room.give(-charge); // the queue is sealed and says why
                return;
            }
            if (!because.isEmpty()) {
                if (isOldestDead() && room.tryTake(charge, Math.min(floor, factory.fileBytes() * 3 / 2))) {
                    rollWanted = true;
                    return;
                }
                throw full(because);
            }
        }
    }

    /** Whether a file would go if the one that holds the deletions of what is in it were not the active one. */
    private boolean isOldestDead() {
        DataFile oldest = dataFiles.oldest();
        return oldest != null && oldest.live() == 0 && dataFiles.count() > 1;
    }

    /** Whether the journal should go to its next file although there is room in the active one; asked once. */
    boolean takeRollWanted() {
        boolean wanted = rollWanted;
        if (wanted) {
            rollWanted = false;
        }
        return wanted;
    }

    private StoreFullException full(String because) {
        return new StoreFullException("the journal in directory=" + context.directory() + " is full (" + because
                + "); nothing was written. Make room on the disk, or let transactions finish: removals still work, and"
                + " writes work again when there is room");
    }

    /** Returns when there is an open spare file, so that the journal need not wait for one. */
    void awaitSpare() throws IOException {
        while (files.getOpenedFilesCount() == 0) {
            String because = requestStock(0);
            if (!because.isEmpty() && files.getOpenedFilesCount() == 0) {
                throw new IOException(
                        "the journal in directory=" + context.directory() + " has no next file: " + because);
            }
        }
    }

    /**
     * The journal is about to leave this file, which has the newest list of files until the first batch of the next one is
     * on disk. By the thread with the permit to write.
     */
    void holdBack(JournalFile file) {
        heldBack = file; // before the file can be seen among those that may go
        file.setReclaimable(false);
    }

    /** The journal has gone to its next file. By the thread with the permit to write. */
    void rolled() {
        rolls = rolls + 1;
    }

    /** The first batch of a file is on disk. */
    void firstBatchIsDurable() {
        heldBack = null;
        requestTidying();
    }

    /** A batch is on disk, so a few more records may be moved. */
    void batchIsDurable() {
        if (relocating) {
            requestTidying();
        }
    }

    /** Something may have become dead, or spare. */
    void requestTidying() {
        if (!closed && tidyingQueued.compareAndSet(false, true)) {
            house.tryExecute(this::tidy); // what is not tidied is found when the store is opened again
        }
    }

    /** Ends house-keeping; what is under way ends first. */
    void close() {
        closed = true;
        house.end();
        lock.lock();
        try {
            ticketsDone = Long.MAX_VALUE;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Has the house thread make files, and returns when it has tried; why there is still too little, or an empty text. */
    private String requestStock(long wanted) {
        long ticket;
        lock.lock();
        try {
            ticket = ++ticketsTaken;
            wantedRoom = Math.max(wantedRoom, wanted);
        } finally {
            lock.unlock();
        }
        // It may be closed at any moment from here on; closing then lets whoever waits go.
        if (closed || !house.tryExecute(this::stockForTickets)) {
            return "the journal is closed";
        }
        boolean interrupted = false;
        long patience = TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        long begun = clock.nanoTime();
        lock.lock();
        try {
            while (ticketsDone < ticket) {
                long left = patience - (clock.nanoTime() - begun);
                if (left <= 0) {
                    return "no file was made within " + PATIENCE_SECONDS + " s";
                }
                try {
                    changed.awaitNanos(left);
                } catch (InterruptedException later) {
                    interrupted = true;
                }
            }
            return fullBecause;
        } finally {
            lock.unlock();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    // What follows runs on the house thread.

    private void stockForTickets() {
        long ticket;
        long wanted;
        lock.lock();
        try {
            ticket = ticketsTaken;
            wanted = wantedRoom;
            wantedRoom = 0;
        } finally {
            lock.unlock();
        }
        String because = stock(wanted);
        if (isShortOfRoom) {
            requestTidying();
        }
        lock.lock();
        try {
            ticketsDone = ticket;
            fullBecause = because;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Makes spare files; returns why that did not work, or an empty text. */
    private String stock(long wantedBytes) {
        countSpares();
        preparing = true;
        try {
            while (files.getOpenedFilesCount() == 0 || spares() < SPARES || room.free() < wantedBytes) {
                if (files.getFreeFilesCount() == 0) {
                    checkSpace();
                }
                files.pushOpenedFile();
                countSpares();
            }
            isShortOfRoom = false;
            return "";
        } catch (Exception trouble) { // a file was not made, whatever the journal throws for it
            isShortOfRoom = true;
            return notMade(trouble);
        } finally {
            preparing = false;
        }
    }

    private void checkSpace() throws IOException {
        long needed = factory.fileBytes() + Math.min(factory.fileBytes(), MOST_SPACE_MARGIN_BYTES);
        long usable = factory.io().disk().usableSpace(context.directory());
        if (usable < needed) {
            throw new IOException("usable-space=" + usable + " needed=" + needed);
        }
    }

    private String notMade(Exception trouble) {
        try {
            factory.deleteUnfinished();
        } catch (IOException leftOver) {
            trouble.addSuppressed(leftOver);
        }
        return "a file could not be made: " + trouble.getMessage();
    }

    /** Runs a task by which the journal makes or opens a spare file. */
    private void prepare(Runnable task) {
        preparing = true;
        preparationFailure = null;
        try {
            task.run();
        } finally {
            preparing = false;
        }
        if (preparationFailure != null) {
            try {
                factory.deleteUnfinished();
            } catch (IOException leftOver) {
                preparationFailure.addSuppressed(leftOver);
            }
        }
        if (journal != null) {
            countSpares();
        }
    }

    private int spares() {
        return files.getOpenedFilesCount() + files.getFreeFilesCount();
    }

    /** Adds the room in files that became spare. */
    private void countSpares() {
        // Rolls first: a roll in between makes the sum too small for now, never too large.
        long sparesEver = rolls + spares();
        long capacity = factory.fileBytes() - factory.blockStart(0);
        room.give((sparesEver - sparesCounted) * capacity);
        sparesCounted = sparesEver;
    }

    private void tidy() {
        tidyingQueued.set(false);
        if (closed || failure.isSet()) {
            return;
        }
        JournalFile[] left = journal.getDataFiles();
        JournalFile mustStay = heldBack;
        for (JournalFile file : left) {
            file.setReclaimable(file != mustStay);
        }
        try {
            journal.checkReclaimStatus();
        } catch (Exception failed) { // the journal's methods are declared to throw anything
            failure.fail(failed);
            return;
        }
        countSpares();
        relocateSlice();
        stock(0);
    }

    /** Whether there are more files than the live records explain, or moving some would give room that is missing. */
    private boolean isCrowded() {
        long fileBytes = factory.fileBytes();
        long explained = 3 + 2 * (liveBytes / fileBytes + 1);
        boolean wouldGainAFile = (dataFiles.count() - 2) * fileBytes > liveBytes;
        return dataFiles.count() > Math.max(context.options().segments(), explained)
                || isShortOfRoom && wouldGainAFile && !isOldestDead();
    }

    private void relocateSlice() {
        if (inTheWay.isEmpty() && isCrowded()) {
            victim = dataFiles.oldest();
            for (Append version : index.values()) {
                if (version.isDone() && version.home() == victim && !version.isTombstone()) {
                    inTheWay.add(version);
                }
            }
        }
        long bytes = 0;
        int records = 0;
        StoreEvents.Relocation relocation = context.statistics().events().beginRelocation();
        try {
            while (!inTheWay.isEmpty() && bytes < SLICE_BYTES) {
                Append version = inTheWay.poll();
                bytes += rewriter.rewrite(List.of(new Carried(version, version.record())));
                records++;
            }
        } catch (StoreException refused) {
            inTheWay.clear(); // no room, or no store any more: the next need asks again
        }
        if (records > 0) {
            relocation.ended("file id " + victim.fileId(), records, bytes);
        }
        relocating = !inTheWay.isEmpty();
    }
}
