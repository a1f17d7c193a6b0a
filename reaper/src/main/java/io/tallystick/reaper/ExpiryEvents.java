package io.tallystick.reaper;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/**
 * Records expiries in Java Flight Recorder. It does nothing if the runtime has no module {@code jdk.jfr}, or if the
 * class loader of this library does not see it. An application server's module that does not name {@code jdk.jfr} is an
 * example.
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
    static @Nullable Object begun() {
        return IS_THERE ? Recorded.begun() : null;
    }

    /** The cancellation has returned. */
    static void ended(Object begun, Expiry expiry) {
        if (IS_THERE) {
            Recorded.ended(begun, expiry);
        }
    }

    /** A class of its own, so that classes of the recorder are loaded only if it is available. */
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
    @Description("A transaction was cancelled because its time was over; the event lasts as long as the cancellation")
    @StackTrace(false)
    static final class ExpiryEvent extends Event {
        @Label("Transaction")
        @Description("The transaction that was cancelled")
        @Nullable String transaction;

        @Label("Reason")
        @Description("TIMEOUT, or CLOSE if the reaper was closed before the deadline")
        @Nullable String reason;

        @Label("Outcome")
        @Description("The result of the cancellation")
        @Nullable String outcome;

        @Label("Timeout")
        @Description("The time limit of the transaction")
        @Timespan
        long timeout;

        @Label("Lateness")
        @Description("Time from the deadline to the cancellation; negative before the deadline")
        @Timespan
        long lateness;
    }
}
