package io.tallystick.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreClosedException;
import io.tallystick.store.StoreDescription;
import io.tallystick.testkit.States;
import io.tallystick.testkit.Threads;
import io.tallystick.testkit.oracle.StoreCall;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Closing a store: it is possible at any time, happens once, and loses no acknowledged operation. */
interface ClosingContract extends StoreContract {
    @TestFactory
    default Stream<DynamicTest> everyMethodOfAClosedStoreSaysThatItIsClosed() {
        store().write(key(1), States.of("state"), Durability.FORCED);
        store().close();
        return StoreCall.all(key(1)).stream()
                .map(call -> dynamicTest(
                        call.name(), () -> assertThatThrownBy(() -> call.call().accept(store()))
                                .isInstanceOf(StoreClosedException.class)
                                .hasMessageMatching("(?s).+")));
    }

    @Test
    default void closingTwiceIsClosingOnce() {
        store().write(key(1), States.of("state"), Durability.DEFERRED);
        ObjectStore closed = store();
        closed.close();
        closed.close();
        if (subject().isDurable()) {
            ObjectStore next = subject().reopened();
            closed.close();
            assertThat(next.read(key(1))).contains(States.of("state"));
            next.write(key(2), States.of("next"), Durability.FORCED);
        }
    }

    @Test
    default void manyThreadsMayCloseAtOnce() {
        store().write(key(1), States.of("state"), Durability.DEFERRED);
        Threads.run(8, thread -> {
            store().close();
            assertThatThrownBy(() -> store().read(key(1))).isInstanceOf(StoreClosedException.class);
        });
        if (subject().isDurable()) {
            assertThat(subject().reopened().read(key(1))).contains(States.of("state"));
        }
    }

    @Test
    default void aStoreThatWasNeverUsedCloses() {
        store().close();
        assertThatThrownBy(store()::force).isInstanceOf(StoreClosedException.class);
    }

    @Test
    default void descriptionAndStatisticsOutliveTheStore() {
        store().write(key(1), States.of("state"), Durability.FORCED);
        StoreDescription before = store().description();
        store().close();
        assertThat(store().description()).isEqualTo(before);
        assertThat(store().statistics().writes()).isEqualTo(1);
    }

    @Test
    default void closingWhileWritersAreActiveKeepsWhatReturnedAndNothingThatThrew() {
        int writers = 8;
        Map<StateKey, Boolean> returned = new ConcurrentHashMap<>();
        CountDownLatch active = new CountDownLatch(writers);
        Threads.run(writers + 1, thread -> {
            if (thread == writers) {
                assertThat(active.await(Threads.PATIENCE_SECONDS, TimeUnit.SECONDS))
                        .isTrue();
                store().close();
                return;
            }
            for (int i = 0; ; i++) {
                StateKey key = key(thread * 1_000_000L + i);
                try {
                    writeSomehow(key, thread, i);
                } catch (StoreClosedException closed) {
                    returned.put(key, false);
                    return;
                }
                returned.put(key, true);
                if (i == 3) {
                    active.countDown();
                }
            }
        });
        if (!subject().isDurable()) {
            return;
        }
        ObjectStore reopened = subject().reopened();
        returned.forEach((key, isThere) -> assertThat(reopened.statusOf(key))
                .as(key.toString())
                .isEqualTo(isThere ? StateStatus.COMMITTED : StateStatus.ABSENT));
        assertThat(reopened.keys(StoreUnderTest.TYPE))
                .hasSize((int) returned.values().stream().filter(there -> there).count());
    }

    private void writeSomehow(StateKey key, int thread, int i) {
        switch (thread % 3) {
            case 0 -> store().write(key, States.of("forced"), Durability.FORCED);
            // Now and then forced: otherwise the log grows as fast as memory takes it, until the others have come.
            case 1 -> store().write(key, States.of("deferred"), i % 64 == 63 ? Durability.FORCED : Durability.DEFERRED);
            default -> StoreCall.await(store().writeAsync(key, States.of("asynchronous")));
        }
    }

    @Test
    default void closingWhileReadersAreActiveStopsThem() {
        store().write(key(1), States.of("state"), Durability.FORCED);
        CountDownLatch active = new CountDownLatch(4);
        Threads.run(5, thread -> {
            if (thread == 4) {
                assertThat(active.await(Threads.PATIENCE_SECONDS, TimeUnit.SECONDS))
                        .isTrue();
                store().close();
                return;
            }
            for (int i = 0; ; i++) {
                try {
                    assertThat(store().read(key(1))).contains(States.of("state"));
                    assertThat(store().keys(StoreUnderTest.TYPE)).containsExactly(key(1));
                } catch (StoreClosedException closed) {
                    return;
                }
                if (i == 3) {
                    active.countDown();
                }
            }
        });
    }
}
