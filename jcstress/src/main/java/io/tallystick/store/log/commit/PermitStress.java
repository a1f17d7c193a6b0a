package io.tallystick.store.log.commit;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZ_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** The permits to write. */
public final class PermitStress {
    private PermitStress() {}

    /** Where threads yield, one write at a time. */
    @JCStressTest
    @Outcome(
            id = {"true, false", "false, true"},
            expect = ACCEPTABLE,
            desc = "one of them writes")
    @Outcome(expect = FORBIDDEN, desc = "both write, or nobody does")
    @State
    public static class OneWriter {
        private final WritePermits permits = new WritePermits(2, false, () -> false);

        @Actor
        public void first(ZZ_Result result) {
            result.r1 = permits.tryTake();
        }

        @Actor
        public void second(ZZ_Result result) {
            result.r2 = permits.tryTake();
        }
    }

    /** Two threads take permits and give them back, one without a write. Then both are free, and no crowd is left. */
    @JCStressTest
    @Outcome(
            id = {"true, true, true", "true, false, true"},
            expect = ACCEPTABLE,
            desc = "all are back")
    @Outcome(expect = FORBIDDEN, desc = "a permit is lost")
    @State
    public static class GivenBack {
        private final WritePermits permits = new WritePermits(2, false, () -> true);

        @Actor
        public void writing(ZZZ_Result result) {
            result.r1 = permits.tryTake();
            if (result.r1) {
                permits.begin();
                permits.use(WritePermits.CROWD);
                permits.end(WritePermits.CROWD);
                permits.giveBack();
            }
        }

        @Actor
        public void findingNothing(ZZZ_Result result) {
            result.r2 = permits.tryTake();
            if (result.r2) {
                permits.begin();
                permits.end(0);
                permits.giveBack();
            }
        }

        @Arbiter
        public void all(ZZZ_Result result) {
            boolean both = permits.tryTake() && permits.tryTake(); // the second one only if no crowd is counted
            result.r3 = both && !permits.tryTake();
        }
    }

    /** A caller pushes and then looks for a permit; a writer returns its permit and then looks at the queue. */
    @JCStressTest
    @Outcome(
            id = {"true, true", "true, false", "false, true"},
            expect = ACCEPTABLE,
            desc = "one of them sees the other")
    @Outcome(id = "false, false", expect = FORBIDDEN, desc = "the append stays in the queue: a wake-up is lost")
    @State
    public static class NoWakeUpIsLost {
        private final AppendQueue queue = new AppendQueue();
        private final WritePermits permits = new WritePermits(1, false, () -> false);

        public NoWakeUpIsLost() {
            permits.tryTake();
            permits.begin();
            permits.use(1);
        }

        @Actor
        public void caller(ZZ_Result result) {
            queue.push(StressAppends.forced('A'));
            result.r1 = permits.isFree();
        }

        @Actor
        public void writer(ZZ_Result result) {
            permits.end(1);
            permits.giveBack();
            result.r2 = queue.hasUrgent();
        }
    }
}
