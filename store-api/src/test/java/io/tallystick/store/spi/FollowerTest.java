package io.tallystick.store.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.tallystick.store.spi.StageCompleter.Stage;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FollowerTest {
    private static final int ATTEMPTS = 50;
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final String name = "follower-test-" + NUMBERS.incrementAndGet();
    private final ExecutorService pool = Executors.newCachedThreadPool();
    private final CountDownLatch released = new CountDownLatch(1);
    private final Engine engine = new Engine();
    private StageCompleter completer = new StageCompleter(name, Optional.empty());

    FollowerTest() {
        completer.followedBy(engine);
    }

    @AfterEach
    void end() {
        released.countDown();
        completer.close();
        pool.shutdown();
    }

    @Test
    void whatAnActionQueuesIsWrittenOnTheThreadThatHasCompletedItsStage() throws Exception {
        // A loop that gets no processor for a while is not waited for, so one of many must do.
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            engine.writers.clear();
            engine.roused.set(0);
            AtomicReference<Thread> acting = new AtomicReference<>();
            Stage second = completer.newStage();
            Stage first = settledNow();
            first.thenRun(() -> {
                acting.set(Thread.currentThread());
                engine.queue(second);
            });
            hand(first);

            second.get(30, TimeUnit.SECONDS);

            if (engine.roused.get() == 0) {
                assertThat(engine.writers).containsExactly(acting.get());
                return;
            }
        }
        fail("another thread was roused each time");
    }

    @Test
    void whatOneRunOfActionsQueuesMakesOneBatch() throws Exception {
        List<Stage> chained = new ArrayList<>();
        Stage newest = null;
        Stage oldest = null;
        for (int i = 0; i < 3; i++) {
            Stage next = completer.newStage();
            chained.add(next);
            Stage stage = completer.newStage();
            stage.thenRun(() -> engine.queue(next));
            newest = stage.settled(() -> null, newest);
            oldest = oldest == null ? stage : oldest;
        }
        completer.complete(newest, oldest);
        for (Stage stage : chained) {
            stage.get(30, TimeUnit.SECONDS);
        }
        assertThat(engine.batches.get()).isBetween(1, 3);
    }

    @Test
    void noLoopOnAnExecutorFollows() throws Exception {
        completer.close();
        completer = new StageCompleter(name, Optional.of(pool));
        completer.followedBy(engine);
        Stage second = completer.newStage();
        Stage first = settledNow();
        AtomicBoolean wasAttentive = new AtomicBoolean();
        first.thenRun(() -> {
            wasAttentive.set(completer.isAttentive());
            engine.queue(second);
        });
        hand(first);

        second.get(30, TimeUnit.SECONDS);

        assertThat(wasAttentive).isFalse();
        assertThat(engine.roused).hasValueGreaterThan(0);
    }

    @Test
    void whatIsQueuedWhileAnActionBlocksIsWrittenAlthoughNoStageWaits() throws Exception {
        block();
        for (int i = 0; i < 5; i++) {
            Stage other = completer.newStage();
            engine.queue(other);
            other.get(30, TimeUnit.SECONDS);
            CountDownLatch alsoBlocked = new CountDownLatch(1);
            other.thenRunAsync(alsoBlocked::countDown, pool);
            assertThat(alsoBlocked.await(30, TimeUnit.SECONDS)).isTrue();
            block();
        }
    }

    @Test
    void anActionThatTakesLongDelaysNoWriteThatIsQueuedBesidesIt() throws Exception {
        block();
        Stage other = completer.newStage();
        engine.queueUnasked(other); // as one that pushed while the loop was attentive
        other.get(30, TimeUnit.SECONDS);
    }

    @Test
    void aStageThatAnotherThreadSettlesWhileAFollowerWritesCompletesOnAnotherLoop() throws Exception {
        CountDownLatch writing = new CountDownLatch(1);
        engine.intercept(() -> {
            writing.countDown();
            awaitReleased();
        });
        Stage second = beginChain();
        assertThat(writing.await(30, TimeUnit.SECONDS)).isTrue();
        List<Thread> acting = Collections.synchronizedList(new ArrayList<>());

        for (int i = 0; i < 3; i++) {
            Stage other = settledNow();
            CompletableFuture<Void> action = other.thenRun(() -> acting.add(Thread.currentThread()));
            hand(other);
            action.get(30, TimeUnit.SECONDS);
        }

        assertThat(second).isNotDone();
        assertThat(acting).doesNotContainAnyElementsOf(engine.writers);
        released.countDown();
        second.get(30, TimeUnit.SECONDS);
    }

    @Test
    void anErrorOfAFollowerLosesNoStage() throws Exception {
        engine.throwAfterwards = new OutOfMemoryError("simulated");
        Stage second = beginChain();
        second.get(30, TimeUnit.SECONDS);
        for (int i = 0; i < 20; i++) {
            beginChain().get(30, TimeUnit.SECONDS);
        }
    }

    @Test
    void anErrorOfAFollowerLosesNoStageAlthoughTheCompleterIsClosedMeanwhile() throws Exception {
        CountDownLatch writing = new CountDownLatch(1);
        engine.throwAfterwards = new OutOfMemoryError("simulated");
        engine.intercept(() -> {
            writing.countDown();
            awaitReleased();
        });
        Stage second = beginChain();
        assertThat(writing.await(30, TimeUnit.SECONDS)).isTrue();

        completer.close();
        released.countDown();

        second.get(30, TimeUnit.SECONDS);
    }

    @Test
    void aFollowerThatAlwaysThrowsHasAWriterWriteInstead() throws Exception {
        engine.throwBefore = new OutOfMemoryError("simulated");
        for (int i = 0; i < 20; i++) {
            beginChain().get(30, TimeUnit.SECONDS);
        }
        assertThat(engine.writers).noneMatch(thread -> thread.getName().startsWith(name));
    }

    @Test
    void afterClosingNoLoopIsReliedOn() throws Exception {
        block();
        Stage pushed = completer.newStage();
        engine.queueUnasked(pushed); // before closing, as one that saw an attentive loop
        completer.close();
        assertThat(completer.isAttentive()).isFalse();
        assertThat(engine.awaitWritten(1)).isTrue();
    }

    @Test
    void aDependentActionClosesWhileTheNextWriteIsQueued() throws Exception {
        for (int i = 0; i < 20; i++) {
            Stage second = completer.newStage();
            Stage first = settledNow();
            CompletableFuture<Void> closed = first.thenRun(() -> {
                engine.queue(second);
                completer.close();
            });
            hand(first);
            closed.get(30, TimeUnit.SECONDS);
            second.get(30, TimeUnit.SECONDS);
            completer = new StageCompleter(name, Optional.empty());
            completer.followedBy(engine);
        }
    }

    @Test
    void closingTwiceFromTwoThreadsEnds() throws Exception {
        beginChain().get(30, TimeUnit.SECONDS);
        CompletableFuture<Void> other = CompletableFuture.runAsync(() -> completer.close(), pool);
        completer.close();
        other.get(30, TimeUnit.SECONDS);
        completer.close();
        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().startsWith(name + "-"));
    }

    /** Foreign code runs on a thread that ends, after all of this class: the handler of uncaught exceptions. */
    @Test
    void aThreadThatEndsWithAnErrorMayCloseFromItsHandler() throws Exception {
        CountDownLatch closed = new CountDownLatch(1);
        Stage first = settledNow();
        first.thenRun(() -> Thread.currentThread().setUncaughtExceptionHandler((thread, error) -> {
            completer.close();
            closed.countDown();
        }));
        engine.throwAfterwards = new OutOfMemoryError("simulated");
        hand(first);
        beginChain().get(30, TimeUnit.SECONDS);
        CompletableFuture.runAsync(() -> completer.close(), pool).get(30, TimeUnit.SECONDS);
    }

    /** A list that grows may throw: what counts loops must not have counted one that does not run. */
    @Test
    void loopsThatRunTakeNoMemory() throws Exception {
        Field running = StageCompleter.class.getDeclaredField("running");
        running.setAccessible(true);
        Field list = RunningLoops.class.getDeclaredField("loops");
        list.setAccessible(true);
        list.set(running.get(completer), new OfEnsuredCapacity());
        for (int i = 0; i < 20; i++) {
            beginChain().get(30, TimeUnit.SECONDS);
        }
        block();
        block();
        beginChain().get(30, TimeUnit.SECONDS);
        released.countDown();
        completer.close();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith(name + "-")) {
                thread.join(30_000); // its action may run after closing
            }
        }
        Field loops = StageCompleter.class.getDeclaredField("loops");
        loops.setAccessible(true);
        assertThat(loops.getInt(completer)).isZero();
    }

    private static final class OfEnsuredCapacity extends ArrayList<Object> {
        private static final long serialVersionUID = 1;
        private int capacity;

        @Override
        public void ensureCapacity(int atLeast) {
            capacity = Math.max(capacity, atLeast);
            super.ensureCapacity(atLeast);
        }

        @Override
        public boolean add(Object element) {
            if (size() == capacity) {
                throw new OutOfMemoryError("thrown by the test");
            }
            return super.add(element);
        }
    }

    @Test
    void manyChainsBesideManyOtherWritersLoseNothing() throws Exception {
        List<CompletableFuture<Void>> ends = Collections.synchronizedList(new ArrayList<>());
        for (int chain = 0; chain < 16; chain++) {
            ends.add(chain(500));
        }
        List<CompletableFuture<Void>> others = new ArrayList<>();
        for (int caller = 0; caller < 3; caller++) {
            others.add(CompletableFuture.runAsync(
                    () -> {
                        for (int i = 0; i < 500; i++) {
                            Stage stage = completer.newStage();
                            engine.queue(stage);
                            stage.join();
                        }
                    },
                    pool));
        }
        for (CompletableFuture<Void> other : others) {
            other.get(50, TimeUnit.SECONDS);
        }
        for (CompletableFuture<Void> end : ends) {
            end.get(50, TimeUnit.SECONDS);
        }
    }

    private CompletableFuture<Void> chain(int left) {
        Stage stage = completer.newStage();
        CompletableFuture<Void> end = left == 0 ? stage : stage.thenCompose(nothing -> chain(left - 1));
        engine.queue(stage);
        return end;
    }

    /** Answers the second stage of a chain; its write is queued by an action of the first. */
    private Stage beginChain() {
        Stage second = completer.newStage();
        Stage first = settledNow();
        first.thenRun(() -> engine.queue(second));
        hand(first);
        return second;
    }

    /** Returns when an action blocks. */
    private void block() throws InterruptedException {
        CountDownLatch blocked = new CountDownLatch(1);
        Stage stage = settledNow();
        stage.thenRun(() -> {
            blocked.countDown();
            awaitReleased();
        });
        hand(stage);
        assertThat(blocked.await(30, TimeUnit.SECONDS)).isTrue();
    }

    private Stage settledNow() {
        return completer.newStage().settled(() -> null, null);
    }

    private void hand(Stage settled) {
        completer.complete(settled, settled);
    }

    private void awaitReleased() {
        UninterruptedWait.through(released::await);
    }

    /** Writes one batch at a time: on the thread of a follower, or on one of the pool. */
    private final class Engine implements StageCompleter.Follower {
        final List<Thread> writers = Collections.synchronizedList(new ArrayList<>());
        final AtomicInteger roused = new AtomicInteger();
        final AtomicInteger batches = new AtomicInteger();
        private final AtomicReference<List<Stage>> queue = new AtomicReference<>(List.of());
        private final AtomicBoolean isWriting = new AtomicBoolean();
        private volatile Runnable interceptor = () -> {};
        volatile Error throwBefore;
        volatile Error throwAfterwards;

        void intercept(Runnable newInterceptor) {
            interceptor = newInterceptor;
        }

        /** As an asynchronous caller does. */
        void queue(Stage stage) {
            queueUnasked(stage);
            if (!isWriting.get() && !completer.isAttentive()) {
                rouseWriter();
            }
        }

        void queueUnasked(Stage stage) {
            queue.updateAndGet(before -> {
                List<Stage> all = new ArrayList<>(before);
                all.add(stage);
                return all;
            });
        }

        boolean awaitWritten(int count) throws InterruptedException {
            for (int tries = 0; tries < 3_000 && batches.get() < count; tries++) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
            return batches.get() >= count;
        }

        @Override
        public boolean isWanted() {
            return !queue.get().isEmpty() && !isWriting.get();
        }

        @Override
        public void writeBatch() {
            if (throwBefore != null) {
                throw throwBefore;
            }
            write();
            if (throwAfterwards != null) {
                throw throwAfterwards;
            }
        }

        private void write() {
            if (!isWriting.compareAndSet(false, true)) {
                return;
            }
            Stage newest = null;
            Stage oldest = null;
            try {
                List<Stage> taken = queue.getAndSet(List.of());
                if (!taken.isEmpty()) {
                    writers.add(Thread.currentThread());
                    interceptor.run();
                    batches.incrementAndGet();
                    for (Stage stage : taken) {
                        newest = stage.settled(() -> null, newest);
                        oldest = oldest == null ? stage : oldest;
                    }
                }
            } finally {
                isWriting.set(false);
            }
            if (newest != null) {
                completer.complete(newest, oldest);
            }
            if (isWanted() && !completer.isFollowingHere()) {
                rouseWriter();
            }
        }

        @Override
        public void rouseWriter() {
            roused.incrementAndGet();
            pool.execute(this::write);
        }
    }
}
