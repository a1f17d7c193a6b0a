package io.tallystick.reaper;

import static io.tallystick.reaper.schedules.Scenario.require;

import io.tallystick.reaper.schedules.Scenario;
import io.tallystick.reaper.schedules.Schedules;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class RegistrationScheduleTest {
    private static final String ONE_WINNER = "exactly one of cancel and expiry wins";

    @Test
    void exactlyOneOfCancelAndExpiryWins() {
        Schedules.exploreAll(CancelTwiceAndExpire.class);
    }

    @Test
    void whoeverHearsThatItExpiredHearsSoForEver() {
        Schedules.explore(LookWhileItExpires.class);
    }

    @Test
    void theExplorerFindsTwoWinnersWhereItIsCheckedAndThenSet() {
        Schedules.expectToFind(ONE_WINNER, CheckedThenSet.class);
    }

    static final class CancelTwiceAndExpire extends Race {
        private final Registration registration = new Registration(new TestTransaction("t"), 1, null);

        CancelTwiceAndExpire() {
            contestants(registration::cancel, () -> registration.expire() != null, registration::cancel);
        }

        @Override
        public void check() {
            super.check();
            require(registration.hasEnded(), "it has ended");
        }
    }

    static final class LookWhileItExpires implements Scenario {
        private final Registration registration = new Registration(new TestTransaction("t"), 1, null);
        private boolean cancelled;
        private boolean expired;
        private boolean seen;
        private boolean seenStill;

        @Override
        public List<Runnable> threads() {
            return List.of(
                    () -> cancelled = registration.cancel(), () -> expired = registration.expire() != null, () -> {
                        seen = registration.isExpired();
                        seenStill = registration.isExpired();
                    });
        }

        @Override
        public void check() {
            require(cancelled != expired, ONE_WINNER);
            require(!seen || expired && seenStill, "isExpired tells the truth");
        }
    }

    static final class CheckedThenSet extends Race {
        private boolean ended;

        CheckedThenSet() {
            contestants(this::end, this::end);
        }

        private boolean end() {
            if (ended) {
                return false;
            }
            ended = true;
            return true;
        }
    }

    private abstract static class Race implements Scenario {
        private final AtomicInteger winners = new AtomicInteger();
        private List<BooleanSupplier> contestants;

        final void contestants(BooleanSupplier... all) {
            contestants = List.of(all);
        }

        @Override
        public List<Runnable> threads() {
            return contestants.stream().map(this::counted).toList();
        }

        @Override
        public void check() {
            require(winners.get() == 1, ONE_WINNER);
        }

        private Runnable counted(BooleanSupplier contestant) {
            return () -> {
                if (contestant.getAsBoolean()) {
                    winners.incrementAndGet();
                }
            };
        }
    }
}
