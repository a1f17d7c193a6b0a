package io.tallystick.store.log.commit;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Decides how many writes may be in progress, and which thread should begin the next.
 *
 * <p>A write costs the processor as much as several commits do, so committers gain by sharing one: a write begins when
 * no other is in progress. There are two exceptions:
 *
 * <ul>
 *   <li>Where threads sleep while they wait ({@link CommitWaits#isBusy}), few committers do not come back together. So
 *       a write begins beside others while these carry no crowd between them.
 *   <li>In a log on another machine a write takes a round trip, and costs this processor little. So as many are in
 *       progress as the log takes.
 * </ul>
 *
 * <p>After a batch of {@value #CROWD} committers one thread writes and does nothing else: a caller that writes in its
 * place would keep the next batch from beginning until it is scheduled again.
 */
final class WritePermits {
    /** From this many committers on they write as one. Their deferred removals do not count. */
    static final int CROWD = 4;

    private final int most;
    private final boolean isRemote;
    private final BooleanSupplier threadsSleep;
    private final AtomicInteger writing = new AtomicInteger();
    // Permits whose threads have begun to take the queue.
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger committersWriting = new AtomicInteger();
    private volatile int lastCommitters;

    /** Permits for a log that takes {@code most} writes at a time. */
    WritePermits(int most, boolean isRemote, BooleanSupplier threadsSleep) {
        this.most = most;
        this.isRemote = isRemote;
        this.threadsSleep = threadsSleep;
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

    /**
     * Notes, with a permit that was taken, that the queue is about to be taken: what is queued later is not in this
     * write. {@link #end} ends it.
     */
    void begin() {
        begun.incrementAndGet();
    }

    /** Notes that the write that has begun is for this many committers. */
    void use(int committers) {
        committersWriting.addAndGet(committers);
        lastCommitters = committers;
    }

    /** Ends what {@link #begin} has begun: the write for so many committers, 0 if there was none. */
    void end(int committers) {
        committersWriting.addAndGet(-committers);
        begun.decrementAndGet();
    }

    /** Gives a permit back, after the end. */
    void giveBack() {
        writing.decrementAndGet();
    }

    /**
     * Whether the last batch was large, so that the next write should be left to one thread. Not while a thread has
     * begun to take the queue and has not ended its write: it may be that thread's, and take long.
     */
    boolean isCrowded() {
        return !isRemote && lastCommitters >= CROWD && begun.get() == 0;
    }

    private boolean isFreeBeside(int others) {
        if (others == 0) {
            return true;
        }
        return others < most && (isRemote || threadsSleep.getAsBoolean() && committersWriting.get() < CROWD);
    }
}
