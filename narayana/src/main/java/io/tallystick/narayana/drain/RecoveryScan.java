package io.tallystick.narayana.drain;

import java.time.Duration;
import java.util.Optional;

/** A way to start a recovery scan, which reports whether the scan was complete. */
public interface RecoveryScan {
    /** The time from the first scan that sees a prepared branch without a log record until recovery rolls it back. */
    Duration orphanSafety();

    /** The least time of a proof, if no transaction is active and every resource answers at once. */
    Duration leastBudget();

    /**
     * Scans once, or waits for a scan that an earlier call did not wait for. Empty if the scan has not ended in time.
     *
     * @param atMost how long to wait for the scan
     */
    Optional<Result> run(Duration atMost);

    /**
     * The result of one scan.
     *
     * @param begunNanos beginning of the scan; monotonic time, nanoseconds
     * @param seenNanos the time at which every resource had been asked for its prepared branches, on the same clock;
     *     not used if the scan is incomplete
     * @param problem the reason why the scan is incomplete; empty if every module of recovery did all of its work
     */
    record Result(long begunNanos, long seenNanos, Optional<String> problem) {
        /** A scan that proves nothing, for this reason. */
        public static Result incomplete(long begunNanos, String problem) {
            return new Result(begunNanos, begunNanos, Optional.of(problem));
        }
    }
}
