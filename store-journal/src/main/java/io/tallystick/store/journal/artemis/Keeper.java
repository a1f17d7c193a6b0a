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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
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
 * Every record reserves room before it is queued, as if it were alone in its batch. Writes leave a reserve untouched that
 * removals may use, and removals one that only this class may use.
 *
 * <h2>Dead files</h2>
 *
 * The journal itself knows when everything in a file was deleted, and gives it another life. One live record may hold up
 * all the files behind its own, because they hold the deletions of what lies before them. So when there are more files than
 * the live records explain, those of the oldest file are queued once more, like any write, a few at a time: each image
 * stands for itself. The journal's own compaction is never used.
 *
 * <h2>A full disk</h2>
 *
 * When no file can be made, room comes from what is dead, and that may lie behind files in which all is live: removals are
 * short, each may take a block, and they die with the file that holds what they remove. So then whole files are carried
 * along, the oldest first, live or not, until what is wanted is free, if all that is dead is as much. What is carried lies
 * side by side and is charged for its length alone, but each image takes {@value #CARRYING_BYTES} bytes more than the first
 * time, for the deletion of the one before; and carrying a file may waste {@link #wasteOfCarrying} bytes. Deletions count
 * when the journal has left the file that they lie in, so a file that was carried is freed only when the active one is full.
 *
 * <p>The reserves are such that all may be carried along and a removal still finds room. Removals leave three files, one for
 * what is carried, one for the part of it that is not free yet, and one that the next opening needs to begin; besides what
 * carrying all files takes. Writes leave as much again of the latter, one file more, because the last one that was carried is
 * not free yet when the others are, and a quarter of a file for removals. This holds where the longest record and its padding
 * are no more than a quarter of a file.
 */
final class Keeper {
    static final int SPARES = 4;

    /** How long somebody waits for a file to be made before it counts as failed. A slow disk is not a failed one. */
    static final long PATIENCE_SECONDS = 120;

    private static final long MOST_SPACE_MARGIN_BYTES = 1024 * 1024;
    private static final int SLICE_BYTES = 64 * 1024;

    /** What an image takes besides its record when it is carried: its frame, and the deletion of the one before. */
    private static final int CARRYING_BYTES = ArtemisFormat.ADD_FRAME_BYTES + ArtemisFormat.DELETE_BYTES;
    /** What is carried along is queued in portions of about this length, bytes. */
    private static final int PORTION_BYTES = 512 * 1024;
    /** How often a removal asks for room before it gives up: others may have been quicker to take it. */
    private static final int REMOVAL_ATTEMPTS = 50;

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
    private long wantedByRemovals;
    private String fullBecause = "";

    // On the house thread only.
    private boolean preparing;
    private Throwable preparationFailure;
    private long sparesCounted;
    private DataFile victim;
    private boolean carrying;
    private final ArrayDeque<Append> inTheWay = new ArrayDeque<>();

    private final AtomicBoolean tidyingQueued = new AtomicBoolean();
    private final AtomicLong longestRecord = new AtomicLong();
    private volatile long fileCount;
    private volatile boolean relocating;
    private volatile boolean rollWanted;
    // Somebody has got room for a record that is to begin the next file, and it is not on disk yet.
    private final AtomicBoolean rollPending = new AtomicBoolean();
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
        index.values().forEach(version -> noteLength(version.recordLength()));
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

    /** How many bytes a record reserves: what it takes that is alone in its batch and supersedes another one. */
    long charge(Append append) {
        long length = CARRYING_BYTES + (long) append.recordLength();
        return append.isCarried()
                ? length
                : ArtemisFormat.aligned(ArtemisFormat.batchHeaderBytes(0) + length, factory.getAlignment());
    }

    /**
     * Takes room for a record, waiting for the house thread to make some if need be; what is carried finds its room now or
     * never.
     *
     * @throws StoreFullException there is none
     */
    void reserve(Append append) {
        long charge = charge(append);
        if (append.isCarried()) {
            long floor = carrying ? factory.fileBytes() + wasteOfCarrying() : floor(true);
            if (!room.tryTake(charge, floor)) {
                throw full("there is too little room to carry records along");
            }
            return;
        }
        boolean removal = append.isTombstone();
        if (!room.tryTake(charge, floor(removal, append.recordLength()))) {
            reserveWaiting(charge, removal, append.recordLength());
        }
        noteLength(append.recordLength());
    }

    private void noteLength(int recordLength) {
        if (recordLength > longestRecord.get()) {
            longestRecord.accumulateAndGet(recordLength, Math::max);
        }
    }

    /** What must be left by a removal, or by a write, bytes. */
    private long floor(boolean removal) {
        return floor(removal, 0);
    }

    /** The same when a record of this length is there too: a longer one than any before raises the reserves. */
    private long floor(boolean removal, int recordLength) {
        long fileBytes = factory.fileBytes();
        long growth = CARRYING_BYTES * index.mappingCount();
        long waste = wasteOfCarrying(Math.max(recordLength, longestRecord.get()));
        long removalFloor = 3 * fileBytes + (fileCount + 2) * waste + growth;
        return removal ? removalFloor : removalFloor + fileCount * waste + growth + fileBytes * 5 / 4;
    }

    /** What carrying a file along may take beyond the lengths of its images and their deletions, bytes. */
    private long wasteOfCarrying() {
        return wasteOfCarrying(longestRecord.get());
    }

    private long wasteOfCarrying(long longest) {
        long batches = factory.fileBytes() / PORTION_BYTES + 2;
        long waste = longest
                + batches * (ArtemisFormat.batchHeaderBytes(0) + (long) factory.getAlignment())
                + fileCount * ArtemisFormat.BATCH_FILE_BYTES;
        return Math.min(waste, factory.fileBytes() / 4);
    }

    private void reserveWaiting(long charge, boolean removal, int recordLength) {
        for (int attempts = removal ? REMOVAL_ATTEMPTS : 1; ; attempts--) {
            String because = requestStock(charge, floor(removal, recordLength), removal);
            if (room.tryTake(charge, floor(removal, recordLength))) {
                return;
            }
            if (closed || failure.isSet()) {
                room.give(-charge); // the queue is sealed and says why
                return;
            }
            if (!because.isEmpty()) {
                if (takeWhereAllIsDead(charge, floor(removal, recordLength))) {
                    return;
                }
                if (attempts <= 1) {
                    throw full(because);
                }
            }
        }
    }

    /**
     * Where nothing is live there is nothing to carry along, and all will be free when the active file has been left: what
     * this room is for begins the next one, if there will be enough then. One at a time, or each would leave a file before
     * anything is freed.
     */
    private boolean takeWhereAllIsDead(long charge, long floor) {
        long all = fileCount * factory.usableBytes();
        if (all - charge < floor || dataFiles.oldestWithLive() != null || !rollPending.compareAndSet(false, true)) {
            return false;
        }
        if (room.tryTake(charge, factory.fileBytes() * 3 / 2)) {
            rollWanted = true;
            return true;
        }
        rollPending.set(false);
        return false;
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
            String because = requestStock(0, 0, true);
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
        rollPending.set(false);
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
            house.tryExecuteLater(this::tidy); // what is not tidied is found when the store is opened again
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

    /**
     * Has the house thread make files, or room in those there are, and returns when it has tried; why there is still too
     * little, or an empty text.
     *
     * @param charge what is to be reserved, or 0 if only an open spare file is wanted
     * @param floor what must be left then
     */
    private String requestStock(long charge, long floor, boolean removal) {
        long ticket;
        lock.lock();
        try {
            ticket = ++ticketsTaken;
            if (charge > 0) {
                wantedRoom = Math.max(wantedRoom, charge + floor);
                wantedByRemovals = removal ? Math.max(wantedByRemovals, charge + floor) : wantedByRemovals;
            }
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
                if (charge == 0 && files.getOpenedFilesCount() > 0) {
                    return ""; // the rest may take long, and wait for the one who asks here
                }
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
        long byRemovals;
        lock.lock();
        try {
            ticket = ticketsTaken;
            wanted = wantedRoom;
            byRemovals = wantedByRemovals;
            wantedRoom = 0;
            wantedByRemovals = 0;
        } finally {
            lock.unlock();
        }
        String because = stock(wanted);
        if (!because.isEmpty() && wanted > 0 && carryAlong(wanted, byRemovals)) {
            because = "";
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
            return "";
        } catch (Exception trouble) { // a file was not made, whatever the journal throws for it
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
        room.give((sparesEver - sparesCounted) * factory.usableBytes());
        sparesCounted = sparesEver;
        fileCount = Math.max(fileCount, dataFiles.count() + (long) spares()); // no file is ever deleted
    }

    private void tidy() {
        tidyingQueued.set(false);
        if (closed || failure.isSet()) {
            return;
        }
        if (reclaim()) {
            relocateSlice();
            stock(0);
        }
    }

    /** Gives dead files another life; false if the store has failed. */
    private boolean reclaim() {
        JournalFile[] left = journal.getDataFiles();
        JournalFile mustStay = heldBack;
        for (JournalFile file : left) {
            file.setReclaimable(file != mustStay);
        }
        try {
            journal.checkReclaimStatus();
        } catch (Exception failed) { // the journal's methods are declared to throw anything
            failure.fail(failed);
            return false;
        }
        countSpares();
        return true;
    }

    /**
     * Makes room where no file can be made: carries whole files along, the oldest first, until there is as much as is
     * wanted; by removals at least, if all that is dead would not be enough for the others.
     *
     * @return whether there is as much as all want
     */
    private boolean carryAlong(long wanted, long wantedByRemovals) {
        if (carrying || rewriter == null || !reclaim()) {
            return false;
        }
        long attainable = attainableRoom();
        long aim = wanted <= attainable ? wanted : Math.min(wantedByRemovals, attainable);
        boolean hasLeftActive = false;
        carrying = true;
        try {
            for (long most = 2 * fileCount; most > 0 && room.free() < aim && !closed; most--) {
                if (!land() || !reclaim() || room.free() >= aim) {
                    break;
                }
                DataFile oldest = dataFiles.oldestWithLive();
                if (oldest == null) {
                    break; // what is dead is free when the journal has left the active file
                }
                if (oldest == dataFiles.newest()) {
                    if (hasLeftActive || spares() < 2) {
                        break;
                    }
                    hasLeftActive = true;
                    rollWanted = true;
                }
                carry(oldest);
            }
        } catch (StoreException refused) {
            // no room, or no store any more: whoever waits is told
        } finally {
            carrying = false;
        }
        return room.free() >= wanted;
    }

    /** Room there would be if each file were carried along once: what is dead now would be free. */
    private long attainableRoom() {
        return fileCount * (factory.usableBytes() - wasteOfCarrying())
                - liveBytes
                - CARRYING_BYTES * index.mappingCount();
    }

    /** Returns when all that is queued is on disk: it holds more room than it will take. False if there is no next file. */
    private boolean land() {
        // While this thread waits nobody else can open a spare file, and who writes may need several.
        preparing = true;
        try {
            while (files.getFreeFilesCount() > 0) {
                files.pushOpenedFile();
            }
        } catch (Exception trouble) { // whatever the journal throws, the store does without this file for now
            countSpares();
        } finally {
            preparing = false;
        }
        if (files.getOpenedFilesCount() == 0) {
            return false;
        }
        lock.lock();
        try {
            changed.signalAll(); // somebody who writes may wait for one
        } finally {
            lock.unlock();
        }
        rewriter.force();
        return true;
    }

    private void carry(DataFile file) {
        StoreEvents.Relocation relocation = context.statistics().events().beginRelocation();
        List<Append> versions = liveIn(file);
        long bytes = 0;
        for (List<Carried> portion : portionsOf(versions)) {
            bytes += rewriter.rewrite(portion);
            if (!land()) {
                break;
            }
        }
        relocation.ended("file id " + file.fileId(), versions.size(), bytes);
    }

    private static List<List<Carried>> portionsOf(List<Append> versions) {
        List<List<Carried>> portions = new ArrayList<>();
        List<Carried> portion = new ArrayList<>();
        long portionBytes = 0;
        for (Append version : versions) {
            portion.add(new Carried(version, version.record()));
            portionBytes += version.recordLength();
            if (portionBytes >= PORTION_BYTES) {
                portions.add(portion);
                portion = new ArrayList<>();
                portionBytes = 0;
            }
        }
        portions.add(portion);
        return portions;
    }

    private List<Append> liveIn(DataFile file) {
        List<Append> live = new ArrayList<>();
        for (Append version : index.values()) {
            if (version.isDone() && version.home() == file && !version.isTombstone()) {
                live.add(version);
            }
        }
        return live;
    }

    /** Whether there are more files than the live records explain. */
    private boolean isCrowded() {
        long explained = 3 + 2 * (liveBytes / factory.fileBytes() + 1);
        return dataFiles.count() > Math.max(context.options().segments(), explained);
    }

    private void relocateSlice() {
        if (inTheWay.isEmpty() && isCrowded()) {
            victim = dataFiles.oldest();
            inTheWay.addAll(liveIn(victim));
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
