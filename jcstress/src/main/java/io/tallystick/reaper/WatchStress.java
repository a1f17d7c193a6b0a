package io.tallystick.reaper;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.TimeUnit;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.LZ_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Threads that register and end transactions, and the watch that looks for those that take too long. */
public final class WatchStress {
    private WatchStress() {}

    private static final class Unused implements Reapable {
        @Override
        public CancelOutcome cancel(ExpiryReason reason) {
            throw new AssertionError("nothing expires here");
        }

        @Override
        public boolean preventCommit() {
            throw new AssertionError("nothing expires here");
        }
    }

    private static Registration registration() {
        return new Registration(new Unused(), TimeUnit.SECONDS.toNanos(1), null);
    }

    private static int count(Registration first) {
        int count = 0;
        for (Registration registration = first; registration != null; registration = registration.next) {
            count++;
        }
        return count;
    }

    /** Two threads push to one stripe: both registrations are there, and counted. */
    @JCStressTest
    @Outcome(id = "2, 2", expect = ACCEPTABLE, desc = "both")
    @Outcome(expect = FORBIDDEN, desc = "a registration is lost: its transaction never times out")
    @State
    public static class PushedTogether {
        private final Stripes stripes = new Stripes(1);

        @Actor
        public void first() {
            stripes.push(registration());
        }

        @Actor
        public void second() {
            stripes.push(registration());
        }

        @Arbiter
        public void watch(II_Result result) {
            result.r1 = (int) stripes.arrivals();
            result.r2 = count(stripes.take(0));
        }
    }

    /** A thread pushes to a stripe while the watch takes it: what it took, what is left, and how many arrived. */
    @JCStressTest
    @Outcome(
            id = {"1, 1, 1", "2, 0, 0"},
            expect = ACCEPTABLE,
            desc = "each registration is taken once")
    @Outcome(expect = FORBIDDEN, desc = "a registration is lost, or taken twice")
    @State
    public static class TakenOnce {
        private final Stripes stripes = new Stripes(1);

        public TakenOnce() {
            stripes.push(registration());
        }

        @Actor
        public void registrant() {
            stripes.push(registration());
        }

        @Actor
        public void watch(III_Result result) {
            result.r1 = count(stripes.take(0));
        }

        @Arbiter
        public void rest(III_Result result) {
            result.r3 = (int) stripes.arrivals();
            result.r2 = count(stripes.take(0));
        }
    }

    /** A thread registers over an ended registration, which it drops, while the watch takes the stripe. */
    @JCStressTest
    @Outcome(id = "1, 0, 0", expect = ACCEPTABLE, desc = "the open one is taken, the ended one was dropped")
    @Outcome(id = "1, 1, 1", expect = ACCEPTABLE, desc = "the ended one is taken, the open one is left")
    @Outcome(expect = FORBIDDEN, desc = "the open registration is lost or taken twice")
    @State
    public static class DroppedWhenEnded {
        private final Stripes stripes = new Stripes(1);

        public DroppedWhenEnded() {
            Registration ended = registration();
            stripes.push(ended);
            ended.cancel();
        }

        @Actor
        public void registrant() {
            stripes.push(registration());
        }

        @Actor
        public void watch(III_Result result) {
            result.r1 = count(stripes.take(0));
        }

        @Arbiter
        public void rest(III_Result result) {
            result.r3 = (int) stripes.arrivals();
            result.r2 = count(stripes.take(0));
        }
    }

    /** A thread registers while the watch lies down to sleep. */
    @JCStressTest
    @Outcome(
            id = {"NONE, false", "UNPARK, true", "UNPARK, false"},
            expect = ACCEPTABLE,
            desc = "one of them sees the other")
    @Outcome(expect = FORBIDDEN, desc = "the watch sleeps and nobody wakes it")
    @State
    public static class Dozing {
        private final Stripes stripes = new Stripes(1);
        private final WatchState state = new WatchState(stripes);

        public Dozing() {
            state.call(); // starts the watch
        }

        @Actor
        public void registrant(LZ_Result result) {
            stripes.push(registration());
            result.r1 = state.call();
        }

        @Actor
        public void watch(LZ_Result result) {
            result.r2 = state.doze();
        }
    }

    /** A thread registers while the watch ends. */
    @JCStressTest
    @Outcome(
            id = {"NONE, false", "START, true"},
            expect = ACCEPTABLE,
            desc = "one of them sees the other")
    @Outcome(expect = FORBIDDEN, desc = "no watch, or two")
    @State
    public static class Ending {
        private final Stripes stripes = new Stripes(1);
        private final WatchState state = new WatchState(stripes);

        public Ending() {
            state.call();
        }

        @Actor
        public void registrant(LZ_Result result) {
            stripes.push(registration());
            result.r1 = state.call();
        }

        @Actor
        public void watch(LZ_Result result) {
            result.r2 = state.end();
        }
    }

    /** A transaction ends while it times out. */
    @JCStressTest
    @Outcome(
            id = {"true, false", "false, true"},
            expect = ACCEPTABLE,
            desc = "one of them has it")
    @Outcome(expect = FORBIDDEN, desc = "both, or neither")
    @State
    public static class CancelledOrExpired {
        private final Registration registration = registration();

        @Actor
        public void end(ZZ_Result result) {
            result.r1 = registration.cancel();
        }

        @Actor
        public void watch(ZZ_Result result) {
            result.r2 = registration.expire() != null;
        }
    }
}
