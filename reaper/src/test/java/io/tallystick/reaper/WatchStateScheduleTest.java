package io.tallystick.reaper;

import static io.tallystick.reaper.schedules.Scenario.require;

import io.tallystick.reaper.WatchState.Call;
import io.tallystick.reaper.WatchState.Phase;
import io.tallystick.reaper.schedules.Scenario;
import io.tallystick.reaper.schedules.Schedules;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The last registration on a quiet system must be seen, whatever the watch is just doing. */
class WatchStateScheduleTest {
    private static final String NOT_SLEPT_THROUGH = "whoever sleeps over an arrival is woken";

    @Test
    void noArrivalIsSleptThrough() {
        Schedules.explore(TwoArriveWhileItDozesOff.class);
    }

    @Test
    void noArrivalIsLeftWithoutAThreadAndThereAreNeverTwo() {
        Schedules.explore(TwoArriveWhileItEnds.class);
    }

    @Test
    void afterClosingEveryRegistrationIsEitherRefusedOrSeenByTheThreadThatFinishes() {
        Schedules.explore(OneArrivesWhileItEndsAndIsClosed.class);
    }

    @Test
    void theExplorerFindsTheSleepWhereTheWatchLooksBeforeItSaysThatItSleeps() {
        Schedules.expectToFind(NOT_SLEPT_THROUGH, LooksThenDozes.class);
    }

    static final class TwoArriveWhileItDozesOff extends Scene {
        @Override
        public List<Runnable> threads() {
            return List.of(this::register, this::register, () -> asleep = watchState.doze());
        }

        @Override
        public void check() {
            if (asleep) {
                require(calls(Call.UNPARK) == (stripes.isEmpty() ? 0 : 1), NOT_SLEPT_THROUGH);
            } else {
                require(watchState.phase() == Phase.WATCHING, "it watches on");
            }
        }
    }

    static final class TwoArriveWhileItEnds extends Scene {
        @Override
        public List<Runnable> threads() {
            return List.of(this::register, this::register, () -> asleep = watchState.end());
        }

        @Override
        public void check() {
            int threads = (asleep ? 0 : 1) + calls(Call.START);
            require(threads <= 1, "there is one watch at most");
            require(stripes.isEmpty() || threads == 1, NOT_SLEPT_THROUGH);
            require((watchState.phase() == Phase.WATCHING) == (threads == 1), "the phase tells of the thread");
        }
    }

    static final class OneArrivesWhileItEndsAndIsClosed extends Scene {
        private Call duty;

        @Override
        public List<Runnable> threads() {
            return List.of(this::register, () -> asleep = watchState.end(), () -> duty = watchState.close());
        }

        @Override
        public void check() {
            boolean hasThread = duty == Call.UNPARK;
            require(hasThread || duty == Call.START, "the closing is finished by a thread or by the closer");
            require(watchState.phase() == Phase.CLOSING, "it closes");
            int threads = (asleep ? 0 : 1) + calls(Call.START);
            require(threads == (hasThread ? 1 : 0), "the closer knows whether there is a thread");
            require(hasThread || calls(Call.REFUSED) == 1, "what nobody sees is refused");
        }
    }

    static final class LooksThenDozes extends Scene {
        private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.WATCHING);
        private boolean unparked;

        @Override
        public List<Runnable> threads() {
            return List.of(
                    () -> {
                        push();
                        unparked = phase.get() == Phase.DOZING && phase.compareAndSet(Phase.DOZING, Phase.WATCHING);
                    },
                    () -> {
                        if (stripes.isEmpty()) {
                            phase.set(Phase.DOZING);
                            asleep = true;
                        }
                    });
        }

        @Override
        public void check() {
            require(!asleep || stripes.isEmpty() || unparked, NOT_SLEPT_THROUGH);
        }
    }

    /** A watch that watches, and what those who register are told to do. */
    private abstract static class Scene implements Scenario {
        final Stripes stripes = new Stripes(1);
        final WatchState watchState = new WatchState(stripes);
        private final AtomicIntegerArray calls = new AtomicIntegerArray(Call.values().length);
        boolean asleep;

        Scene() {
            watchState.call(); // the first arrival starts the watch, which has seen it
        }

        final void push() {
            stripes.push(new Registration(new TestTransaction("t"), 1, null));
        }

        final void register() {
            push();
            if (!watchState.isWatching()) {
                calls.incrementAndGet(watchState.call().ordinal());
            }
        }

        final int calls(Call call) {
            return calls.get(call.ordinal());
        }
    }
}
