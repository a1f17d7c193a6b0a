package io.tallystick.reaper;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RegistrationTest {
    private final TestTransaction transaction = new TestTransaction("tx");
    private final Registration registration =
            new Registration(transaction, Duration.ofSeconds(60).toNanos(), null);

    @Test
    void theFirstCancelWinsAndOnlyTheFirst() {
        assertThat(registration.cancel()).isTrue();
        assertThat(registration.cancel()).isFalse();
        assertThat(registration.isExpired()).isFalse();
    }

    @Test
    void whatIsCancelledCannotExpire() {
        registration.cancel();

        assertThat(registration.expire()).isNull();
        assertThat(registration.isExpired()).isFalse();
    }

    @Test
    void whatHasExpiredCannotBeCancelledNorExpireAgain() {
        assertThat(registration.expire()).isSameAs(transaction);

        assertThat(registration.cancel()).isFalse();
        assertThat(registration.expire()).isNull();
        assertThat(registration.isExpired()).isTrue();
    }

    @Test
    void tellsItsStateAndTimeout() {
        assertThat(registration).hasToString("Registration(open, timeout=60s)");
        assertThat(registration.timeout()).isEqualTo(Duration.ofSeconds(60));

        registration.cancel();

        assertThat(registration).hasToString("Registration(cancelled, timeout=60s)");
    }

    @Test
    void ofManyRacesEachHasOneWinner() throws Exception {
        Registration[] registrations = new Registration[200_000];
        for (int i = 0; i < registrations.length; i++) {
            registrations[i] = new Registration(transaction, 1, null);
        }
        CyclicBarrier start = new CyclicBarrier(2);
        AtomicInteger expired = new AtomicInteger();
        Thread watch = new Thread(() -> {
            awaitAll(start);
            for (Registration each : registrations) {
                expired.addAndGet(each.expire() != null ? 1 : 0);
            }
        });
        watch.start();
        int cancelled = 0;
        awaitAll(start);
        for (Registration each : registrations) {
            cancelled += each.cancel() ? 1 : 0;
        }
        watch.join();

        assertThat(cancelled + expired.get()).isEqualTo(registrations.length);
    }

    private static void awaitAll(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (InterruptedException | BrokenBarrierException unexpected) {
            throw new AssertionError(unexpected);
        }
    }
}
