package io.tallystick.store.journal.engine;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many writes may be in progress, and who should begin the next.
 *
 * <p>Few committers gain by writing side by side: none of them waits for the end of a write that it has no part in. Many
 * committers gain by sharing: each write costs the processor as much as several commits do. So a write begins beside others
 * only while these carry fewer than {@value #CROWD_RECORDS} records between them, and after a batch of that size the writing
 * is left to one thread that does nothing else. The boundaries were found by trial, see docs/benchmarks.md.
 */
final class WritePermits {
    /** As many records as make a crowd; a two-phase commit queues two. */
    static final int CROWD_RECORDS = 8;

    /** As many records in a batch as make a large crowd, in which it may pay that waiting threads yield before they sleep. */
    static final int LARGE_CROWD_RECORDS = 24;

    /** How often. */
    static final int YIELDS_OF_WAITERS = 4;

    private final int most;
    private final AtomicInteger writing = new AtomicInteger();
    private final AtomicInteger recordsWriting = new AtomicInteger();
    private volatile int lastRecords;

    /** Permits for a log that takes {@code most} writes at a time. */
    WritePermits(int most) {
        this.most = most;
    }

    /** Whether a write may begin now. */
    boolean isFree() {
        return isFreeBeside(writing.get());
    }

    /** Takes a permit if a write may begin now. */
    boolean tryTake() {
        int now = writing.get();
        while (isFreeBeside(now)) {
            if (writing.compareAndSet(now, now + 1)) {
                return true;
            }
            now = writing.get();
        }
        return false;
    }

    /** A write with this many records is about to be done with a permit that was taken. */
    void use(int records) {
        recordsWriting.addAndGet(records);
        lastRecords = records;
    }

    /** The write that {@link #use} told of is over, or there was none and {@code records} is 0. */
    void giveBack(int records) {
        recordsWriting.addAndGet(-records);
        writing.decrementAndGet();
    }

    /** Whether the last batch was large, so that writing should be left to one thread. */
    boolean isCrowded() {
        return lastRecords >= CROWD_RECORDS;
    }

    /** How often a thread that waits should yield before it sleeps, where yielding pays at all. */
    int yieldsOfWaiters() {
        return lastRecords >= LARGE_CROWD_RECORDS ? YIELDS_OF_WAITERS : 0;
    }

    private boolean isFreeBeside(int others) {
        return others == 0 || (others < most && recordsWriting.get() < CROWD_RECORDS);
    }
}
