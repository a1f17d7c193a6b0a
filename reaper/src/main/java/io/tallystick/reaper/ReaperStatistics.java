package io.tallystick.reaper;

import java.time.Duration;

/**
 * Counts and delays of a reaper since it was opened. Registering threads share no counter; transactions are counted
 * when the reaper looks. {@code registered} is exact nevertheless; {@code registered = unseen + ended + open + waiting
 * + expired} holds while nothing happens, and nearly otherwise.
 *
 * @param registered transactions registered
 * @param unseen of these, the ones that were registered since the reaper last looked; most will have ended when it does
 * @param ended transactions that ended in time
 * @param expired transactions whose cancellation was begun
 * @param open transactions that the reaper last found open; some may have ended since
 * @param waiting transactions that are due and wait for a worker
 * @param workers threads that cancel now, the wedged among them
 * @param wedged threads that have not come back from a cancellation for {@link ReaperOptions#wedgedAfter}
 * @param wedgedEver how many times that was found
 * @param workersExhausted whether every worker there may be has been in one call for {@link ReaperOptions#wedgedAfter},
 *     while transactions wait
 * @param failed cancellations that were refused or threw
 * @param watching whether the thread that looks exists
 * @param looks how many times it has looked
 * @param worstLookDelay the most that a look came later than it was planned
 * @param worstLateness the most that a cancellation began later than the deadline
 */
public record ReaperStatistics(
        long registered,
        long unseen,
        long ended,
        long expired,
        long open,
        int waiting,
        int workers,
        int wedged,
        long wedgedEver,
        boolean workersExhausted,
        long failed,
        boolean watching,
        long looks,
        Duration worstLookDelay,
        Duration worstLateness) {}
