package io.tallystick.reaper;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The unsorted lists to which threads push their registrations. A thread always uses the same list, so that threads on
 * different cores seldom meet. Any thread may {@link #push}; only the watch may {@link #take}.
 *
 * <p>Pushing also drops the ended registrations it finds on top. So a thread that registers and cancels in turn keeps
 * one ended registration in its stripe, not one for each transaction since the last look. This is safe for two reasons.
 * The list below a head does not change while it is the head, and no registration becomes head twice. So if the head is
 * still the same when it is replaced, the list below it is the same too.
 */
final class Stripes {
    /** References from one head to the next: 128 bytes or more, so that no two share a cache line or its neighbour. */
    private static final int STRIDE = 32;

    private static final int STRIPES_PER_PROCESSOR = 32;
    private static final int MAX_COUNT = 1024;
    /** The most ended registrations that one push drops; the next push or the watch drops the others. */
    private static final int MAX_DROPS = 16;
    /** 2^64 divided by the golden ratio: spreads consecutive thread ids evenly over the stripes. */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private final AtomicReferenceArray<Registration> heads;
    private final int mask;

    /**
     * The number of stripes for this many processors: {@code min(1024, 32 x processors rounded up to a power of two)}.
     * Example: 6 processors have 256 stripes. So two threads that run at the same time seldom have the same stripe. A
     * stripe takes 128 bytes.
     */
    static int countFor(int processors) {
        return Math.min(MAX_COUNT, Integer.highestOneBit(STRIPES_PER_PROCESSOR * processors * 2 - 1));
    }

    /** @param count a power of two */
    Stripes(int count) {
        heads = new AtomicReferenceArray<>(count * STRIDE);
        mask = count - 1;
    }

    int count() {
        return mask + 1;
    }

    void push(Registration registration) {
        int index = headOfThisThread();
        for (; ; ) {
            Registration head = heads.get(index);
            registration.next = firstOpen(head);
            registration.rank = head == null ? 1 : head.rank + 1;
            if (heads.compareAndSet(index, head, registration)) {
                return;
            }
        }
    }

    /** Takes a stripe's whole list; null if it is empty. */
    @Nullable Registration take(int stripe) {
        int index = stripe * STRIDE;
        return heads.get(index) == null ? null : heads.getAndSet(index, null);
    }

    /** Whether all stripes are empty. */
    boolean isEmpty() {
        for (int stripe = 0; stripe <= mask; stripe++) {
            if (heads.get(stripe * STRIDE) != null) {
                return false;
            }
        }
        return true;
    }

    /** The number of registrations pushed since the stripes were last taken. */
    long arrivals() {
        long arrivals = 0;
        for (int stripe = 0; stripe <= mask; stripe++) {
            Registration head = heads.get(stripe * STRIDE);
            arrivals += head == null ? 0 : head.rank;
        }
        return arrivals;
    }

    private int headOfThisThread() {
        long spread = Thread.currentThread().getId() * SPREAD;
        return ((int) (spread >>> 32) & mask) * STRIDE;
    }

    private static @Nullable Registration firstOpen(@Nullable Registration head) {
        Registration registration = head;
        for (int drops = 0; registration != null && registration.hasEnded() && drops < MAX_DROPS; drops++) {
            registration = registration.next;
        }
        return registration;
    }
}
