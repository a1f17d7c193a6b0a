package io.tallystick.store.log.commit;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.tallystick.store.OutcomeUnknownException;
import java.io.IOException;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Mode;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.Signal;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/** A caller that waits for its append, and the thread that settles it. */
public final class SettlingStress {
    private SettlingStress() {}

    /** A caller parks until its append is settled. No wake-up is lost. */
    @JCStressTest(Mode.Termination)
    @Outcome(id = "TERMINATED", expect = ACCEPTABLE, desc = "woken")
    @Outcome(id = "STALE", expect = FORBIDDEN, desc = "it sleeps on")
    @State
    public static class Woken {
        private final PendingAppend append = StressAppends.forced('A');

        @Actor
        public void caller() {
            while (!append.isSettled()) {
                append.park(this, Long.MAX_VALUE);
            }
        }

        @Signal
        public void writer() {
            append.succeed();
        }
    }

    /** Who sees that an append has failed sees why as well. */
    @JCStressTest
    @Outcome(id = "pending", expect = ACCEPTABLE, desc = "not yet")
    @Outcome(id = "unknown: simulated", expect = ACCEPTABLE, desc = "failed, and why")
    @Outcome(expect = FORBIDDEN, desc = "the wrong outcome")
    @State
    public static class FailedWithItsCause {
        private static final IOException CAUSE = new IOException("simulated");

        private final PendingAppend append = StressAppends.forced('A');

        @Actor
        public void writer() {
            append.fail(CAUSE, true);
        }

        @Actor
        public void caller(L_Result result) {
            Throwable failure = append.failure();
            if (failure == null) {
                result.r1 = "pending";
            } else {
                String kind = failure instanceof OutcomeUnknownException ? "unknown: " : "refused: ";
                Throwable cause = failure.getCause();
                result.r1 = kind + (cause == null ? "no cause" : cause.getMessage());
            }
        }
    }
}
