package io.tallystick.store.log;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.tallystick.store.log.commit.PendingAppend;
import io.tallystick.store.log.commit.StressAppends;
import io.tallystick.store.log.spi.Version;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/** A reader of a key whose next version is settled at the same time. */
public final class VisibilityStress {
    private VisibilityStress() {}

    private static String name(Version version) {
        return version == null ? "nothing" : String.valueOf(StressAppends.name(version));
    }

    /** A forced version B over A: the reader never sees nothing, and never A after B. */
    @JCStressTest
    @Outcome(
            id = {"A, A", "A, B", "B, B"},
            expect = ACCEPTABLE,
            desc = "one order")
    @Outcome(expect = FORBIDDEN, desc = "the state is gone for a moment, or goes back")
    @State
    public static class Forced {
        private final PendingAppend latest = StressAppends.forced('B');

        public Forced() {
            latest.supersede(StressAppends.done('A'));
        }

        @Actor
        public void writer() {
            StressAppends.succeed(latest);
        }

        @Actor
        public void reader(LL_Result result) {
            result.r1 = name(Visibility.visible(latest));
            result.r2 = name(Visibility.visible(latest));
        }
    }

    /** A deferred version C holds a part of the forced B, which lies over A. One write lands B and C. */
    @JCStressTest
    @Outcome(
            id = {"A, A", "A, C", "C, C"},
            expect = ACCEPTABLE,
            desc = "one order")
    @Outcome(
            id = {"A, B", "B, C"},
            expect = ACCEPTABLE,
            desc = "one order: the caller of C waits until it is seen")
    @Outcome(expect = FORBIDDEN, desc = "the state is gone for a moment, or goes back")
    @State
    public static class DeferredOverForced {
        private final PendingAppend forced = StressAppends.forced('B');
        private final PendingAppend latest = StressAppends.deferred('C');

        public DeferredOverForced() {
            forced.supersede(StressAppends.done('A'));
            latest.supersede(forced);
        }

        @Actor
        public void writer() {
            StressAppends.succeed(forced);
            StressAppends.succeed(latest);
        }

        @Actor
        public void reader(LL_Result result) {
            result.r1 = name(Visibility.visible(latest));
            result.r2 = name(Visibility.visible(latest));
        }
    }
}
