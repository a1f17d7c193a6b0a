package io.tallystick.store.journal.segment;

/**
 * The numbers by which the housekeeper decides, taken at one moment. Its next step is a pure function of them:
 *
 * <pre>
 *   enough spares and room                        REST
 *   oldest full segment on disk, nothing live     RECYCLE
 *   no full segment that is on disk               GROW
 *   more than half of all bytes in use live       GROW
 *   more than three quarters of the oldest live   GROW
 *   moving cannot give the wanted room            GROW
 *   else                                          MOVE
 * </pre>
 *
 * @param closed the store is being closed
 * @param segments the counts of all segments
 * @param room the room of the pool
 * @param oldestOrNull the oldest segment; null if no segment is full
 */
record HousekeepingSnapshot(boolean closed, SegmentCounts segments, RoomCounts room, OldestSegment oldestOrNull) {
    /** Spare segments that the housekeeper keeps ahead of need. */
    static final int SPARES = 3;

    /** The steps of the housekeeper. */
    enum Step {
        /** Nothing is to be done. */
        REST,
        /** The oldest segment gets its next life. */
        RECYCLE,
        /** The live records of the oldest segment are queued again, then it gets its next life. */
        MOVE,
        /** Another file is made. */
        GROW
    }

    /**
     * The counts of all segments.
     *
     * @param all number of segments, in use and spare
     * @param spares number of spare segments
     * @param liveBytes of all segments in use
     * @param usableBytes of all segments in use
     */
    record SegmentCounts(int all, int spares, long liveBytes, long usableBytes) {
        private boolean isMostlyLive() {
            return liveBytes > usableBytes / 2;
        }
    }

    /**
     * The room of the pool, bytes.
     *
     * @param free no record has reserved it
     * @param wanted callers wait for it
     * @param forRemovals a removal must leave it
     * @param attainable the least room there is after all live records were moved once
     */
    record RoomCounts(long free, long wanted, long forRemovals, long attainable) {}

    /**
     * The oldest segment, which is full.
     *
     * @param isOnDisk whether all its batches are on disk; while one is not, its counts tell nothing
     * @param hasCurrentSize whether the file has the size that new files have
     */
    record OldestSegment(boolean isOnDisk, int liveRecords, long liveBytes, long usableBytes, boolean hasCurrentSize) {
        private boolean isHardlyDead() {
            return liveBytes > usableBytes / 4 * 3;
        }
    }

    /** Whether spares are missing or callers want room. */
    boolean isShort() {
        return !closed && (segments.spares < SPARES || room.free < room.wanted);
    }

    /** Whether the oldest segment is full and its last batches are still on their way. */
    boolean isOldestLanding() {
        return oldestOrNull != null && !oldestOrNull.isOnDisk;
    }

    /**
     * The next step.
     *
     * @param moves how many segments the housekeeper has moved out since it was asked
     */
    Step nextStep(int moves) {
        if (!isShort()) {
            return Step.REST;
        }
        if (oldestOrNull == null || !oldestOrNull.isOnDisk) {
            return Step.GROW;
        }
        if (oldestOrNull.liveRecords == 0) {
            return Step.RECYCLE;
        }
        if (segments.isMostlyLive() || oldestOrNull.isHardlyDead()) {
            return Step.GROW;
        }
        return oldestOrNull.hasCurrentSize && !mayMovingSuffice(moves) ? Step.GROW : Step.MOVE;
    }

    /** Whether the wanted room can come from dead records, and not every segment has been searched for it. */
    private boolean mayMovingSuffice(int moves) {
        return moves <= segments.all && room.attainable >= room.wanted;
    }

    /**
     * Whether carrying segments along makes the wanted room, where no file can be made. All may have to be carried
     * twice, because the active segment becomes full meanwhile.
     *
     * @param carried how many segments the housekeeper has carried along since it was asked
     */
    boolean wouldCarryingGain(int carried) {
        long needed = Math.max(room.wanted, room.forRemovals);
        return !closed && room.free < needed && carried <= 2 * segments.all && room.attainable >= needed;
    }
}
