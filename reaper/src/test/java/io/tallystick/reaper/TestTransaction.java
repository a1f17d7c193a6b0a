package io.tallystick.reaper;

import java.util.concurrent.atomic.AtomicInteger;

/** A transaction that counts what the reaper does to it. */
class TestTransaction implements Reapable {
    private final String name;
    private final AtomicInteger cancels = new AtomicInteger();
    private final AtomicInteger preventions = new AtomicInteger();
    private volatile ExpiryReason reason;

    TestTransaction(String name) {
        this.name = name;
    }

    @Override
    public CancelOutcome cancel(ExpiryReason reason) {
        this.reason = reason;
        cancels.incrementAndGet();
        return CancelOutcome.CANCELLED;
    }

    @Override
    public boolean preventCommit() {
        preventions.incrementAndGet();
        return true;
    }

    int cancels() {
        return cancels.get();
    }

    int preventions() {
        return preventions.get();
    }

    ExpiryReason reason() {
        return reason;
    }

    @Override
    public String toString() {
        return name;
    }
}
