package io.tallystick.reaper;

import static io.tallystick.reaper.Schedules.inParallel;
import static io.tallystick.reaper.Schedules.require;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class RegistrationScheduleTest {
    private static final String ONE_WINNER = "exactly one of cancel and expiry wins";

    @Test
    void exactlyOneOfCancelAndExpiryWins() {
        Schedules.explore(() -> {
            Registration registration = new Registration(new TestTransaction("t"), 1, null);
            race(registration::cancel, () -> registration.expire() != null, registration::cancel);
            require(registration.hasEnded(), "it has ended");
        });
    }

    @Test
    void theExplorerFindsTwoWinnersWhereItIsCheckedAndThenSet() {
        Schedules.expectToFind(ONE_WINNER, () -> {
            CheckThenSet registration = new CheckThenSet();
            race(registration::end, registration::end);
        });
    }

    private static void race(BooleanSupplier... contestants) {
        AtomicInteger winners = new AtomicInteger();
        Runnable[] bodies = new Runnable[contestants.length];
        for (int i = 0; i < contestants.length; i++) {
            BooleanSupplier contestant = contestants[i];
            bodies[i] = () -> {
                if (contestant.getAsBoolean()) {
                    winners.incrementAndGet();
                }
            };
        }
        inParallel(bodies);
        require(winners.get() == 1, ONE_WINNER);
    }

    private static final class CheckThenSet {
        private volatile boolean ended;

        boolean end() {
            if (ended) {
                return false;
            }
            ended = true;
            return true;
        }
    }
}
