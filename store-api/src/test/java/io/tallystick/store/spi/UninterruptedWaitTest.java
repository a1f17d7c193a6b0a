package io.tallystick.store.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class UninterruptedWaitTest {
    @AfterEach
    void clearFlag() {
        Thread.interrupted();
    }

    @Test
    void aConditionThatIsMetIsNotWaitedFor() {
        UninterruptedWait.until(() -> true);

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void aParkedThreadWaitsThroughInterruptsAndFindsItsFlagSet() throws Exception {
        AtomicBoolean isMet = new AtomicBoolean();
        AtomicInteger asked = new AtomicInteger();
        CompletableFuture<Boolean> flag = new CompletableFuture<>();
        Thread waiter = new Thread(() -> {
            UninterruptedWait.until(() -> {
                asked.incrementAndGet();
                return isMet.get();
            });
            flag.complete(Thread.currentThread().isInterrupted());
        });
        waiter.start();
        for (int interrupts = 1; interrupts <= 3; interrupts++) {
            int before = asked.get();
            waiter.interrupt();
            while (asked.get() == before) {
                Thread.onSpinWait();
            }
        }
        assertThat(flag).isNotDone();

        isMet.set(true);
        LockSupport.unpark(waiter);

        assertThat(flag.get(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aThreadThatNobodyInterruptsFindsItsFlagClear() throws Exception {
        AtomicBoolean isMet = new AtomicBoolean();
        CompletableFuture<Boolean> flag = new CompletableFuture<>();
        Thread waiter = new Thread(() -> {
            UninterruptedWait.until(isMet::get);
            UninterruptedWait.through(() -> {});
            flag.complete(Thread.currentThread().isInterrupted());
        });
        waiter.start();

        isMet.set(true);
        LockSupport.unpark(waiter);

        assertThat(flag.get(30, TimeUnit.SECONDS)).isFalse();
    }

    @Test
    void aThreadThatJoinsWaitsThroughInterruptsAndFindsItsFlagSet() throws Exception {
        CountDownLatch mayEnd = new CountDownLatch(1);
        Thread joined = started(() -> UninterruptedWait.through(mayEnd::await));
        CompletableFuture<Boolean> flag = new CompletableFuture<>();
        Thread joiner = started(() -> {
            UninterruptedWait.join(joined);
            flag.complete(Thread.currentThread().isInterrupted() && !joined.isAlive());
        });
        for (int interrupts = 1; interrupts <= 3; interrupts++) {
            joiner.interrupt();
            while (joiner.isInterrupted() || joiner.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
        }
        assertThat(flag).isNotDone();

        mayEnd.countDown();

        assertThat(flag.get(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aThreadDoesNotWaitForItsOwnEnd() throws Exception {
        CompletableFuture<Boolean> flag = new CompletableFuture<>();

        started(() -> {
            UninterruptedWait.join(Thread.currentThread());
            flag.complete(Thread.currentThread().isInterrupted());
        });

        assertThat(flag.get(30, TimeUnit.SECONDS)).isFalse();
    }

    @Test
    void aThreadThatWasNeverStartedIsNotWaitedFor() {
        UninterruptedWait.join(new Thread(() -> {}));

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    private static Thread started(Runnable action) {
        Thread thread = new Thread(action);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    @Test
    void aStepThatAnInterruptEndsIsMadeAgain() {
        CountDownLatch done = new CountDownLatch(1);
        AtomicInteger attempts = new AtomicInteger();
        Thread.currentThread().interrupt();

        UninterruptedWait.through(() -> {
            if (attempts.incrementAndGet() == 2) {
                done.countDown();
            }
            done.await();
        });

        assertThat(attempts).hasValue(2);
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    @Test
    void aStepThatFailsFailsTheWaitAndTheFlagStays() {
        AtomicInteger attempts = new AtomicInteger();

        assertThatThrownBy(() -> UninterruptedWait.through(() -> {
                    if (attempts.incrementAndGet() == 1) {
                        throw new InterruptedException();
                    }
                    throw new IllegalStateException("thrown by the test");
                }))
                .isInstanceOf(IllegalStateException.class);

        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }
}
