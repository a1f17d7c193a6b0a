package io.tallystick.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.Durability;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreClosedException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
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
}
