package io.tallystick.reaper;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/** A transaction whose cancellation does not come back until it is released. */
final class StuckTransaction extends TestTransaction {
    private static final Map<Thread, StuckTransaction> HELD = new ConcurrentHashMap<>();

    private final CountDownLatch release = new CountDownLatch(1);
    private final boolean alsoInPreventCommit;
    private volatile boolean interrupted;

    StuckTransaction(String name) {
        this(name, false);
    }

    StuckTransaction(String name, boolean alsoInPreventCommit) {
        super(name);
        this.alsoInPreventCommit = alsoInPreventCommit;
    }

    /** Whether this thread is in one and will stay there. */
    static boolean holds(Thread thread) {
        StuckTransaction holder = HELD.get(thread);
        return holder != null && holder.release.getCount() > 0 && thread.getState() == Thread.State.WAITING;
    }

    boolean isStuck() {
        return HELD.containsValue(this);
    }

    @Override
    public CancelOutcome cancel(ExpiryReason reason) {
        waitForRelease();
        return super.cancel(reason);
    }

    @Override
    public boolean preventCommit() {
        if (alsoInPreventCommit) {
            waitForRelease();
        }
        return super.preventCommit();
    }

    void release() {
        release.countDown();
    }

    boolean wasInterrupted() {
        return interrupted;
    }

    private void waitForRelease() {
        HELD.put(Thread.currentThread(), this);
        try {
            release.await();
        } catch (InterruptedException forbidden) {
            interrupted = true;
        } finally {
            HELD.remove(Thread.currentThread());
        }
    }
}
