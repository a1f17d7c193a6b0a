package io.tallystick.reaper;

import static io.tallystick.reaper.schedules.Scenario.require;

import io.tallystick.reaper.schedules.Scenario;
import io.tallystick.reaper.schedules.Schedules;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class StripesScheduleTest {
    private static final String NOT_LOST = "an open registration is found exactly once";

    @Test
    void noOpenRegistrationIsLostOrFoundTwice() {
        Schedules.explore(OurStripe.class);
    }

    @Test
    void theExplorerFindsTheLossWhereTakingReadsAndThenClears() {
        Schedules.expectToFind(NOT_LOST, ReadThenCleared.class);
    }

    static final class OurStripe extends PushesAndTakes {
        private final Stripes stripes = new Stripes(1);

        @Override
        void push(Registration registration) {
            stripes.push(registration);
        }

        @Override
        Registration take() {
            return stripes.take(0);
        }
    }

    static final class ReadThenCleared extends PushesAndTakes {
        private final AtomicReference<Registration> head = new AtomicReference<>();

        @Override
        void push(Registration registration) {
            do {
                registration.next = head.get();
            } while (!head.compareAndSet(registration.next, registration));
        }

        @Override
        Registration take() {
            Registration taken = head.get();
            head.set(null);
            return taken;
        }
    }

    /** Two threads register, one of them cancels what lies on top in between, and the watch takes twice. */
    private abstract static class PushesAndTakes implements Scenario {
        private final Registration a = open();
        private final Registration b = open();
        private final Registration c = open();
        private final Registration brief = open();
        private Registration first;

        abstract void push(Registration registration);

        abstract Registration take();

        @Override
        public List<Runnable> threads() {
            return List.of(
                    () -> {
                        push(a);
                        push(b);
                    },
                    () -> {
                        push(brief);
                        brief.cancel();
                        push(c);
                    },
                    () -> first = take());
        }

        @Override
        public void check() {
            Registration second = take();
            for (Registration registration : List.of(a, b, c)) {
                require(count(registration, first) + count(registration, second) == 1, NOT_LOST);
            }
        }

        private static Registration open() {
            return new Registration(new TestTransaction("t"), 1, null);
        }

        private static int count(Registration wanted, Registration list) {
            int count = 0;
            for (Registration registration = list; registration != null; registration = registration.next) {
                count += registration == wanted ? 1 : 0;
            }
            return count;
        }
    }
}
