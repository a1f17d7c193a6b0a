package io.tallystick.reaper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Random histories of registering, cancelling and passing time, against a sorted map of deadlines. The watch is
 * driven by hand and its workers run where they are started, so a history is repeated by its seed: {@code
 * -Dtest.jvm.extra=-Dtallystick.test.seed=N}.
 */
class ReaperModelTest {
    private static final int HISTORIES = Integer.getInteger("tallystick.test.histories", 300);
    private static final Duration PRECISION = Duration.ofMillis(100);
    private static final long TICK = PRECISION.toNanos() / 2;

    @Test
    void everyHistoryAgreesWithASortedMap() {
        Long given = Long.getLong("tallystick.test.seed");
        long first = given != null ? given : System.nanoTime();
        int histories = given != null ? 1 : HISTORIES;
        for (long seed = first; seed < first + histories; seed++) {
            try {
                new History(seed).run();
            } catch (RuntimeException | AssertionError failure) {
                throw new AssertionError("seed=" + seed + ": " + failure.getMessage(), failure);
            }
        }
    }

    private static final class History {
        private final Random random;
        private final ManualClock clock = new ManualClock();
        private final Stripes stripes = new Stripes(4);
        private final Watch watch;

        /** Open transactions by the time before which they must not expire. */
        private final TreeMap<Long, List<Modelled>> byDeadline = new TreeMap<>();

        private final List<Modelled> open = new ArrayList<>();
        /** What a transaction found wrong when it was cancelled. */
        private Throwable failure;

        private int registered;
        private int cancelled;
        private int expired;
        /** How long the watch has not looked more than it should have. */
        private long starvedNanos;

        History(long seed) {
            random = new Random(seed);
            ReaperOptions options = ReaperOptions.builder()
                    .precision(PRECISION)
                    .listener(new ReaperListener() {
                        @Override
                        public void expired(Expiry expiry) {
                            expiry.failure().ifPresent(broken -> failure = broken);
                        }
                    })
                    .build();
            watch = new Watch(stripes, options, clock, InlineThread::new, new ReaperLog());
        }

        void run() {
            for (int i = 0; i < 400; i++) {
                int dice = random.nextInt(100);
                if (dice < 45) {
                    register();
                } else if (dice < 70) {
                    cancelOne();
                } else if (dice < 97) {
                    passTime(random.nextInt((int) TICK));
                } else if (dice < 99) {
                    passTime(random.nextInt(200) * TICK);
                } else {
                    starve(random.nextInt(20) * TICK);
                }
            }
            passTime(Duration.ofMinutes(11).toNanos());
            assertThat(open).isEmpty();
            assertThat(cancelled + expired).isEqualTo(registered);
            assertThat(watch.hasNothing()).isTrue();
            assertThat(watch.counts().taken()).isEqualTo(registered);
        }

        private void register() {
            long timeout = timeout();
            Modelled transaction = new Modelled(clock.nanoTime() + timeout, starvedNanos);
            transaction.registration = new Registration(transaction, timeout, null);
            stripes.push(transaction.registration);
            open.add(transaction);
            byDeadline
                    .computeIfAbsent(transaction.deadlineNanos, deadline -> new ArrayList<>())
                    .add(transaction);
            registered++;
        }

        private long timeout() {
            return switch (random.nextInt(4)) {
                case 0 -> 1 + random.nextInt((int) (3 * TICK));
                case 1 -> (1 + random.nextInt(60)) * 1_000_000_000L;
                case 2 -> (1 + random.nextInt(10)) * TICK;
                default ->
                    1 + (long) (random.nextDouble() * Duration.ofMinutes(10).toNanos());
            };
        }

        private void cancelOne() {
            if (!open.isEmpty()) {
                Modelled transaction = open.get(random.nextInt(open.size()));
                assertThat(transaction.registration.cancel()).isTrue();
                cancelled++;
                forget(transaction);
            }
        }

        /** Passes time as the watch does: it looks at every tick, and in between if it is woken for no reason. */
        private void passTime(long nanos) {
            long end = clock.nanoTime() + nanos;
            while (clock.nanoTime() < end) {
                long nextTick = watch.nextTickNanos();
                boolean reachesTick = nextTick <= end;
                clock.advance(Duration.ofNanos((reachesTick ? nextTick : end) - clock.nanoTime()));
                if (reachesTick || random.nextInt(10) == 0) {
                    watch.look();
                    check();
                }
            }
        }

        private void starve(long nanos) {
            clock.advance(Duration.ofNanos(nanos));
            starvedNanos += nanos;
            watch.look();
            check();
        }

        private void check() {
            assertThat(failure).isNull();
            if (!byDeadline.isEmpty()) {
                for (Modelled transaction : byDeadline.firstEntry().getValue()) {
                    long lateNanos = clock.nanoTime() - transaction.deadlineNanos;
                    assertThat(lateNanos - (starvedNanos - transaction.starvedBeforeNanos))
                            .as("late")
                            .isLessThanOrEqualTo(PRECISION.toNanos());
                }
            }
        }

        private void forget(Modelled transaction) {
            open.remove(transaction);
            List<Modelled> same = byDeadline.get(transaction.deadlineNanos);
            same.remove(transaction);
            if (same.isEmpty()) {
                byDeadline.remove(transaction.deadlineNanos);
            }
        }

        private final class Modelled implements Reapable {
            private final long deadlineNanos;
            private final long starvedBeforeNanos;
            private Registration registration;

            Modelled(long deadlineNanos, long starvedBeforeNanos) {
                this.deadlineNanos = deadlineNanos;
                this.starvedBeforeNanos = starvedBeforeNanos;
            }

            @Override
            public CancelOutcome cancel(ExpiryReason reason) {
                assertThat(open).contains(this);
                assertThat(reason).isEqualTo(ExpiryReason.TIMEOUT);
                assertThat(clock.nanoTime()).as("not early").isGreaterThanOrEqualTo(deadlineNanos);
                assertThat(registration.cancel()).isFalse();
                expired++;
                forget(this);
                return CancelOutcome.CANCELLED;
            }

            @Override
            public boolean preventCommit() {
                return fail("nothing was refused");
            }
        }
    }

    /** Runs its body where it is started, and lets its failures through. */
    private static final class InlineThread extends Thread {
        private final Runnable body;

        InlineThread(Runnable body) {
            this.body = body;
        }

        @Override
        public synchronized void start() {
            body.run();
        }
    }
}
