package io.tallystick.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.StoreFailedException;
import io.tallystick.store.spi.StoreEvents;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ResourceBundle;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class FailStopTest {
    private final CountDownLatch released = new CountDownLatch(1);

    @AfterEach
    void end() {
        released.countDown();
    }

    @Test
    void aLoggerThatThrowsChangesNothing() {
        FailStop failStop = loggingTo(() -> {
            throw new AssertionError("the log is full");
        });
        failStop.fail("a write failed", new IOException("broken"));
        assertThatThrownBy(failStop::check).isInstanceOf(StoreFailedException.class);
    }

    @Test
    void aLoggerThatBlocksHoldsTheFailingThreadUpForAMomentOnly() throws InterruptedException {
        FailStop failStop = loggingTo(this::awaitReleased);
        Thread failing = new Thread(() -> failStop.fail("a write failed", new IOException("broken")));
        failing.setDaemon(true);
        failing.start();
        failing.join(TimeUnit.SECONDS.toMillis(60));
        assertThat(failing.isAlive()).isFalse();
        assertThat(failStop.failure()).isPresent();
    }

    private void awaitReleased() {
        try {
            released.await();
        } catch (InterruptedException unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    private static FailStop loggingTo(Runnable action) {
        return new FailStop(Path.of("store"), StoreEvents.NONE, new System.Logger() {
            @Override
            public String getName() {
                return "test";
            }

            @Override
            public boolean isLoggable(Level level) {
                return true;
            }

            @Override
            public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
                action.run();
            }

            @Override
            public void log(Level level, ResourceBundle bundle, String format, Object... parameters) {
                action.run();
            }
        });
    }
}
