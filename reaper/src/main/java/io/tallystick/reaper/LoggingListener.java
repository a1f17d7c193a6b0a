package io.tallystick.reaper;

import java.lang.System.Logger.Level;

/**
 * Logs the actions of the reaper, one line for each transaction and the stack where there is one. A logger that blocks
 * delays a worker by half a second, once.
 */
final class LoggingListener implements ReaperListener {
    private final ReaperLog log = new ReaperLog();

    @Override
    public void expired(Expiry expiry) {
        if (expiry.outcome() == CancelOutcome.ENDED_BEFORE) {
            return;
        }
        String text = "TALLY0601 transaction=" + expiry.transaction() + " reason=" + expiry.reason() + " timeout="
                + DurationText.of(expiry.timeout()) + " outcome=" + expiry.outcome()
                + (expiry.ownerStack().isEmpty() ? "" : " its thread was at" + StackText.of(expiry.ownerStack()));
        log.tell(Level.WARNING, text, expiry.failure().orElse(null));
    }

    @Override
    public void wedged(WedgedCancel wedged) {
        log.tell(
                Level.WARNING,
                "TALLY0602 cancelling transaction=" + wedged.transaction() + " has not come back for "
                        + DurationText.of(wedged.busy()) + "; thread=" + wedged.threadName()
                        + " is left in it, at" + StackText.of(wedged.stack()),
                null);
    }

    @Override
    public void commitPrevented(Reapable transaction) {
        log.tell(
                Level.WARNING,
                "TALLY0603 transaction=" + transaction + " is not rolled back but can no longer commit",
                null);
    }
}
