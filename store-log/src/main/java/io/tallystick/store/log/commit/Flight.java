package io.tallystick.store.log.commit;

import io.tallystick.store.log.spi.RecordLog;
import io.tallystick.store.spi.StageCompleter;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One turn at writing of {@link GroupCommit}: all that its thread holds, and has to give back or to settle. It is made
 * before its permit is taken. Its batch is on its way, or has landed behind another that is on its way; null while
 * nothing was taken.
 */
final class Flight {
    RecordLog.@Nullable Batch batch;
    long takenAtEnd;
    // Whether its batch has a change of a caller that was deferred.
    boolean defers;
    // Its batch was on disk before the store failed, if it failed.
    boolean landed;
    // So was every batch with a deferred change before it: then its appends succeed.
    boolean covered;
    // It has landed before such a batch: the thread that lands that batch, or fails the store, settles this flight.
    boolean held;
    // How long its write took, and when it ended.
    long writeNanos;
    long landedAt;
    // The error that fails the store.
    @Nullable Throwable trouble;

    // Appends of the batch that are not settled yet.
    @Nullable PendingAppend firstUnsettled;

    int unsettledAppends;
    // Stages of appends that are settled; not handed on yet.
    StageCompleter.@Nullable Stage newestStage;
    StageCompleter.@Nullable Stage oldestStage;
    // The barriers that waited for it.
    @Nullable PendingAppend released;

    int committers;
    boolean hasPermit = true;
    boolean hasBegun;
    boolean isCounted;
    // It carries no appends, but a mark that says that all before were on disk.
    boolean isMark;

    // The next flight in the order of the log whose batch defers.
    @Nullable Flight nextDeferring;
    // The flights that were held until this one landed, and the link between them.
    @Nullable Flight firstReleased;

    @Nullable Flight nextHeld;

    // The flight that was left behind before this one.
    @Nullable Flight below;

    /** A flight; null if there is no memory. Then a writer thread writes, or fails the store for lack of memory. */
    static @Nullable Flight newOrNull() {
        try {
            return new Flight();
        } catch (OutOfMemoryError noMemory) {
            return null;
        }
    }

    /** The batch of a flight that has landed. */
    RecordLog.Batch landedBatch() {
        return Objects.requireNonNull(batch, "a flight without a batch has landed");
    }

    /** Whether one of these appends is a caller's change that need not be on disk when its call returns. */
    static boolean isAnyDeferred(PendingAppend first, int appends) {
        PendingAppend append = first;
        for (int i = 0; i < appends && append != null; i++) {
            if (append.isDeferred() && !append.isCarried()) {
                return true;
            }
            append = append.next();
        }
        return false;
    }

    /** How many of these appends are to be on disk soon. The others, such as copies, are not followed by more. */
    static int committersIn(PendingAppend first, int appends) {
        int committers = 0;
        PendingAppend append = first;
        for (int i = 0; i < appends && append != null; i++) {
            if (!append.isDeferred()) {
                committers++;
            }
            append = append.next();
        }
        return committers;
    }
}
