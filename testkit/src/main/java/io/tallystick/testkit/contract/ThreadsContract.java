package io.tallystick.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.testkit.States;
import io.tallystick.testkit.Threads;
import io.tallystick.testkit.oracle.MoveHistory;
import io.tallystick.testkit.oracle.RegisterHistory;
import io.tallystick.testkit.oracle.StoreCall;
import java.lang.reflect.InvocationTargetException;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Many threads, platform and virtual, on one key and on many: the operations on each key have one order. */
interface ThreadsContract extends StoreContract {
    @ParameterizedTest
    @EnumSource(Durability.class)
    default void writesAndReadsOfOneKeyHaveOneOrder(Durability durability) {
        RegisterHistory history = new RegisterHistory();
        Threads.run(8, thread -> {
            for (int i = 0; i < 40; i++) {
                if (thread < 5) {
                    String value = thread + "/" + i;
                    history.write(value, () -> store().write(key(1), States.of(value), durability));
                } else {
                    history.read(() -> store().read(key(1)));
                }
            }
        });
        history.read(() -> store().read(key(1)));
        if (subject().isDurable()) {
            ObjectStore reopened = subject().reopened();
            history.read(() -> reopened.read(key(1)));
        }
        history.check();
    }

    @ParameterizedTest
    @EnumSource(Durability.class)
    default void writesReadsAndRemovesOfOneKeyHaveOneOrder(Durability durability) {
        RegisterHistory history = new RegisterHistory();
        Threads.run(8, thread -> {
            for (int i = 0; i < 40; i++) {
                if (thread < 3) {
                    String value = thread + "/" + i;
                    history.write(value, () -> store().write(key(1), States.of(value), durability));
                } else if (thread < 6) {
                    history.write(null, () -> store().remove(key(1), durability));
                } else {
                    history.read(() -> store().read(key(1)));
                }
            }
        });
        history.read(() -> store().read(key(1)));
        if (subject().isDurable()) {
            ObjectStore reopened = subject().reopened();
            history.read(() -> reopened.read(key(1)));
        }
        history.check();
    }

    @ParameterizedTest(name = "seed={0}")
    @ValueSource(longs = {1, 2, 3})
    default void callsOfEveryKindOnOneKeyHaveOneOrder(long seed) {
        List<MoveHistory> histories = IntStream.range(0, 20)
                .mapToObj(round -> new MoveHistory(store(), key(round)))
                .toList();
        Threads.run(3, thread -> {
            Random random = new Random(seed * 100 + thread);
            for (MoveHistory history : histories) {
                for (int i = 0; i < 5; i++) {
                    history.callAny(random, States.random(random.nextInt(10, 300), random.nextLong()));
                }
            }
        });
        if (subject().isDurable()) {
            ObjectStore reopened = subject().reopened();
            histories.forEach(history -> history.checkRecovered(reopened));
        } else {
            histories.forEach(MoveHistory::check);
        }
    }

    @Test
    default void exactlyOneThreadRemovesAState() {
        exactlyOneWins(round -> store().write(key(round), States.of("one"), Durability.DEFERRED), ObjectStore::remove);
    }

    @Test
    default void exactlyOneThreadCommitsAShadow() {
        exactlyOneWins(
                round -> store().writeShadow(key(round), States.of("one"), Durability.DEFERRED),
                ObjectStore::commitShadow);
    }

    @Test
    default void aShadowIsEitherCommittedOrDiscarded() {
        AtomicInteger turn = new AtomicInteger();
        exactlyOneWins(
                round -> store().writeShadow(key(round), States.of("one"), Durability.DEFERRED),
                (store, key, durability) -> turn.getAndIncrement() % 2 == 0
                        ? store.commitShadow(key, durability)
                        : store.discardShadow(key, durability));
    }

    /** A move that answers whether it changed anything. */
    @FunctionalInterface
    interface Move {
        boolean move(ObjectStore store, StateKey key, Durability durability);
    }

    private void exactlyOneWins(IntConsumer preparation, Move move) {
        int rounds = 30;
        AtomicInteger[] winners = IntStream.range(0, rounds)
                .mapToObj(round -> new AtomicInteger())
                .toArray(AtomicInteger[]::new);
        for (int round = 0; round < rounds; round++) {
            preparation.accept(round);
        }
        Threads.run(4, thread -> {
            Durability durability = thread % 2 == 0 ? Durability.FORCED : Durability.DEFERRED;
            for (int round = 0; round < rounds; round++) {
                if (move.move(store(), key(round), durability)) {
                    winners[round].incrementAndGet();
                }
            }
        });
        assertThat(winners).allMatch(count -> count.get() == 1);
    }

    @Test
    default void manyThreadsOnManyKeysDoNotDisturbEachOther() {
        int threads = 16;
        int keysPerThread = 30;
        Threads.run(threads, thread -> {
            for (int i = 0; i < keysPerThread; i++) {
                StateKey key = key(thread * 1_000L + i);
                byte[] state = States.random(50 + i * 17, thread * 1_000L + i);
                store().write(key, state, Durability.FORCED);
                assertThat(store().read(key)).contains(state);
                store().writeShadow(key, States.of("next"), Durability.DEFERRED);
                assertThat(store().commitShadow(key, Durability.DEFERRED)).isTrue();
                assertThat(store().read(key)).contains(States.of("next"));
                if (i % 2 == 0) {
                    assertThat(store().remove(key, Durability.DEFERRED)).isTrue();
                    assertThat(store().statusOf(key)).isEqualTo(StateStatus.ABSENT);
                } else {
                    store().write(key, state, Durability.DEFERRED);
                }
            }
        });
        subject().nowAndAfterReopening(store -> {
            assertThat(store.keys(StoreUnderTest.TYPE)).hasSize(threads * keysPerThread / 2);
            for (int thread = 0; thread < threads; thread++) {
                for (int i = 1; i < keysPerThread; i += 2) {
                    assertThat(store.read(key(thread * 1_000L + i)))
                            .contains(States.random(50 + i * 17, thread * 1_000L + i));
                }
            }
        });
    }

    @Test
    default void everyOperationOnOneKeyFromManyThreadsLeavesWhatIsFoundAgain() {
        List<StoreCall> calls = StoreCall.all(key(1));
        Threads.run(8, thread -> {
            for (int i = 0; i < 60; i++) {
                calls.get((i * (2 * thread + 1)) % calls.size()).call().accept(store());
            }
        });
        StateStatus status = store().statusOf(key(1));
        store().reveal(key(1));
        Optional<byte[]> committed = store().read(key(1));
        Optional<byte[]> shadow = store().readShadow(key(1));
        assertThat(shadow.isPresent()).isEqualTo(status.hasShadow());
        assertThat(store().failure()).isEmpty();
        subject().nowAndAfterReopening(store -> {
            assertThat(store.read(key(1)).map(States::text)).isEqualTo(committed.map(States::text));
            assertThat(store.readShadow(key(1)).map(States::text)).isEqualTo(shadow.map(States::text));
        });
    }

    @Test
    default void virtualThreadsMayUseTheStore() throws IllegalAccessException, InvocationTargetException {
        ExecutorService executor;
        try {
            executor = (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (NoSuchMethodException old) {
            assumeTrue(false, "skipped: this JDK has no virtual threads");
            return;
        }
        Threads.runOn(executor, 300, thread -> {
            for (int i = 0; i < 3; i++) {
                store().write(key(thread), States.of("state " + i), Durability.FORCED);
                StoreCall.await(store().writeAsync(key(thread), States.of("again " + i)));
            }
            if (thread % 3 != 0) {
                store().remove(key(thread), Durability.DEFERRED);
            }
        });
        subject().nowAndAfterReopening(store -> {
            assertThat(store.keys(StoreUnderTest.TYPE)).hasSize(100);
            assertThat(store.read(key(0))).contains(States.of("again 2"));
        });
    }
}
