package io.tallystick.store.log.commit;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Decides how many writes may be in progress, and which thread should begin the next.
 *
 * <p>Few committers gain by writing side by side: none of them waits for the write of another. Many committers gain by
 * sharing: each write costs the processor as much as several commits do. So a write begins beside others only while
 * these carry no {@linkplain CrowdPolicy crowd} of records between them. After a batch of that size one thread writes
 * and does nothing else.
 */
final class WritePermits {
    private final int most;
    private final CrowdPolicy policy;
    private final AtomicInteger writing = new AtomicInteger();
    private final AtomicInteger recordsWriting = new AtomicInteger();
    private volatile int lastRecords;

    /** Permits for a log that takes {@code most} writes at a time. */
    WritePermits(int most, CrowdPolicy policy) {
        this.most = most;
        this.policy = policy;
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

    /** Notes that a write with this many records is about to begin, with a permit that was taken. */
    void use(int records) {
        recordsWriting.addAndGet(records);
        lastRecords = records;
    }

    /** Gives a permit back after the write with these records; 0 if there was no write. */
    void giveBack(int records) {
        recordsWriting.addAndGet(-records);
        writing.decrementAndGet();
    }

    /** Whether the last batch was large, so that writing should be left to one thread. */
    boolean isCrowded() {
        return policy.isCrowd(lastRecords);
    }

    /** How often a thread that waits should yield before it sleeps, where yielding pays at all. */
    int yieldsOfWaiter() {
        return policy.yieldsOfWaiter(lastRecords);
    }

    /** How often the writer should yield before it takes the queue, where yielding pays at all. */
    int yieldsOfWriter() {
        return policy.yieldsOfWriter(lastRecords);
    }

    private boolean isFreeBeside(int others) {
        return others == 0 || (others < most && !policy.isCrowd(recordsWriting.get()));
    }
}
