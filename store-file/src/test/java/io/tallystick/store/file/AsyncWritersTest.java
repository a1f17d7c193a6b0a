package io.tallystick.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AsyncWritersTest {
    private final AsyncWriters writers = new AsyncWriters();

    @AfterEach
    void close() {
        writers.close();
    }

    @Test
    void aCallerWaitsForAPlaceWhenAllAreTakenHoweverOftenItIsInterrupted() throws Exception {
        for (int i = 0; i < AsyncWriters.PLACES; i++) {
            writers.takePlace(1);
        }
        CompletableFuture<Boolean> flag = new CompletableFuture<>();
        Thread caller = taker(1, flag);
        awaitWaiting(caller);
        caller.interrupt();
        awaitWaiting(caller);
        assertThat(flag).isNotDone();

        writers.giveBack(1);

        assertThat(flag.get(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aCallerWaitsUntilThereIsRoomForItsBytes() throws Exception {
        writers.takePlace((int) AsyncWriters.PLACE_BYTES - 10);
        writers.takePlace(10);
        CompletableFuture<Boolean> taken = new CompletableFuture<>();
        Thread caller = taker(5, taken);
        awaitWaiting(caller);

        writers.giveBack(10);

        taken.get(30, TimeUnit.SECONDS);
    }

    @Test
    void aStateThatIsLargerThanAllRoomIsTakenAlone() throws Exception {
        int larger = (int) AsyncWriters.PLACE_BYTES + 1;
        writers.takePlace(1);
        CompletableFuture<Boolean> taken = new CompletableFuture<>();
        Thread caller = taker(larger, taken);
        awaitWaiting(caller);

        writers.giveBack(1);

        taken.get(30, TimeUnit.SECONDS);
        writers.giveBack(larger);
    }

    /** One large write leaves; the room that it had is enough for two callers, and the first wakes the second. */
    @Test
    void onePlaceThatIsGivenBackServesEveryCallerThatFits() throws Exception {
        writers.takePlace((int) AsyncWriters.PLACE_BYTES);
        CompletableFuture<Boolean> first = new CompletableFuture<>();
        CompletableFuture<Boolean> second = new CompletableFuture<>();
        awaitWaiting(taker(10, first));
        awaitWaiting(taker(10, second));

        writers.giveBack((int) AsyncWriters.PLACE_BYTES);

        first.get(30, TimeUnit.SECONDS);
        second.get(30, TimeUnit.SECONDS);
    }

    @Test
    void closingRunsWhatWasGivenAndWaitsForIt() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        CompletableFuture<Boolean> over = new CompletableFuture<>();
        writers.execute(() -> {
            begun.countDown();
            awaitLatch(released);
            over.complete(true);
        });
        begun.await();
        CompletableFuture<Boolean> closedAfterIt = new CompletableFuture<>();
        Thread closer = new Thread(() -> {
            writers.close();
            closedAfterIt.complete(over.isDone());
        });
        closer.start();
        while (closer.getState() != Thread.State.TIMED_WAITING && closer.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        closer.interrupt();
        assertThat(closedAfterIt).isNotDone();

        released.countDown();

        assertThat(closedAfterIt.get(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aThreadOfTheStoreThatClosesItDoesNotWaitForItself() throws Exception {
        CompletableFuture<Boolean> closed = new CompletableFuture<>();
        writers.execute(() -> {
            writers.close();
            closed.complete(true);
        });

        assertThat(closed.get(30, TimeUnit.SECONDS)).isTrue();
    }

    private Thread taker(int bytes, CompletableFuture<Boolean> flag) {
        Thread caller = new Thread(() -> {
            writers.takePlace(bytes);
            flag.complete(Thread.currentThread().isInterrupted());
        });
        caller.start();
        return caller;
    }

    private static void awaitWaiting(Thread caller) {
        while (caller.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException unexpected) {
            throw new AssertionError(unexpected);
        }
    }
}
