package io.tallystick.reaper;

import static io.tallystick.reaper.Schedules.inParallel;
import static io.tallystick.reaper.Schedules.require;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class StripesScheduleTest {
    private static final String NOT_LOST = "an open registration is found exactly once";

    @Test
    void noOpenRegistrationIsLostOrFoundTwice() {
        Schedules.explore(() -> {
            Stripes stripes = new Stripes(1);
            check(stripes::push, () -> stripes.take(0));
        });
    }

    @Test
    void theExplorerFindsTheLossWhereTakingReadsAndThenClears() {
        Schedules.expectToFind(NOT_LOST, () -> {
            AtomicReference<Registration> head = new AtomicReference<>();
            check(
                    registration -> {
                        registration.next = head.get();
                        while (!head.compareAndSet(registration.next, registration)) {
                            registration.next = head.get();
                        }
                    },
                    () -> {
                        Registration taken = head.get();
                        head.set(null);
                        return taken;
                    });
        });
    }

    /** Two threads register, one of them cancels what lies on top in between, and the watch takes twice. */
    private static void check(Consumer<Registration> push, Supplier<Registration> take) {
        Registration a = open();
        Registration b = open();
        Registration c = open();
        Registration brief = open();
        AtomicReference<Registration> first = new AtomicReference<>();
        inParallel(
                () -> {
                    push.accept(a);
                    push.accept(b);
                },
                () -> {
                    push.accept(brief);
                    brief.cancel();
                    push.accept(c);
                },
                () -> first.set(take.get()));
        Registration second = take.get();
        for (Registration registration : new Registration[] {a, b, c}) {
            require(count(registration, first.get()) + count(registration, second) == 1, NOT_LOST);
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
