package io.tallystick.benchmarks.experiments.reaper;

import com.arjuna.ats.arjuna.common.Uid;
import com.arjuna.ats.arjuna.coordinator.ActionStatus;
import io.tallystick.reaper.CancelOutcome;
import io.tallystick.reaper.ExpiryReason;
import io.tallystick.reaper.Reapable;

/** A transaction with nothing in it, for every timer alike. None is expected to expire. */
final class IdleTransaction implements Reapable, com.arjuna.ats.arjuna.coordinator.Reapable, Runnable {
    private final Uid id = new Uid();

    @Override
    public CancelOutcome cancel(ExpiryReason reason) {
        return CancelOutcome.CANCELLED;
    }

    @Override
    public int cancel() {
        return ActionStatus.ABORTED;
    }

    @Override
    public boolean preventCommit() {
        return true;
    }

    @Override
    public boolean running() {
        return true;
    }

    @Override
    public Uid get_uid() {
        return id;
    }

    @Override
    public void run() {
        cancel();
    }
}
