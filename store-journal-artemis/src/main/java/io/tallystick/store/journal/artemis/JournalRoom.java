package io.tallystick.store.journal.artemis;

import io.tallystick.store.journal.artemis.room.Framing;
import io.tallystick.store.journal.artemis.room.NextFileRequest;
import io.tallystick.store.journal.room.Reserves;
import io.tallystick.store.journal.room.Room;
import io.tallystick.store.log.spi.Version;

/** The {@link Room} of this journal, and its {@link Reserves} for its present files and records. For any thread. */
final class JournalRoom {
    private final Room room = new Room();
    private final NextFileRequest nextFile = new NextFileRequest();
    private final Framing framing;
    private final Reserves reserves;
    private final long usableBytes;
    private final LiveRecords live;
    // By the housekeeper's thread.
    private volatile long fileCount;

    JournalRoom(DiskFileFactory factory, LiveRecords live) {
        this.live = live;
        this.usableBytes = factory.usableBytes();
        this.framing = new Framing(
                ArtemisFormat.batchHeaderBytes(0),
                ArtemisFormat.ADD_FRAME_BYTES,
                ArtemisFormat.DELETE_BYTES,
                ArtemisFormat.BATCH_FILE_BYTES,
                factory.getAlignment());
        this.reserves = framing.reserves(factory.fileBytes(), FullDiskRelocation.PORTION_BYTES);
    }

    /** Takes room, unless that would leave less than {@code floor}. */
    boolean tryTake(long bytes, long floor) {
        return room.tryTake(bytes, floor);
    }

    /** Adds room. A negative number takes room, even if too little is left. */
    void give(long bytes) {
        room.give(bytes);
    }

    long free() {
        return room.free();
    }

    /** The request that the journal leaves its active file. */
    NextFileRequest nextFile() {
        return nextFile;
    }

    /** The most files, spare or not, that the journal ever had. */
    long fileCount() {
        return fileCount;
    }

    /** Notes the number of files. The journal deletes none. On the housekeeper's thread only. */
    void filesAre(long count) {
        fileCount = Math.max(fileCount, count);
    }

    /** The bytes that a record takes from the room. */
    long charge(Version append) {
        return append.isCarried() ? framing.chargeOfCopy(append.recordLength()) : framing.charge(append.recordLength());
    }

    /**
     * The room that must be left beside a record of this length. A longer record than any before raises the reserves.
     */
    long floor(boolean isRemoval, int recordLength) {
        long longest = Math.max(recordLength, live.longest());
        return floor(isRemoval, fileCount, live.count(), longest);
    }

    private long floor(boolean isRemoval, long files, long records, long longest) {
        long waste = reserves.waste(files, longest);
        long growth = reserves.growth(records);
        return isRemoval ? reserves.forRemovals(files, waste, growth) : reserves.forWrites(files, waste, growth);
    }

    /** Notes the length of a record that has got its room. */
    void noteLength(int recordLength) {
        live.noteLength(recordLength);
    }

    /** The room that a copy must leave. */
    long floorOfCopy(boolean isOnFullDisk) {
        return isOnFullDisk
                ? reserves.whileCarrying(reserves.waste(fileCount, live.longest()))
                : floor(true, fileCount, live.count(), live.longest());
    }

    /** The room that a record must leave that begins the next file because nothing is live. */
    long floorOfRecordThatBeginsAFile() {
        return reserves.fileBytes() * 3 / 2;
    }

    /** The room when every file was copied once. */
    long attainable() {
        long files = fileCount;
        long growth = reserves.growth(live.count());
        long waste = reserves.waste(files, live.longest());
        return reserves.afterCarryingAll(files * usableBytes - live.bytes(), files, waste, growth);
    }

    /** The room when nothing is live and the journal has left the active file. */
    long allFree() {
        return fileCount * usableBytes;
    }
}
