package io.tallystick.store.journal.artemis;

import io.tallystick.store.StoreException;
import io.tallystick.store.journal.artemis.room.Framing;
import io.tallystick.store.journal.artemis.room.NextFileRequest;
import io.tallystick.store.journal.artemis.room.RoomRequests;
import io.tallystick.store.log.spi.RecordLog.Carried;
import io.tallystick.store.log.spi.RecordLog.Rewriter;
import io.tallystick.store.log.spi.Version;
import io.tallystick.store.spi.StoreEvents;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Makes room when the disk takes no other file. It copies the live records of whole files forward, the oldest file
 * first, until enough dead records are free.
 *
 * <p>Dead records may lie behind files in which all is live. A removal takes a block, and is dead when the file with
 * the removed image is dead. So the relocation copies file by file until it reaches dead records.
 *
 * <p>Copies lie side by side, so each is charged for its length alone ({@link Framing#chargeOfCopy}). The journal
 * counts a deletion when it has left the file with the deletion. So a file whose records were copied is free only when
 * the active file is full, or when {@link NextFileRequest} makes the journal leave it.
 *
 * <p>On the housekeeper's thread only.
 */
final class FullDiskRelocation {
    /** Copies are queued in portions of about this length. */
    static final int PORTION_BYTES = 512 * 1024;

    private final StoreEvents events;
    private final JournalRoom room;
    private final LiveRecords live;
    private final DataFiles dataFiles;
    private final JournalFiles files;
    private final SpareFiles spareFiles;
    private final RoomRequests requests;
    private final BooleanSupplier isClosed;

    private boolean underWay;

    /** The next step of the relocation. */
    enum Step {
        /** Copies the live records of the oldest file. */
        COPY,
        /** The same, but of the active file: the first batch of the copies begins the next file. */
        COPY_AFTER_LEAVING_ACTIVE,
        /** Nothing: no copy makes more room now. */
        STOP
    }

    FullDiskRelocation(
            StoreEvents events,
            ArtemisLog.Parts parts,
            SpareFiles spareFiles,
            RoomRequests requests,
            BooleanSupplier isClosed) {
        this.events = events;
        this.room = parts.room();
        this.live = parts.live();
        this.dataFiles = parts.dataFiles();
        this.files = parts.files();
        this.spareFiles = spareFiles;
        this.requests = requests;
        this.isClosed = isClosed;
    }

    /** Whether copies are queued for this relocation now: they may use a reserve that others leave untouched. */
    boolean isUnderWay() {
        return underWay;
    }

    /**
     * Copies files until as much room is free as all callers want, or as removals want if no more is attainable.
     *
     * @return whether there is as much as all callers want
     */
    boolean makeRoom(RoomRequests.Taken wanted, Rewriter rewriter) {
        if (underWay || !spareFiles.reuseDeadFiles()) {
            return false;
        }
        long aim = aim(wanted, room.attainable());
        underWay = true;
        try {
            copyFilesUntilFree(aim, rewriter);
        } catch (StoreException refused) {
            // no room, or the store has failed: the callers that wait get the answer
        } finally {
            underWay = false;
        }
        return room.free() >= wanted.wantedBytes();
    }

    /** The room to make: all that is wanted, or the attainable part of the removals' share. */
    static long aim(RoomRequests.Taken wanted, long attainable) {
        return wanted.wantedBytes() <= attainable
                ? wanted.wantedBytes()
                : Math.min(wanted.wantedByRemovals(), attainable);
    }

    private void copyFilesUntilFree(long aim, Rewriter rewriter) {
        boolean hasLeftActive = false;
        long mostFiles = 2 * room.fileCount(); // each file once, and once more the files with the copies
        for (long copied = 0; copied < mostFiles && room.free() < aim && !isClosed.getAsBoolean(); copied++) {
            if (!awaitQueued(rewriter) || !spareFiles.reuseDeadFiles() || room.free() >= aim) {
                return;
            }
            DataFile oldest = dataFiles.oldestWithLive();
            switch (nextStep(oldest, dataFiles.newest(), hasLeftActive, files.spares())) {
                case STOP -> {
                    return;
                }
                case COPY_AFTER_LEAVING_ACTIVE -> {
                    hasLeftActive = true;
                    room.nextFile().request();
                }
                case COPY -> {
                    // the journal leaves the active file when that is full
                }
            }
            copy(oldest, rewriter);
        }
    }

    /**
     * The next step.
     *
     * @param oldestWithLive the oldest file with live records; null if nothing is live. Then all records are free when
     *     the journal has left the active file
     * @param newest the active file
     * @param hasLeftActive whether this relocation has made the journal leave an active file already
     */
    static Step nextStep(DataFile oldestWithLive, DataFile newest, boolean hasLeftActive, int spares) {
        if (oldestWithLive == null) {
            return Step.STOP;
        }
        if (oldestWithLive != newest) {
            return Step.COPY;
        }
        return hasLeftActive || spares < 2 ? Step.STOP : Step.COPY_AFTER_LEAVING_ACTIVE;
    }

    /**
     * Waits until all queued records are on disk, because a queued record holds more room than it takes there. False if
     * there is no next file.
     */
    private boolean awaitQueued(Rewriter rewriter) {
        // While this thread waits no other thread can open a spare file, and the writer may need several.
        spareFiles.openAll();
        if (files.openSpares() == 0) {
            return false;
        }
        requests.wakeCallers(); // the writer may wait for a spare file
        rewriter.force();
        return true;
    }

    private void copy(DataFile file, Rewriter rewriter) {
        StoreEvents.Relocation relocation = events.beginRelocation();
        List<Version> versions = live.in(file);
        long bytes = 0;
        for (List<Carried> portion : portionsOf(versions)) {
            bytes += rewriter.rewrite(portion);
            if (!awaitQueued(rewriter)) {
                break;
            }
        }
        relocation.ended("file id " + file.fileId(), versions.size(), bytes);
    }

    /** The versions in portions of about {@link #PORTION_BYTES}. */
    static List<List<Carried>> portionsOf(List<Version> versions) {
        List<List<Carried>> portions = new ArrayList<>();
        List<Carried> portion = new ArrayList<>();
        long portionBytes = 0;
        for (Version version : versions) {
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
}
