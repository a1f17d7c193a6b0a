package io.tallystick.reaper;

import static io.tallystick.reaper.Schedules.inParallel;
import static io.tallystick.reaper.Schedules.require;

import io.tallystick.reaper.Wakefulness.Call;
import io.tallystick.reaper.Wakefulness.Phase;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The last registration on a quiet system must be seen, whatever the watch is just doing. */
class WakefulnessScheduleTest {
    private static final String NOT_SLEPT_THROUGH = "whoever sleeps over an arrival is woken";

    @Test
    void noArrivalIsSleptThrough() {
        Schedules.explore(() -> {
            Scene scene = new Scene();
            inParallel(scene::register, scene::register, () -> scene.asleep = scene.wakefulness.doze());
            if (scene.asleep) {
                require(scene.calls(Call.UNPARK) == (scene.stripes.isEmpty() ? 0 : 1), NOT_SLEPT_THROUGH);
            } else {
                require(scene.wakefulness.phase() == Phase.WATCHING, "it watches on");
            }
        });
    }

    @Test
    void noArrivalIsLeftWithoutAThreadAndThereAreNeverTwo() {
        Schedules.explore(() -> {
            Scene scene = new Scene();
            inParallel(scene::register, scene::register, () -> scene.asleep = scene.wakefulness.end());
            int threads = (scene.asleep ? 0 : 1) + scene.calls(Call.START);
            require(threads <= 1, "there is one watch at most");
            require(scene.stripes.isEmpty() || threads == 1, NOT_SLEPT_THROUGH);
            require((scene.wakefulness.phase() == Phase.WATCHING) == (threads == 1), "the phase tells of the thread");
        });
    }

    @Test
    void afterClosingEveryRegistrationIsEitherRefusedOrSeenByTheThreadThatFinishes() {
        Schedules.explore(() -> {
            Scene scene = new Scene();
            AtomicReference<Boolean> hasThread = new AtomicReference<>();
            inParallel(
                    scene::register,
                    () -> scene.asleep = scene.wakefulness.end(),
                    () -> hasThread.set(scene.wakefulness.close()));
            Phase phase = scene.wakefulness.phase();
            require(phase == (hasThread.get() ? Phase.CLOSING : Phase.CLOSED), "it closes");
            int threads = (scene.asleep ? 0 : 1) + scene.calls(Call.START);
            require(threads == (hasThread.get() ? 1 : 0), "the closer knows whether there is a thread");
            require(hasThread.get() || scene.calls(Call.REFUSED) == 1, "what nobody sees is refused");
        });
    }

    @Test
    void theExplorerFindsTheSleepWhereTheWatchLooksBeforeItSaysThatItSleeps() {
        Schedules.expectToFind(NOT_SLEPT_THROUGH, () -> {
            Scene scene = new Scene();
            AtomicReference<Phase> phase = new AtomicReference<>(Phase.WATCHING);
            AtomicInteger unparks = new AtomicInteger();
            inParallel(
                    () -> {
                        scene.push();
                        if (phase.get() == Phase.DOZING && phase.compareAndSet(Phase.DOZING, Phase.WATCHING)) {
                            unparks.incrementAndGet();
                        }
                    },
                    () -> {
                        if (scene.stripes.isEmpty()) {
                            phase.set(Phase.DOZING);
                            scene.asleep = true;
                        }
                    });
            require(!scene.asleep || scene.stripes.isEmpty() || unparks.get() == 1, NOT_SLEPT_THROUGH);
        });
    }

    /** A watch that watches, and what those who register are told to do. */
    private static final class Scene {
        final Stripes stripes = new Stripes(1);
        final Wakefulness wakefulness = new Wakefulness(stripes);
        final int[] calls = new int[Call.values().length];
        boolean asleep;

        Scene() {
            wakefulness.call(); // the first arrival starts the watch, which has seen it
        }

        void push() {
            stripes.push(new Registration(new TestTransaction("t"), 1, null));
        }

        void register() {
            push();
            if (!wakefulness.isWatching()) {
                Call call = wakefulness.call();
                synchronized (calls) {
                    calls[call.ordinal()]++;
                }
            }
        }

        int calls(Call call) {
            return calls[call.ordinal()];
        }
    }
}
