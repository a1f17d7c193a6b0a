package io.tallystick.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.testkit.States;
import io.tallystick.testkit.oracle.StoreCall;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** State bytes: copied in and out, of every size, absent without being an error. */
interface ValuesContract extends StoreContract {
    @Test
    default void aNewStoreIsEmpty() {
        subject().nowAndAfterReopening(store -> {
            assertThat(store.types()).isEmpty();
            assertThat(store.statistics().records()).isZero();
            assertThat(store.failure()).isEmpty();
        });
    }

    @Test
    default void aWrittenStateIsReadBackByteForByte() {
        byte[] everyByte = new byte[256];
        for (int i = 0; i < everyByte.length; i++) {
            everyByte[i] = (byte) i;
        }
        store().write(key(1), everyByte, Durability.FORCED);
        subject().nowAndAfterReopening(store -> assertThat(store.read(key(1))).contains(everyByte));
    }

    @Test
    default void aLaterWriteReplacesAnEarlierOne() {
        store().write(key(1), States.of("a long first value"), Durability.FORCED);
        store().write(key(1), States.of("second"), Durability.FORCED);
        subject().nowAndAfterReopening(store -> assertThat(store.read(key(1))).contains(States.of("second")));
    }

    @Test
    default void statesOfEverySizeAroundAPowerOfTwoComeBack() {
        List<Integer> sizes = Stream.iterate(1, size -> size <= 16384, size -> size * 2)
                .flatMap(size -> Stream.of(size - 1, size, size + 1))
                .filter(size -> size <= subject().maxStateBytes())
                .toList();
        for (int size : sizes) {
            store().write(key(size), States.random(size, size), Durability.DEFERRED);
        }
        subject().nowAndAfterReopening(store -> {
            for (int size : sizes) {
                assertThat(store.read(key(size))).as("size=" + size).contains(States.random(size, size));
            }
        });
    }

    @Test
    default void changingTheArrayAfterAWriteDoesNotChangeTheState() {
        byte[] state = States.of("mine");
        store().write(key(1), state, Durability.DEFERRED);
        store().write(key(2), state, Durability.FORCED);
        store().writeShadow(key(3), state, Durability.DEFERRED);
        store().writeShadow(key(4), state, Durability.FORCED);
        Arrays.fill(state, (byte) 0);
        subject().nowAndAfterReopening(store -> {
            assertThat(store.read(key(1))).contains(States.of("mine"));
            assertThat(store.read(key(2))).contains(States.of("mine"));
            assertThat(store.readShadow(key(3))).contains(States.of("mine"));
            assertThat(store.readShadow(key(4))).contains(States.of("mine"));
        });
        assertThat(store().commitShadow(key(3), Durability.FORCED)).isTrue();
        assertThat(store().read(key(3))).contains(States.of("mine"));
    }

    @Test
    default void changingAnArrayThatWasReadDoesNotChangeTheState() {
        store().write(key(1), States.of("theirs"), Durability.FORCED);
        store().writeShadow(key(1), States.of("shadow"), Durability.FORCED);
        subject().nowAndAfterReopening(store -> {
            Arrays.fill(store.read(key(1)).orElseThrow(), (byte) 0);
            Arrays.fill(store.readShadow(key(1)).orElseThrow(), (byte) 0);
            assertThat(store.read(key(1))).contains(States.of("theirs"));
            assertThat(store.readShadow(key(1))).contains(States.of("shadow"));
        });
        store().commitShadow(key(1), Durability.FORCED);
        Arrays.fill(store().read(key(1)).orElseThrow(), (byte) 0);
        assertThat(store().read(key(1))).contains(States.of("shadow"));
    }

    @Test
    default void whatIsAbsentIsNoError() {
        StateKey absent = key(1);
        assertThat(store().read(absent)).isEmpty();
        assertThat(store().readShadow(absent)).isEmpty();
        assertThat(store().statusOf(absent)).isEqualTo(StateStatus.ABSENT);
        assertThat(store().remove(absent, Durability.FORCED)).isFalse();
        assertThat(store().commitShadow(absent, Durability.FORCED)).isFalse();
        assertThat(store().discardShadow(absent, Durability.FORCED)).isFalse();
        assertThat(store().hide(absent)).isFalse();
        assertThat(store().reveal(absent)).isFalse();
        assertThat(store().types()).isEmpty();
    }

    @Test
    default void removeSaysWhetherThereWasSomethingToRemove() {
        for (Durability durability : Durability.values()) {
            store().write(key(1), States.of("once"), Durability.FORCED);
            assertThat(store().remove(key(1), durability)).isTrue();
            assertThat(store().remove(key(1), durability)).isFalse();
            assertThat(store().read(key(1))).isEmpty();
        }
        subject().nowAndAfterReopening(store -> assertThat(store.statusOf(key(1)))
                .isEqualTo(StateStatus.ABSENT));
    }

    @Test
    default void anEmptyStateIsAStateAndNotAbsent() {
        byte[] nothing = {};
        store().write(key(1), nothing, Durability.FORCED);
        store().writeShadow(key(2), nothing, Durability.FORCED);
        store().write(key(3), States.of("full"), Durability.FORCED);
        store().writeShadow(key(3), nothing, Durability.FORCED);
        store().commitShadow(key(3), Durability.FORCED);
        store().writeAsync(key(4), nothing).toCompletableFuture().join();
        subject().nowAndAfterReopening(store -> {
            assertThat(store.read(key(1))).contains(nothing);
            assertThat(store.statusOf(key(1))).isEqualTo(StateStatus.COMMITTED);
            assertThat(store.readShadow(key(2))).contains(nothing);
            assertThat(store.read(key(3))).contains(nothing);
            assertThat(store.read(key(4))).contains(nothing);
            assertThat(store.keys(StoreUnderTest.TYPE)).containsExactlyInAnyOrder(key(1), key(2), key(3), key(4));
        });
        assertThat(store().remove(key(1), Durability.FORCED)).isTrue();
        assertThat(store().read(key(1))).isEmpty();
    }

    @Test
    default void theLargestStateIsAccepted() {
        byte[] largest = States.random(subject().maxStateBytes(), 1);
        store().write(key(1), largest, Durability.FORCED);
        store().writeShadow(key(2), largest, Durability.FORCED);
        subject().nowAndAfterReopening(store -> {
            assertThat(store.read(key(1))).contains(largest);
            assertThat(store.readShadow(key(2))).contains(largest);
        });
        assertThat(store().commitShadow(key(2), Durability.FORCED)).isTrue();
        subject().nowAndAfterReopening(store -> assertThat(store.read(key(2))).contains(largest));
    }

    @Test
    default void theLargestStateIsAcceptedAsShadowBesideALargestCommittedValue() {
        byte[] committed = States.random(subject().maxStateBytes(), 1);
        byte[] shadow = States.random(subject().maxStateBytes(), 2);
        store().write(key(1), committed, Durability.FORCED);
        store().writeShadow(key(1), shadow, Durability.FORCED);
        subject().nowAndAfterReopening(store -> {
            assertThat(store.read(key(1))).contains(committed);
            assertThat(store.readShadow(key(1))).contains(shadow);
        });
    }

    @Test
    default void aLargerStateIsRefusedNamingBothSizesAndChangesNothing() {
        int maximum = subject().maxStateBytes();
        byte[] tooLarge = new byte[maximum + 1];
        store().write(key(1), States.of("before"), Durability.FORCED);
        List<Consumer<ObjectStore>> writes = List.of(
                store -> store.write(key(1), tooLarge, Durability.FORCED),
                store -> store.write(key(1), tooLarge, Durability.DEFERRED),
                store -> StoreCall.await(store.writeAsync(key(1), tooLarge)),
                store -> store.writeShadow(key(1), tooLarge, Durability.FORCED),
                store -> store.writeShadow(key(1), tooLarge, Durability.DEFERRED));
        for (Consumer<ObjectStore> write : writes) {
            assertThatThrownBy(() -> write.accept(store()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(String.valueOf(maximum + 1))
                    .hasMessageContaining(String.valueOf(maximum));
        }
        subject().nowAndAfterReopening(store -> {
            assertThat(store.read(key(1))).contains(States.of("before"));
            assertThat(store.statusOf(key(1))).isEqualTo(StateStatus.COMMITTED);
        });
        assertThatCode(() -> store().write(key(1), States.of("after"), Durability.FORCED))
                .doesNotThrowAnyException();
    }

    @TestFactory
    default Stream<DynamicTest> nullIsRefusedByEveryMethod() {
        byte[] state = States.of("state");
        StateKey key = key(1);
        Map<String, Consumer<ObjectStore>> calls = new TreeMap<>();
        calls.put("write, no key", store -> store.write(null, state, Durability.FORCED));
        calls.put("write, no state", store -> store.write(key, null, Durability.FORCED));
        calls.put("write, no durability", store -> store.write(key, state, null));
        calls.put("writeAsync, no key", store -> StoreCall.await(store.writeAsync(null, state)));
        calls.put("writeAsync, no state", store -> StoreCall.await(store.writeAsync(key, null)));
        calls.put("remove, no key", store -> store.remove(null, Durability.FORCED));
        calls.put("remove, no durability", store -> store.remove(key, null));
        calls.put("writeShadow, no key", store -> store.writeShadow(null, state, Durability.FORCED));
        calls.put("writeShadow, no state", store -> store.writeShadow(key, null, Durability.FORCED));
        calls.put("writeShadow, no durability", store -> store.writeShadow(key, state, null));
        calls.put("readShadow, no key", store -> store.readShadow(null));
        calls.put("commitShadow, no key", store -> store.commitShadow(null, Durability.FORCED));
        calls.put("commitShadow, no durability", store -> store.commitShadow(key, null));
        calls.put("discardShadow, no key", store -> store.discardShadow(null, Durability.FORCED));
        calls.put("discardShadow, no durability", store -> store.discardShadow(key, null));
        calls.put("keys, no type", store -> store.keys(null));
        calls.put("read, no key", store -> store.read(null));
        calls.put("statusOf, no key", store -> store.statusOf(null));
        calls.put("hide, no key", store -> store.hide(null));
        calls.put("reveal, no key", store -> store.reveal(null));
        return calls.entrySet().stream()
                .map(entry -> dynamicTest(entry.getKey(), () -> {
                    store().write(key, state, Durability.DEFERRED);
                    store().writeShadow(key, state, Durability.DEFERRED);
                    assertThatThrownBy(() -> entry.getValue().accept(store())).isInstanceOf(NullPointerException.class);
                    assertThat(store().read(key)).contains(state);
                    assertThat(store().readShadow(key)).contains(state);
                }));
    }
}
