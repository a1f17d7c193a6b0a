package io.tallystick.store.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.spi.StageCompleter.Stage;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class StageCompleterTest {
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final String name = "stage-completer-test-" + NUMBERS.incrementAndGet();
    private final ExecutorService pool = Executors.newFixedThreadPool(2);
    private final CountDownLatch released = new CountDownLatch(1);
    private StageCompleter completer = new StageCompleter(name, Optional.empty());

    @AfterEach
    void end() {
        released.countDown();
        completer.close();
        pool.shutdownNow();
    }

    @Test
    void dependentActionsRunOnceOnAnotherThread() throws Exception {
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        List<Thread> threads = Collections.synchronizedList(new ArrayList<>());
        List<CompletableFuture<Void>> actions = settle(100, number -> {
            order.add(number);
            threads.add(Thread.currentThread());
        });

        await(actions);

        assertThat(order).hasSize(100).doesNotHaveDuplicates();
        assertThat(threads).doesNotContain(Thread.currentThread()).allMatch(Thread::isDaemon);
    }

    @Test
    void aFailureReachesTheStageAndOneThatCannotBeMadeIsReplacedByItsCause() {
        Stage failed = completer.newStage();
        completer.complete(failed.settled(() -> new IllegalStateException("known"), null), failed);
        Stage unmakeable = completer.newStage();
        completer.complete(
                unmakeable.settled(
                        () -> {
                            throw new OutOfMemoryError("simulated");
                        },
                        null),
                unmakeable);

        assertThatThrownBy(() -> failed.get(30, TimeUnit.SECONDS)).hasCauseInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> unmakeable.get(30, TimeUnit.SECONDS)).hasCauseInstanceOf(OutOfMemoryError.class);
    }

    @Test
    void actionsThatBlockDelayNoStageBehindThem() throws Exception {
        CountDownLatch blocked = new CountDownLatch(64);
        List<CompletableFuture<Void>> actions = settle(64, number -> {
            blocked.countDown();
            awaitReleased();
        });
        assertThat(blocked.await(30, TimeUnit.SECONDS)).isTrue();
        await(settle(1, number -> {}));
        assertThat(actions).noneMatch(CompletableFuture::isDone);
        released.countDown();
        await(actions);
    }

    /** It goes through the loops that run every few milliseconds, and no other thread notices that they are blocked. */
    @Test
    void actionsThatBlockDelayNoStageBehindThemAlthoughTheWatcherHasNoMemory() throws Exception {
        Field running = StageCompleter.class.getDeclaredField("running");
        running.setAccessible(true);
        Field list = RunningLoops.class.getDeclaredField("loops");
        list.setAccessible(true);
        list.set(running.get(completer), new WithoutIterators());
        CountDownLatch blocked = new CountDownLatch(8);
        settle(8, number -> {
            blocked.countDown();
            awaitReleased();
        });
        assertThat(blocked.await(30, TimeUnit.SECONDS)).isTrue();
    }

    private static final class WithoutIterators extends ArrayList<Object> {
        private static final long serialVersionUID = 1;
        private boolean hasFailed;

        @Override
        public Iterator<Object> iterator() {
            throw new OutOfMemoryError("thrown by the test");
        }

        @Override
        public Object get(int index) {
            if (!hasFailed && Thread.currentThread().getName().endsWith("-watcher")) {
                hasFailed = true;
                throw new OutOfMemoryError("thrown by the test");
            }
            return super.get(index);
        }
    }

    @Test
    void stagesCompleteOnTheExecutorThatWasGivenOneTaskForMany() throws Exception {
        AtomicInteger tasks = new AtomicInteger();
        given(task -> {
            tasks.incrementAndGet();
            pool.execute(task);
        });
        List<Thread> threads = Collections.synchronizedList(new ArrayList<>());
        await(settle(1_000, number -> threads.add(Thread.currentThread())));

        assertThat(threads).noneMatch(thread -> thread.getName().startsWith(name + "-"));
        assertThat(tasks.get()).isLessThan(500);
    }

    @Test
    void anExecutorThatRejectsThrowsOrRunsTasksAtOnceLosesNoStage() throws Exception {
        for (Executor executor : List.<Executor>of(
                task -> {
                    throw new RejectedExecutionException("no");
                },
                task -> {
                    throw new AssertionError("an error");
                },
                Runnable::run,
                task -> {
                    task.run();
                    throw new RejectedExecutionException("too late");
                },
                task -> {
                    pool.execute(task);
                    pool.execute(task);
                })) {
            given(executor);
            AtomicInteger runs = new AtomicInteger();
            Thread settling = Thread.currentThread();
            await(settle(100, number -> {
                assertThat(Thread.currentThread()).isNotSameAs(settling);
                runs.incrementAndGet();
            }));
            assertThat(runs).hasValue(100);
        }
    }

    @Test
    void actionsThatBlockOnAnExecutorThatRunsTasksAtOnceDelayNoStageBehindThem() throws Exception {
        given(Runnable::run);
        CountDownLatch blocked = new CountDownLatch(16);
        settle(16, number -> {
            blocked.countDown();
            awaitReleased();
        });
        assertThat(blocked.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void closingCompletesWhatAnExecutorHasThrownAway() throws Exception {
        given(task -> {});
        List<CompletableFuture<Void>> actions = settle(100, number -> {});
        completer.close();
        await(actions);
    }

    @Test
    void closingCompletesEveryStageAlthoughActionsBlock() {
        List<Stage> stages = new ArrayList<>();
        settle(40, number -> awaitReleased(), stages);
        completer.close();
        assertThat(stages).allMatch(CompletableFuture::isDone);
    }

    @Test
    void closingCompletesEveryStageThroughAnInterruptAndTheFlagStays() {
        List<Stage> stages = new ArrayList<>();
        settle(40, number -> awaitReleased(), stages);
        Thread.currentThread().interrupt();

        completer.close();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(stages).allMatch(CompletableFuture::isDone);
    }

    @Test
    void closingCompletesEveryStageAlthoughAllThreadsOfTheExecutorAreBlocked() {
        given(pool);
        List<Stage> stages = new ArrayList<>();
        settle(40, number -> awaitReleased(), stages);
        completer.close();
        assertThat(stages).allMatch(CompletableFuture::isDone);
    }

    @Test
    void anActionMayClose() throws Exception {
        await(settle(20, number -> completer.close()));
        given(pool);
        await(settle(20, number -> completer.close()));
    }

    @Test
    void whatIsSettledAfterClosingIsCompletedAsWell() throws Exception {
        Stage begun = completer.newStage();
        completer.close();
        CountDownLatch seen = new CountDownLatch(20);
        begun.thenRun(this::awaitReleased);
        completer.complete(begun.settled(() -> null, null), begun);
        settle(20, number -> {
            seen.countDown();
            awaitReleased();
        });
        assertThat(seen.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(begun).isCompleted();
    }

    @Test
    void nothingRunsAnyMoreAfterClosing() throws Exception {
        await(settle(100, number -> {}));
        completer.close();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith(name + "-")) {
                thread.join(30_000);
                assertThat(thread.isAlive()).isFalse();
            }
        }
    }

    @Test
    void noThreadRunsBeforeTheFirstStage() {
        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().startsWith(name + "-"));
    }

    @Test
    void noStageIsForgottenBetweenManySettlingThreads() throws Exception {
        List<CompletableFuture<Void>> actions = Collections.synchronizedList(new ArrayList<>());
        List<Thread> settling = new ArrayList<>();
        for (int thread = 0; thread < 4; thread++) {
            Thread one = new Thread(() -> {
                for (int round = 0; round < 5_000; round++) {
                    actions.addAll(settle(1 + round % 3, number -> {}));
                }
            });
            settling.add(one);
            one.start();
        }
        for (Thread one : settling) {
            one.join();
        }
        await(actions);
    }

    private interface Action {
        void run(int number);
    }

    private void given(Executor executor) {
        completer.close();
        completer = new StageCompleter(name, Optional.of(executor));
    }

    private List<CompletableFuture<Void>> settle(int count, Action action) {
        return settle(count, action, new ArrayList<>());
    }

    /** As one batch; answers the dependent stages. */
    private List<CompletableFuture<Void>> settle(int count, Action action, List<Stage> stages) {
        List<CompletableFuture<Void>> actions = new ArrayList<>();
        Stage newest = null;
        Stage oldest = null;
        for (int i = 0; i < count; i++) {
            int number = i;
            Stage stage = completer.newStage();
            stages.add(stage);
            actions.add(stage.thenRun(() -> action.run(number)));
            newest = stage.settled(() -> null, newest);
            oldest = oldest == null ? stage : oldest;
        }
        completer.complete(newest, oldest);
        return actions;
    }

    private static void await(List<CompletableFuture<Void>> actions) throws Exception {
        for (CompletableFuture<Void> action : actions) {
            action.get(30, TimeUnit.SECONDS);
        }
    }

    private void awaitReleased() {
        UninterruptedWait.through(released::await);
    }
}
