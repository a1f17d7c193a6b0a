package io.tallystick.store.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class StageWatcherTest {
    private final AtomicInteger looks = new AtomicInteger();
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch enough = new CountDownLatch(2 * StageWatcher.TICKS_BEFORE_SLEEP);
    private final CountDownLatch over = new CountDownLatch(1);
    private volatile boolean maySleep = true;
    private volatile boolean isThrowing;

    private final StageWatcher watcher = new StageWatcher("stage-watcher-test", 1, new StageWatcher.Watched() {
        @Override
        public boolean look() {
            looks.incrementAndGet();
            enough.countDown();
            if (isThrowing) {
                isThrowing = false;
                throw new OutOfMemoryError("simulated");
            }
            return false;
        }

        @Override
        public boolean maySleep() {
            asked.countDown();
            return maySleep;
        }

        @Override
        public void over() {
            over.countDown();
        }
    });

    @AfterEach
    void end() throws InterruptedException {
        watcher.end();
        assertThat(over.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void sleepsWhereThereIsNothingToLookAtUntilItIsWoken() throws InterruptedException {
        watcher.start();
        assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(looks).hasValue(StageWatcher.TICKS_BEFORE_SLEEP);
        watcher.wake();
        assertThat(enough.await(30, TimeUnit.SECONDS)).isTrue();
    }

    /** What there is to look at may have come after the last look, and before it was said that the watcher sleeps. */
    @Test
    void doesNotSleepWhereSomethingCameAfterItsLastLook() throws InterruptedException {
        maySleep = false;
        watcher.start();
        assertThat(enough.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void goesOnAfterAnError() throws InterruptedException {
        isThrowing = true;
        maySleep = false;
        watcher.start();
        assertThat(enough.await(30, TimeUnit.SECONDS)).isTrue();
    }
}
