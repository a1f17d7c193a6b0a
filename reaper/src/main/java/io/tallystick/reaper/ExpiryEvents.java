package io.tallystick.reaper;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/**
 * Tells Java Flight Recorder of expiries; does nothing where this runtime does not have the module {@code jdk.jfr} or
 * the class loader of this library does not see it, as in an application server's module that does not name it.
 */
final class ExpiryEvents {
    private static final boolean IS_THERE = isThere();

    private ExpiryEvents() {}

    private static boolean isThere() {
        try {
            Recorded.begun(); // an event that is never committed
            return true;
        } catch (LinkageError noRecorder) {
            return false;
        }
    }

    /** The cancellation of a transaction begins; the caller gives the returned event to {@link #ended}. */
    static Object begun() {
        return IS_THERE ? Recorded.begun() : null;
    }

    /** It has come back. */
    static void ended(Object begun, Expiry expiry) {
        if (IS_THERE) {
            Recorded.ended(begun, expiry);
        }
    }

    /** Apart, so that nothing of the recorder's is loaded where it is not there. */
    private static final class Recorded {
        private Recorded() {}

        static Object begun() {
            ExpiryEvent event = new ExpiryEvent();
            event.begin();
            return event;
        }

        static void ended(Object begun, Expiry expiry) {
            ExpiryEvent event = (ExpiryEvent) begun;
            event.end();
            if (event.shouldCommit()) {
                event.transaction = String.valueOf(expiry.transaction());
                event.reason = expiry.reason().name();
                event.outcome = expiry.outcome().name();
                event.timeout = expiry.timeout().toNanos();
                event.lateness = expiry.lateness().toNanos();
                event.commit();
            }
        }
    }

    @Name("io.tallystick.Expiry")
    @Label("Expiry")
    @Category({"Tallystick", "Reaper"})
    @Description("A transaction was cancelled because its time was up; lasts as long as the cancellation")
    @StackTrace(false)
    static final class ExpiryEvent extends Event {
        @Label("Transaction")
        @Description("What was cancelled")
        String transaction;

        @Label("Reason")
        @Description("TIMEOUT, or CLOSE if the reaper was closed before the deadline")
        String reason;

        @Label("Outcome")
        @Description("What the cancellation came to")
        String outcome;

        @Label("Timeout")
        @Description("The time that it had been given")
        @Timespan
        long timeout;

        @Label("Lateness")
        @Description("From its deadline to the cancellation; negative before the deadline")
        @Timespan
        long lateness;
    }
}
