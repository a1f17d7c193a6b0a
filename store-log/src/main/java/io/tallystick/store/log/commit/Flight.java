package io.tallystick.store.log.commit;

import io.tallystick.store.log.spi.RecordLog;
import io.tallystick.store.spi.StageCompleter;

/**
 * A turn at writing of {@link GroupCommit}, made before its permit is taken: what its thread holds, and has to give
 * back or to settle. Its batch is on its way, or landed behind another that is; null while nothing was taken.
 */
final class Flight {
    RecordLog.Batch batch;
    long takenAtEnd;
    // Its batch was on disk before the store failed, if it failed: what its appends are told.
    boolean landed;
    // What fails the store.
    Throwable trouble;

    // What is left to do. Appends of the batch that are not settled yet:
    PendingAppend firstUnsettled;
    int unsettledAppends;
    // Stages of those that are, not handed on yet.
    StageCompleter.Stage newestStage;
    StageCompleter.Stage oldestStage;
    // The barriers that waited for it.
    PendingAppend released;
    int records;
    boolean hasPermit = true;
    boolean isCounted;

    // Was left behind before this one.
    Flight below;

    /** Null if there is no memory: the writers fail the store then, if there is none for them either. */
    static Flight newOrNull() {
        try {
            return new Flight();
        } catch (OutOfMemoryError noMemory) {
            return null;
        }
    }
}
