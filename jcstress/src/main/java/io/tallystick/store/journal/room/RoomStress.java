package io.tallystick.store.journal.room;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZJ_Result;

/** Two threads that take room. */
public final class RoomStress {
    private RoomStress() {}

    /** A write that must leave more than there is, beside a removal that may take nearly all. */
    @JCStressTest
    @Outcome(id = "false, true, 40", expect = ACCEPTABLE, desc = "the write is refused, the removal has its room")
    @Outcome(expect = FORBIDDEN, desc = "the refused write keeps the removal from room that is there")
    @State
    public static class RefusedBesideARemoval {
        private final Room room = new Room();

        public RefusedBesideARemoval() {
            room.give(100);
        }

        @Actor
        public void write(ZZJ_Result result) {
            result.r1 = room.tryTake(60, 50);
        }

        @Actor
        public void removal(ZZJ_Result result) {
            result.r2 = room.tryTake(60, 0);
        }

        @Arbiter
        public void left(ZZJ_Result result) {
            result.r3 = room.free();
        }
    }

    /** There is room for one of two. */
    @JCStressTest
    @Outcome(
            id = {"true, false, 40", "false, true, 40"},
            expect = ACCEPTABLE,
            desc = "one of them has it")
    @Outcome(expect = FORBIDDEN, desc = "both, or neither")
    @State
    public static class RoomForOne {
        private final Room room = new Room();

        public RoomForOne() {
            room.give(100);
        }

        @Actor
        public void first(ZZJ_Result result) {
            result.r1 = room.tryTake(60, 0);
        }

        @Actor
        public void second(ZZJ_Result result) {
            result.r2 = room.tryTake(60, 0);
        }

        @Arbiter
        public void left(ZZJ_Result result) {
            result.r3 = room.free();
        }
    }
}
