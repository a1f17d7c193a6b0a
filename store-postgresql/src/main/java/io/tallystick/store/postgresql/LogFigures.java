package io.tallystick.store.postgresql;

import io.tallystick.store.StoreStatistics;
import java.util.concurrent.atomic.LongAdder;

/** Counts what an owner and its server do, for monitoring. Any thread, except where a method says otherwise. */
final class LogFigures {
    private final LongAdder looks = new LongAdder();
    private final LongAdder unconfirmedRounds = new LongAdder();
    // Written under the layout lock of the group commit.
    private volatile long batches;
    private volatile long batchBytes;
    private volatile long trimLagBytes;

    /** The outcome of a batch is asked for. */
    void looked() {
        looks.increment();
    }

    /** A standby is asked once more whether it has a batch. */
    void unconfirmed() {
        unconfirmedRounds.increment();
    }

    /** Under the layout lock: what the log has now. */
    void measure(Ranges ranges, long liveBytes) {
        batches = ranges.batches();
        batchBytes = ranges.bytes();
        trimLagBytes = ranges.lagBytes(liveBytes);
    }

    /** All figures. Asks no server. */
    StoreStatistics.Remote snapshot(LeaseBeat beat, StandbyWait standby, ServerContact contact, long epoch) {
        return new StoreStatistics.Remote(
                contact.reconnects(),
                looks.sum(),
                unconfirmedRounds.sum(),
                standby.waiting(),
                standby.longest(),
                beat.sinceOwned(),
                epoch,
                batches,
                batchBytes,
                trimLagBytes);
    }
}
