package io.tallystick.store.log.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.NanoClock;
import io.tallystick.store.ObjectId;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFailedException;
import io.tallystick.store.StoreFencedException;
import io.tallystick.store.log.record.RecordEncoder;
import io.tallystick.store.log.spi.RecordLog;
import io.tallystick.store.log.spi.WaitStrategy;
import io.tallystick.store.spi.StageCompleter;
import io.tallystick.store.spi.StateImage;
import io.tallystick.store.spi.StatisticsRecorder;
import io.tallystick.store.spi.UninterruptedWait;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whatever goes wrong while the store fails, everybody who waits is told, and nothing is accepted any more. */
@Timeout(300)
class FailStopTest {
    private static final long PATIENCE_SECONDS = 60;

    private final Logger logger = Logger.getLogger(GroupCommit.class.getName());
    private final List<Handler> handlers = new ArrayList<>();
    private final StageCompleter stages = new StageCompleter("fail-stop-test", Optional.empty());
    private final CountDownLatch released = new CountDownLatch(1);
    private final MemoryLog.Gate gate = new MemoryLog.Gate(1);
    private MemoryLog log;
    private GroupCommit commits;

    @AfterEach
    void end() {
        released.countDown();
        gate.open();
        handlers.forEach(logger::removeHandler);
        stages.close();
    }

    @Test
    void aBatchThatHasLandedSucceedsThoughAnotherOneFailsBeforeItIsSettled() throws Exception {
        begin(2, removal -> {});
        log.whenDurable(() -> {
            // As a batch beside it would: it is known that the store has failed, and then the layout lock is waited
            // for.
            inBackground(() -> commits.failStop(new IOException("another one")));
            while (commits.failure().isEmpty()) {
                Thread.onSpinWait();
            }
        });
        PendingAppend landed = pushed(1);

        assertThat(outcome(landed)).isNull();
        assertThat(landed.isDone()).isTrue();
        assertThat(commits.failure()).isPresent();
    }

    @Test
    void theCallersOfEachBatchAreToldOfTheirOwn() throws Exception {
        begin(2, removal -> {});
        CountDownLatch bothFly = new CountDownLatch(2);
        log.intercept(batch -> {
            bothFly.countDown();
            UninterruptedWait.through(bothFly::await);
            if (batch.sequence() == 1) {
                throw new RecordLog.NotWrittenException("another owner; nothing was written", true, null);
            }
            while (commits.failure().isEmpty()) {
                Thread.onSpinWait();
            }
            throw new IOException("another owner, and the batch is in the log");
        });
        CompletableFuture<Throwable> first = inBackground(() -> commits.await(pushed(1)));
        while (log.sizesLaidOut().isEmpty()) {
            Thread.onSpinWait();
        }
        CompletableFuture<Throwable> second = inBackground(() -> commits.await(pushed(2)));

        assertThat(get(first)).isInstanceOf(StoreFencedException.class).hasMessageContaining("nothing was written");
        assertThat(get(second))
                .isInstanceOf(OutcomeUnknownException.class)
                .hasMessageContaining("is in the log")
                .hasMessageNotContaining("nothing was written");
    }

    @Test
    void aCauseThatCannotBeDescribedFailsTheStoreNevertheless() throws Exception {
        begin(1, removal -> {});
        everybodyIsTold(new IOException("broken") {
            private static final long serialVersionUID = 1L;

            @Override
            public String toString() {
                throw new OutOfMemoryError("simulated: no memory for a message");
            }
        });
    }

    @Test
    void aLoggerThatThrowsParksNobody() throws Exception {
        for (Throwable thrown : List.of(new IllegalStateException("no log"), new OutOfMemoryError("simulated"))) {
            handle(record -> FailStopTest.<RuntimeException>sneak(thrown));
            begin(1, removal -> {});
            everybodyIsTold(new IOException("broken"));
        }
    }

    @Test
    void aLoggerThatBlocksParksNobody() throws Exception {
        handle(record -> UninterruptedWait.through(released::await));
        begin(1, removal -> {});
        everybodyIsTold(new IOException("broken"));
    }

    @Test
    void anErrorWhileABatchIsCountedFailsTheStoreAndParksNobody() throws Exception {
        begin(1, removal -> {});
        log.whenDurable(() -> {
            throw new OutOfMemoryError("simulated");
        });
        log.intercept(gate);
        PendingAppend written = pushed(1);
        CompletableFuture<Throwable> writing = inBackground(() -> commits.await(written));
        gate.awaitReached();
        CompletableFuture<Throwable> forcing = inBackground(() -> commits.force());
        PendingAppend queued = pushed(2);
        StageCompleter.Stage stage = pushedAsync(3);
        gate.open();

        assertThat(get(writing)).isNull(); // it is on disk
        assertThat(outcome(queued)).isInstanceOf(StoreFailedException.class);
        assertThat(failureOf(stage)).isInstanceOf(StoreFailedException.class);
        get(forcing); // told, whatever it is
        awaitFailure();
    }

    @Test
    void anErrorWhileARemovalIsForgottenFailsTheStoreAndParksNobody() throws Exception {
        begin(1, removal -> {
            throw new OutOfMemoryError("simulated");
        });
        log.intercept(gate);
        PendingAppend first = append(1, StateImage.ABSENT);
        first.markInIndex();
        commits.push(first);
        CompletableFuture<Throwable> writing = inBackground(() -> commits.await(first));
        gate.awaitReached();
        PendingAppend removal = append(2, StateImage.ABSENT);
        removal.markInIndex();
        commits.push(removal);
        CompletableFuture<Throwable> waiting = inBackground(() -> commits.await(removal));
        gate.open();

        assertThat(get(writing)).isNull();
        get(waiting); // told, whatever it is
        awaitFailure();
    }

    /** A write fails for this reason: the one in flight, one queued, an asynchronous one and a force are told. */
    private void everybodyIsTold(Throwable cause) throws Exception {
        MemoryLog.Gate closed = new MemoryLog.Gate(1);
        log.intercept(batch -> {
            closed.write(batch);
            FailStopTest.<RuntimeException>sneak(cause);
        });
        PendingAppend flying = pushed(1);
        // Its thread may stay in the logger, so only the append is looked at.
        inBackground(() -> commits.await(flying));
        closed.awaitReached();
        PendingAppend queued = pushed(2);
        CompletableFuture<Throwable> waiting = inBackground(() -> commits.await(queued));
        StageCompleter.Stage stage = pushedAsync(3);
        CompletableFuture<Throwable> forcing = inBackground(() -> commits.force());
        closed.open();

        assertThat(get(waiting)).isInstanceOf(StoreFailedException.class);
        assertThat(get(forcing)).isInstanceOf(StoreException.class);
        assertThat(failureOf(stage)).isInstanceOf(StoreFailedException.class);
        assertThat(outcome(flying)).isInstanceOf(OutcomeUnknownException.class);
        assertThat(commits.failure()).containsInstanceOf(StoreFailedException.class);
        assertThat(get(inBackground(() -> pushed(4)))).isInstanceOf(StoreFailedException.class);
    }

    private void begin(int inFlight, Consumer<PendingAppend> forget) {
        log = new MemoryLog(inFlight, Integer.MAX_VALUE);
        // Two writes are in flight only where threads sleep.
        WaitStrategy waiting = inFlight > 1 ? WaitStrategy.SLEEP : WaitStrategy.EXPECTED_END;
        commits = new GroupCommit(log, waiting, NanoClock.SYSTEM, new StatisticsRecorder(), stages, forget);
        commits.start();
    }

    private void handle(Consumer<LogRecord> action) {
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord record) {
                action.accept(record);
            }

            @Override
            public void flush() {
                // nothing is kept
            }

            @Override
            public void close() {
                // nothing is open
            }
        };
        handlers.add(handler);
        logger.addHandler(handler);
    }

    private PendingAppend pushed(int number) {
        PendingAppend append = append(number, StateImage.of(new byte[] {(byte) number}, null, false));
        commits.push(append);
        return append;
    }

    private StageCompleter.Stage pushedAsync(int number) {
        PendingAppend append = append(number, StateImage.of(new byte[] {(byte) number}, null, false));
        StageCompleter.Stage stage = stages.newStage();
        append.completeWhenSettled(stage);
        commits.push(append);
        commits.followUp(append);
        return stage;
    }

    private static PendingAppend append(int number, StateImage image) {
        StateKey key = StateKey.of(
                "/T", ObjectId.of(ByteBuffer.allocate(4).putInt(number).array()));
        return PendingAppend.of(key, image, new RecordEncoder(new byte[16]).encode(key, image), false);
    }

    /** What an append's caller is told; null if it is on disk. */
    private Throwable outcome(PendingAppend append) throws Exception {
        return get(inBackground(() -> commits.await(append)));
    }

    private void awaitFailure() throws InterruptedException {
        long begun = System.nanoTime();
        while (commits.failure().isEmpty()) {
            assertThat(System.nanoTime() - begun).isLessThan(TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS));
            Thread.onSpinWait();
        }
    }

    private static Throwable failureOf(StageCompleter.Stage stage) throws Exception {
        try {
            stage.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            return null;
        } catch (ExecutionException failed) {
            return failed.getCause();
        }
    }

    private static Throwable get(CompletableFuture<Throwable> thrown) throws Exception {
        return thrown.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    private static CompletableFuture<Throwable> inBackground(Runnable task) {
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                task.run();
                thrown.complete(null);
            } catch (Throwable any) { // the test's own thread judges it
                thrown.complete(any);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return thrown;
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void sneak(Throwable thrown) throws T {
        throw (T) thrown;
    }
}
