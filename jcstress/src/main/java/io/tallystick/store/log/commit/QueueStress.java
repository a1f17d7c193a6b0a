package io.tallystick.store.log.commit;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IL_Result;
import org.openjdk.jcstress.infra.results.LLI_Result;
import org.openjdk.jcstress.infra.results.ZL_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** The queue of the group commit: every append is taken once, and none gets in behind the seal. */
public final class QueueStress {
    private QueueStress() {}

    /** Two callers push: both appends are in the queue, and counted. */
    @JCStressTest
    @Outcome(
            id = {"2, AB", "2, BA"},
            expect = ACCEPTABLE,
            desc = "both, in either order")
    @Outcome(expect = FORBIDDEN, desc = "an append is lost or not counted")
    @State
    public static class PushedTogether {
        private final AppendQueue queue = new AppendQueue();

        @Actor
        public void first() {
            queue.push(StressAppends.forced('A'));
        }

        @Actor
        public void second() {
            queue.push(StressAppends.forced('B'));
        }

        @Arbiter
        public void writer(IL_Result result) {
            result.r1 = queue.committers();
            result.r2 = StressAppends.names(queue.takeAll());
        }
    }

    /** A caller pushes while a writer takes the queue: what it took, what is left, and how many of these are urgent. */
    @JCStressTest
    @Outcome(
            id = {"A, B, 1", "AB, , 0"},
            expect = ACCEPTABLE,
            desc = "each append is taken once")
    @Outcome(expect = FORBIDDEN, desc = "an append is lost, taken twice or counted wrongly")
    @State
    public static class TakenOnce {
        private final AppendQueue queue = new AppendQueue();

        public TakenOnce() {
            queue.push(StressAppends.forced('A'));
        }

        @Actor
        public void caller() {
            queue.push(StressAppends.forced('B'));
        }

        @Actor
        public void writer(LLI_Result result) {
            result.r1 = StressAppends.names(queue.takeAll());
        }

        @Arbiter
        public void rest(LLI_Result result) {
            result.r3 = queue.committers();
            result.r2 = StressAppends.names(queue.takeAll());
        }
    }

    /** A caller pushes while the store fails: it was refused, or the failing thread has its append. */
    @JCStressTest
    @Outcome(id = "true, A", expect = ACCEPTABLE, desc = "pushed, and taken with the seal")
    @Outcome(id = "false, ", expect = ACCEPTABLE, desc = "refused")
    @Outcome(expect = FORBIDDEN, desc = "its caller would wait for ever, or is told something wrong")
    @State
    public static class Sealed {
        private final AppendQueue queue = new AppendQueue();

        @Actor
        public void caller(ZL_Result result) {
            result.r1 = queue.push(StressAppends.forced('A'));
        }

        @Actor
        public void failing(ZL_Result result) {
            result.r2 = StressAppends.names(queue.sealAndTake());
        }
    }

    /** A caller pushes while the store closes, which seals an empty queue only. */
    @JCStressTest
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "pushed; the closing thread writes once more")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "refused")
    @Outcome(expect = FORBIDDEN, desc = "the store is closed over an append")
    @State
    public static class SealedIfEmpty {
        private final AppendQueue queue = new AppendQueue();

        @Actor
        public void caller(ZZ_Result result) {
            result.r1 = queue.push(StressAppends.forced('A'));
        }

        @Actor
        public void closing(ZZ_Result result) {
            result.r2 = queue.sealIfEmpty();
        }
    }
}
