package io.tallystick.store.journal.artemis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class HousekeepingThreadTest {
    /** The listener logs the failure, and a logger may throw. */
    @Test
    void aFailureThatCannotBeToldDoesNotEndTheThread() throws Exception {
        HousekeepingThread house = HousekeepingThread.telling(failure -> {
            throw new IllegalStateException("thrown by the test", failure);
        });
        house.start();
        house.execute(() -> {
            throw new IllegalArgumentException("thrown by the test");
        });

        CompletableFuture<Integer> answer = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            try {
                answer.complete(house.call(() -> 1));
            } catch (IOException failed) {
                answer.completeExceptionally(failed);
            }
        });
        caller.setDaemon(true);
        caller.start();

        assertThat(answer.get(20, TimeUnit.SECONDS)).isEqualTo(1);
        house.end();
        assertThat(house.isAlive()).isFalse();
    }
}
