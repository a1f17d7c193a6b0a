package io.tallystick.narayana;

import java.time.Duration;
import java.util.Optional;

/** A way to make recovery look now, which tells whether it did. */
interface RecoveryScan {
    /** How long a prepared branch without a log record must have been seen before recovery rolls it back. */
    Duration orphanSafety();

    /** The least time that proves anything, if no transaction is active and every resource answers at once. */
    Duration leastBudget();

    /**
     * Looks once, or goes on waiting for a look that an earlier call has given up; empty if it has not ended in time.
     *
     * @param atMost how long to wait for it
     */
    Optional<Look> run(Duration atMost);

    /**
     * One look.
     *
     * @param begunNanos when it began; monotonic time, nanoseconds
     * @param seenNanos when every resource had been asked for its prepared branches, the same; not used if it is
     *     incomplete
     * @param problem the reason why it is incomplete; empty if every part of recovery did all of its work
     */
    record Look(long begunNanos, long seenNanos, Optional<String> problem) {
        static Look incomplete(long begunNanos, String problem) {
            return new Look(begunNanos, begunNanos, Optional.of(problem));
        }
    }
}
