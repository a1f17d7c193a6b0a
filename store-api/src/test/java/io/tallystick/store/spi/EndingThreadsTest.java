package io.tallystick.store.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class EndingThreadsTest {
    @Test
    void waitsUntilAThreadExistsNoLonger() {
        EndingThreads ending = new EndingThreads(30_000);
        CountDownLatch added = new CountDownLatch(1);
        Thread thread = new Thread(() -> {
            ending.add();
            added.countDown();
        });
        thread.start();
        awaitLatch(added);
        ending.await();
        assertThat(thread.isAlive()).isFalse();
    }

    @Test
    void doesNotWaitForItself() {
        EndingThreads ending = new EndingThreads(Integer.MAX_VALUE);
        ending.add();
        ending.await();
    }

    @Test
    void doesNotWaitForEverForAThreadThatDoesNotEnd() {
        EndingThreads ending = new EndingThreads(10);
        CountDownLatch added = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        Thread thread = new Thread(() -> {
            ending.add();
            added.countDown();
            awaitLatch(released);
        });
        thread.start();
        awaitLatch(added);
        ending.await();
        assertThat(thread.isAlive()).isTrue();
        released.countDown();
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException unexpected) {
            throw new AssertionError(unexpected);
        }
    }
}
