package io.tallystick.reaper;

/**
 * Hears of the reaper's actions. The reaper's worker threads call it. A listener that blocks holds up its worker and
 * delays no other one. Such a worker is found wedged as with a blocking {@link Reapable#cancel}. The reaper logs an
 * exception that a listener throws.
 */
public interface ReaperListener {
    /** A transaction was cancelled; called after the attempt. */
    default void expired(Expiry expiry) {}

    /** A cancellation does not come back. {@link #expired} follows if it ever does. */
    default void wedged(WedgedCancel wedged) {}

    /** A transaction that could not be cancelled, or not yet, was kept from committing. */
    default void commitPrevented(Reapable transaction) {}

    /** A listener that does nothing. */
    static ReaperListener silent() {
        return new ReaperListener() {};
    }

    /** A listener that logs each event as a warning to {@link System.Logger} {@code io.tallystick.reaper}. */
    static ReaperListener logging() {
        return new LoggingListener();
    }

    /** A listener that tells this one, then {@code next}; {@code next} is not told if this one throws. */
    default ReaperListener andThen(ReaperListener next) {
        ReaperListener first = this;
        return new ReaperListener() {
            @Override
            public void expired(Expiry expiry) {
                first.expired(expiry);
                next.expired(expiry);
            }

            @Override
            public void wedged(WedgedCancel wedged) {
                first.wedged(wedged);
                next.wedged(wedged);
            }

            @Override
            public void commitPrevented(Reapable transaction) {
                first.commitPrevented(transaction);
                next.commitPrevented(transaction);
            }
        };
    }
}
