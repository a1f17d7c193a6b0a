package io.tallystick.store.journal.artemis;

import io.tallystick.store.StoreFullException;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.journal.artemis.room.Shortfall;
import io.tallystick.store.log.spi.Version;
import java.nio.file.Path;

/**
 * Admits records to the queue: each takes its charge from the {@link JournalRoom} first, and leaves the reserves.
 * Where that does not work, the caller waits for the {@link Housekeeper} to make room. For any thread.
 */
final class AdmissionControl {
    /** How often a removal asks for room before it gives up: other callers may have taken the room first. */
    private static final int REMOVAL_ATTEMPTS = 50;

    private final Path directory;
    private final JournalRoom room;
    private final DataFiles dataFiles;
    private final Housekeeper housekeeper;

    AdmissionControl(Path directory, JournalRoom room, DataFiles dataFiles, Housekeeper housekeeper) {
        this.directory = directory;
        this.room = room;
        this.dataFiles = dataFiles;
        this.housekeeper = housekeeper;
    }

    /**
     * Takes the charge of a record. A copy never waits for room; any other record waits for the housekeeper.
     *
     * @throws StoreFullException there is no room
     * @throws StoreIoException there is none, and the disk refuses another file although it has room for one
     */
    void admit(Version append) {
        if (append.isCarried()) {
            if (!room.tryTake(room.charge(append), room.floorOfCopy(housekeeper.isRelocatingOnFullDisk()))) {
                throw Shortfall.ofRoom("there is too little room to carry records along")
                        .refusal(directory);
            }
            return;
        }
        long charge = room.charge(append);
        if (!room.tryTake(charge, room.floor(append.isTombstone(), append.recordLength()))) {
            admitWaiting(charge, append.isTombstone(), append.recordLength());
        }
        room.noteLength(append.recordLength());
    }

    private void admitWaiting(long charge, boolean isRemoval, int recordLength) {
        int mostAttempts = isRemoval ? REMOVAL_ATTEMPTS : 1;
        for (int attempt = 1; ; attempt++) {
            Shortfall missing = housekeeper.requestRoom(charge + room.floor(isRemoval, recordLength), isRemoval);
            if (room.tryTake(charge, room.floor(isRemoval, recordLength))) {
                return;
            }
            if (housekeeper.isStopped()) {
                room.give(-charge); // the queue is sealed, and refuses the record with the reason
                return;
            }
            if (!missing.isNone()) {
                if (takeWhereAllIsDead(charge, room.floor(isRemoval, recordLength))) {
                    return;
                }
                if (attempt >= mostAttempts) {
                    throw missing.refusal(directory);
                }
            }
        }
    }

    /**
     * Takes room for a record that begins the next file, if nothing is live. There is nothing to copy then, and all
     * room is free when the journal has left the active file. One caller at a time does so, because each would
     * leave a file before anything is free.
     */
    private boolean takeWhereAllIsDead(long charge, long floor) {
        boolean isEnough = room.allFree() - charge >= floor;
        if (!isEnough || dataFiles.oldestWithLive() != null || !room.nextFile().tryClaim()) {
            return false;
        }
        if (room.tryTake(charge, room.floorOfRecordThatBeginsAFile())) {
            room.nextFile().request();
            return true;
        }
        room.nextFile().endClaim();
        return false;
    }
}
