package io.tallystick.store.log.commit;

import io.tallystick.store.log.spi.RecordLog;

/**
 * Decides by the number of committers how threads write and wait. The number of records in the last batch stands for
 * the number of committers; a two-phase commit queues two. The boundaries were found by trial on two processors, see
 * docs/benchmarks.md.
 *
 * <p>A wake-up costs the processor as much as a commit in memory, and takes tens of microseconds where the processor
 * sleeps. A thread that yields instead costs nothing while other threads have work to do. Otherwise it keeps a
 * processor busy.
 *
 * @param processors the number for which the committers compete
 * @param isEager whether idle processors may be kept busy
 * @param crowdRecords from this size of a batch on one thread alone writes, one batch at a time
 */
record CrowdPolicy(int processors, boolean isEager, int crowdRecords) {
    /** Two threads side by side write as fast as the disk can; more gain by sharing a write, if they do not sleep. */
    private static final int EAGER_CROWD_RECORDS = 4;

    /** With wake-ups, sharing a write pays only for more committers. */
    private static final int CROWD_RECORDS = 8;

    /** From this batch size on a few yields are seldom in vain. */
    private static final int YIELDING_RECORDS = 24;

    /** From this many records for each processor on, waiting threads leave it to threads that have work to do. */
    private static final int BUSY_RECORDS_A_PROCESSOR = 8;

    /** From this many records for each processor on, one turn of every thread takes longer than a write. */
    private static final int FULL_RECORDS_A_PROCESSOR = 32;

    private static final int FEW_YIELDS = 4;
    private static final int MANY_YIELDS = 300;

    /**
     * The policy for a log on this machine. In a log on another machine no batch makes a crowd: a write costs this
     * processor little, so as many fly side by side as the log takes, and nobody yields for the time of a round trip.
     */
    static CrowdPolicy of(RecordLog log, WaitStrategy strategy) {
        return log.isRemote()
                ? new CrowdPolicy(Integer.MAX_VALUE, false, Integer.MAX_VALUE)
                : of(strategy, Runtime.getRuntime().availableProcessors());
    }

    /** The policy for a strategy and a machine. */
    static CrowdPolicy of(WaitStrategy strategy, int processors) {
        boolean isEager = strategy == WaitStrategy.YIELDING;
        return new CrowdPolicy(processors, isEager, isEager ? EAGER_CROWD_RECORDS : CROWD_RECORDS);
    }

    boolean isCrowd(int records) {
        return records >= crowdRecords;
    }

    /** How often a thread that waits should yield before it sleeps, where yielding pays at all. */
    int yieldsOfWaiter(int records) {
        if (!isCrowd(records)) {
            return 0;
        }
        if (records >= FULL_RECORDS_A_PROCESSOR * processors) {
            return FEW_YIELDS;
        }
        if (isEager || records >= BUSY_RECORDS_A_PROCESSOR * processors) {
            return MANY_YIELDS;
        }
        return records >= YIELDING_RECORDS ? FEW_YIELDS : 0;
    }

    /** How often the writer should yield before it takes the queue, where yielding pays at all. */
    int yieldsOfWriter(int records) {
        if (!isCrowd(records)) {
            return 0;
        }
        return isEager && records < BUSY_RECORDS_A_PROCESSOR * processors ? 2 : 1;
    }
}
