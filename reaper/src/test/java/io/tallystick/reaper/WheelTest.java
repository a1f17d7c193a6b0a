package io.tallystick.reaper;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import org.junit.jupiter.api.Test;

class WheelTest {
    private static final long TICK = Duration.ofMillis(50).toNanos();
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    /** No test needs as many: a wheel that never finds what it should makes the test fail, not hang. */
    private static final int MAX_TICKS = 100_000;

    private int ticks;
    private long now = -7 * SECOND;
    private final Wheel wheel = new Wheel(now, TICK, 0);

    @Test
    void isDueAtTheFirstTickAfterTheDeadlineAndNotBefore() {
        now += TICK / 3;
        Registration registration = admit(10 * SECOND);
        long deadline = now + 10 * SECOND;
        while (due() == null) {
            assertThat(now).isLessThan(deadline + TICK);
            tick();
        }
        assertThat(now).isBetween(deadline, deadline + TICK);
        assertThat(registration.hasEnded()).isFalse();
    }

    @Test
    void aDeadlineThatIsATickIsDueAtThatTick() {
        admit(10 * TICK);
        long deadline = now + 10 * TICK;
        while (due() == null) {
            tick();
        }
        assertThat(now).isEqualTo(deadline);
    }

    @Test
    void theLastLookIsTheFirstTickThatIsNotBeforeTheDeadline() {
        long origin = now;
        now += TICK / 2;
        admit(10 * TICK);
        now += 5 * TICK; // as old as the time that is left

        wheel.lookAtAll(now);

        assertThat(nextLook()).isEqualTo(origin + 11 * TICK);
    }

    @Test
    void aSlotIsLookedAtOnceInATurn() {
        Registration registration = admit(Duration.ofDays(1).toNanos());
        long start = now;
        pass(Wheel.SLOTS * TICK); // the next look is a turn later, in the slot of this tick
        assertThat(nextLook() - start).isEqualTo(2 * Wheel.SLOTS * TICK);
        registration.cancel();

        tick();
        assertThat(wheel.size()).isEqualTo(1);
        pass((Wheel.SLOTS - 1) * TICK);
        assertThat(wheel.size()).isZero();
    }

    @Test
    void timeoutsOfEveryLengthAreDueInTime() {
        for (long timeout :
                new long[] {1, TICK - 1, TICK, TICK + 1, 64 * TICK, 4095 * TICK, 4096 * TICK, 4097 * TICK}) {
            Registration registration = admit(timeout);
            long deadline = now + timeout;
            Registration due = due();
            while (due == null) {
                tick();
                due = due();
            }
            assertThat(due).isSameAs(registration);
            assertThat(now).as("timeout %d", timeout).isBetween(deadline, deadline + TICK);
        }
    }

    @Test
    void isDueAtOnceWhenTheWatchWasKeptFromLookingForLongerThanATurn() {
        Registration registration = admit(10 * SECOND);
        now += 3L * Wheel.SLOTS * TICK;
        wheel.turnTo(now);

        assertThat(due()).isSameAs(registration);
    }

    @Test
    void whatEndedIsForgottenBeforeItIsTwiceAsOldAsItWas() {
        for (long age : new long[] {SECOND, 10 * SECOND, 100 * SECOND}) {
            Registration[] two = admitMany(2, Duration.ofDays(1).toNanos());
            long registered = now;
            pass(age);
            two[0].cancel();
            two[1].cancel();
            while (wheel.size() > 0) {
                tick();
            }
            assertThat(now - registered).isBetween(age, 2 * age + 2 * TICK);
            assertThat(two).as("no handle keeps another alive").allMatch(registration -> registration.next == null);
        }
    }

    /** A thousand transactions a tick, each open for a second, with timeouts of five minutes. */
    @Test
    void holdsAtMostTwiceTheOpenOnesWhateverTheirTimeouts() {
        Deque<Registration[]> open = new ArrayDeque<>();
        int worst = 0;
        for (int t = 0; t < 4000; t++) {
            open.add(admitMany(1000, Duration.ofMinutes(5).toNanos()));
            if (open.size() > 20) {
                for (Registration ended : open.remove()) {
                    ended.cancel();
                }
            }
            tick();
            worst = Math.max(worst, wheel.size());
        }
        assertThat(worst).isBetween(20_000, 2 * 21_000 + 1000);
    }

    @Test
    void aFarDeadlineIsLookedAtAFewDozenTimes() {
        admit(Duration.ofHours(1).toNanos());
        int looks = 0;
        while (due() == null) {
            now = nextLook();
            wheel.turnTo(now);
            assertThat(++looks).isLessThan(100);
        }
        assertThat(looks).isLessThan(12 + 3600 / 200 + 5);
    }

    @Test
    void theNextLookIsNeverAfterTheDeadline() {
        Random random = new Random(4711);
        for (int i = 0; i < 1000; i++) {
            now += random.nextInt((int) TICK);
            wheel.turnTo(now);
            long timeout = 1 + (long) (random.nextDouble() * 1000 * SECOND);
            Registration registration = admit(timeout);
            assertThat(nextLook() - registration.deadlineNanos()).isLessThan(TICK);
            registration.cancel();
            wheel.lookAtAll(now);
            assertThat(wheel.size()).isZero();
        }
    }

    @Test
    void lookingAtAllForgetsWhatEndedAndKeepsTheRest() {
        Registration open = admit(SECOND);
        admit(SECOND).cancel();

        wheel.lookAtAll(now);

        assertThat(wheel.size()).isEqualTo(1);
        pass(2 * SECOND);
        assertThat(due()).isSameAs(open);
    }

    @Test
    void expiringAllMakesDueWhatIsOpen() {
        Registration open = admit(SECOND);
        admit(SECOND).cancel();

        wheel.expireAll();

        assertThat(due()).isSameAs(open);
        assertThat(due()).isNull();
        assertThat(wheel.size()).isZero();
    }

    @Test
    void asksForTheOwnersStackOnceAndInTime() {
        Wheel capturing = new Wheel(now, TICK, SECOND);
        Registration registration = new Registration(new TestTransaction("t"), 10 * SECOND, Thread.currentThread());
        long deadline = now + 10 * SECOND;
        capturing.admit(registration, now);
        while (capturing.toCapture().isEmpty()) {
            now += TICK;
            capturing.turnTo(now);
            assertThat(now).isLessThan(deadline);
        }
        assertThat(deadline - now).isEqualTo(SECOND);

        Registration asked = capturing.toCapture().poll();
        asked.captureOwnerStack();
        capturing.putBack(asked, now);
        while (capturing.due().isEmpty()) {
            now += TICK;
            capturing.turnTo(now);
            assertThat(capturing.toCapture().isEmpty()).isTrue();
            assertThat(now).isLessThan(deadline + 2 * TICK);
        }
        assertThat(now).isEqualTo(deadline);
        assertThat(registration.ownerStack()).isNotEmpty();
    }

    private Registration admit(long timeoutNanos) {
        return admitMany(1, timeoutNanos)[0];
    }

    private Registration[] admitMany(int count, long timeoutNanos) {
        Registration[] all = new Registration[count];
        for (int i = 0; i < count; i++) {
            all[i] = new Registration(new TestTransaction("t"), timeoutNanos, null);
            all[i].next = i == 0 ? null : all[i - 1];
        }
        wheel.admit(all[count - 1], now);
        return all;
    }

    private Registration due() {
        return wheel.due().poll();
    }

    /** The search for the next look would not end in an empty ring. */
    private long nextLook() {
        assertThat(wheel.size()).isPositive();
        return wheel.nextLookNanos();
    }

    private void tick() {
        assertThat(++ticks).as("ticks").isLessThan(MAX_TICKS);
        now = wheel.nextTickNanos();
        wheel.turnTo(now);
    }

    private void pass(long nanos) {
        for (long end = now + nanos; now < end; ) {
            tick();
        }
    }
}
