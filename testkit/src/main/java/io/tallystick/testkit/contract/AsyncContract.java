package io.tallystick.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.Durability;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreClosedException;
import io.tallystick.testkit.States;
import io.tallystick.testkit.Threads;
import io.tallystick.testkit.oracle.StoreCall;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Forced writes without waiting. */
interface AsyncContract extends StoreContract {
    @Test
    default void anAsynchronousWriteCompletesAndIsThere() throws Exception {
        CompletableFuture<Void> stage =
                store().writeAsync(key(1), States.of("async")).toCompletableFuture();
        assertThat(stage.get(30, TimeUnit.SECONDS)).isNull();
        subject().nowAndAfterReopening(store -> assertThat(store.read(key(1))).contains(States.of("async")));
    }

    @Test
    default void theBytesOfAnAsynchronousWriteAreCopiedBeforeTheCallReturns() throws Exception {
        List<CompletableFuture<Void>> stages = new ArrayList<>();
        byte[] reused = new byte[100];
        for (int i = 0; i < 100; i++) {
            Arrays.fill(reused, (byte) i);
            stages.add(store().writeAsync(key(i), reused).toCompletableFuture());
        }
        Arrays.fill(reused, (byte) -1);
        for (CompletableFuture<Void> stage : stages) {
            stage.get(30, TimeUnit.SECONDS);
        }
        subject().nowAndAfterReopening(store -> {
            for (int i = 0; i < 100; i++) {
                byte[] expected = new byte[100];
                Arrays.fill(expected, (byte) i);
                assertThat(store.read(key(i))).contains(expected);
            }
        });
    }

    @Test
    default void anAsynchronousWriteIsVisibleToTheActionsThatDependOnIt() throws Exception {
        CompletableFuture<Optional<byte[]>> seen = store().writeAsync(key(1), States.of("seen"))
                .thenApplyAsync(nothing -> store().read(key(1)))
                .toCompletableFuture();
        assertThat(seen.get(30, TimeUnit.SECONDS)).contains(States.of("seen"));
    }

    @Test
    default void anAsynchronousWriteKeepsTheShadowBesideIt() throws Exception {
        store().writeShadow(key(1), States.of("shadow"), Durability.FORCED);
        store().writeAsync(key(1), States.of("committed")).toCompletableFuture().get(30, TimeUnit.SECONDS);
        subject().nowAndAfterReopening(store -> {
            assertThat(store.statusOf(key(1))).isEqualTo(StateStatus.SHADOW);
            assertThat(store.read(key(1))).contains(States.of("committed"));
            assertThat(store.readShadow(key(1))).contains(States.of("shadow"));
        });
    }

    @Test
    default void anActionThatThrowsHarmsNobody() throws Exception {
        CompletableFuture<Void> spoilt = store().writeAsync(key(1), States.of("first"))
                .thenRun(() -> {
                    throw new IllegalStateException("thrown by an action of the caller");
                })
                .toCompletableFuture();
        assertThatThrownBy(() -> spoilt.get(30, TimeUnit.SECONDS)).hasCauseInstanceOf(IllegalStateException.class);
        store().writeAsync(key(2), States.of("second")).toCompletableFuture().get(30, TimeUnit.SECONDS);
        store().write(key(3), States.of("third"), Durability.FORCED);
        subject().nowAndAfterReopening(store -> assertThat(store.keys(StoreUnderTest.TYPE))
                .hasSize(3));
    }

    @Test
    default void abandoningAStageHarmsNobody() throws Exception {
        for (int i = 0; i < 50; i++) {
            store().writeAsync(key(i), States.of("abandoned"))
                    .toCompletableFuture()
                    .cancel(true);
        }
        store().writeAsync(key(50), States.of("awaited")).toCompletableFuture().get(30, TimeUnit.SECONDS);
        assertThat(store().read(key(50))).contains(States.of("awaited"));
        store().remove(key(50), Durability.FORCED);
        assertThat(store().failure()).isEmpty();
    }

    @Test
    default void closingCompletesEveryStage() {
        List<CompletableFuture<Void>> stages = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            stages.add(store().writeAsync(key(i), States.of("state " + i)).toCompletableFuture());
        }
        store().close();
        assertThat(stages).allMatch(CompletableFuture::isDone);
        assertThat(stages).noneMatch(CompletableFuture::isCompletedExceptionally);
        if (subject().isDurable()) {
            assertThat(subject().reopened().keys(StoreUnderTest.TYPE)).hasSize(100);
        }
    }

    @Test
    default void anAsynchronousWriteToAClosedStoreFails() {
        store().close();
        assertThatThrownBy(() -> StoreCall.await(store().writeAsync(key(1), States.of("late"))))
                .isInstanceOf(StoreClosedException.class);
    }

    @Test
    default void actionsThatBlockHoldNobodyUp() throws Exception {
        int count = 40;
        CountDownLatch blocked = new CountDownLatch(count);
        CountDownLatch released = new CountDownLatch(1);
        try {
            for (int i = 0; i < count; i++) {
                int number = i;
                // On a thread of its own: a stage that is complete already runs the action on the thread that adds it.
                Thread adding = new Thread(() -> store().writeAsync(key(number), States.of("blocks"))
                        .thenRun(() -> {
                            blocked.countDown();
                            Threads.await(released);
                        }));
                adding.setDaemon(true);
                adding.start();
            }
            assertThat(blocked.await(Threads.PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .as("every action runs")
                    .isTrue();
            store().write(key(count), States.of("forced"), Durability.FORCED);
            store().writeAsync(key(count + 1), States.of("async"))
                    .toCompletableFuture()
                    .get(Threads.PATIENCE_SECONDS, TimeUnit.SECONDS);
        } finally {
            released.countDown();
        }
    }

    @Test
    default void actionsMayWaitForWritesOfTheirOwn() {
        Threads.run(40, thread -> store().writeAsync(key(thread), States.of("first"))
                .thenRun(() -> {
                    store().write(key(100 + thread), States.of("forced"), Durability.FORCED);
                    store().writeAsync(key(200 + thread), States.of("joined"))
                            .toCompletableFuture()
                            .join();
                    store().remove(key(thread), Durability.FORCED);
                })
                .toCompletableFuture()
                .get(Threads.PATIENCE_SECONDS, TimeUnit.SECONDS));
        assertThat(store().keys(StoreUnderTest.TYPE)).hasSize(80);
    }

    @Test
    default void aThreadThatCommitsRunsNoActionOfAnotherOne() {
        Set<Thread> committing = ConcurrentHashMap.newKeySet();
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        Threads.run(8, thread -> {
            List<CompletableFuture<Void>> actions = new ArrayList<>();
            Thread adding = Thread.currentThread();
            if (thread % 2 == 0) {
                committing.add(adding);
            }
            for (int i = 0; i < 50; i++) {
                if (thread % 2 == 0) {
                    store().write(key(1_000L * thread + i), States.of("forced"), Durability.FORCED);
                } else {
                    actions.add(store().writeAsync(key(1_000L * thread + i), States.of("async"))
                            .thenRun(() -> {
                                if (committing.contains(Thread.currentThread())) {
                                    seen.add(Thread.currentThread().getName());
                                }
                            })
                            .toCompletableFuture());
                }
            }
            for (CompletableFuture<Void> action : actions) {
                action.get(Threads.PATIENCE_SECONDS, TimeUnit.SECONDS);
            }
        });
        assertThat(seen).isEmpty();
    }

    @Test
    default void chainsOfWritesAndRemovalsComeToTheirEnd() {
        Threads.run(16, thread -> {
            CompletionStage<Void> chain = CompletableFuture.completedStage(null);
            for (int i = 0; i < 50; i++) {
                long number = 1_000L * thread + i;
                chain = chain.thenCompose(nothing -> store().writeAsync(key(number), new byte[500]))
                        .thenRun(() -> store().remove(key(number), Durability.DEFERRED));
            }
            chain.toCompletableFuture().get(Threads.PATIENCE_SECONDS, TimeUnit.SECONDS);
        });
        assertThat(store().keys(StoreUnderTest.TYPE)).isEmpty();
    }

    @Test
    default void anActionMayCloseTheStore() throws Exception {
        List<CompletableFuture<Void>> closing = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            try {
                closing.add(store().writeAsync(key(i), States.of("state"))
                        .thenRun(() -> store().close())
                        .toCompletableFuture());
            } catch (StoreClosedException closed) {
                break; // an earlier action was quick
            }
        }
        closing.get(0).get(Threads.PATIENCE_SECONDS, TimeUnit.SECONDS);
        for (CompletableFuture<Void> each : closing) {
            try {
                each.get(Threads.PATIENCE_SECONDS, TimeUnit.SECONDS);
            } catch (ExecutionException refused) {
                assertThat(refused).hasCauseInstanceOf(StoreClosedException.class);
            }
        }
    }
}
