package io.tallystick.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.Durability;
import io.tallystick.store.StateKey;
import io.tallystick.store.spi.TypeCounts;
import io.tallystick.testkit.States;
import io.tallystick.testkit.Threads;
import io.tallystick.testkit.oracle.StoreCall;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Lists of types and keys: each is complete, exact and a snapshot. */
interface ScansContract extends StoreContract {
    @Test
    default void anUnknownTypeHasNoKeys() {
        assertThat(store().keys("/Never/Written")).isEmpty();
        store().write(subject().key("/Known/Type", 1), States.of("x"), Durability.FORCED);
        assertThat(store().keys("/Never/Written")).isEmpty();
        assertThat(store().keys("/Known")).as("a parent is no type of its own").isEmpty();
        assertThat(store().keys("/Known/Type/Child")).isEmpty();
        assertThat(store().keys("/known/type")).isEmpty();
        assertThat(store().types()).containsExactly("/Known/Type");
    }

    @Test
    default void allKeysOfATypeAreListedOnceWhateverTheirStatus() {
        store().write(key(1), States.of("committed"), Durability.FORCED);
        store().writeShadow(key(2), States.of("shadow"), Durability.FORCED);
        store().write(key(3), States.of("both"), Durability.FORCED);
        store().writeShadow(key(3), States.of("both"), Durability.FORCED);
        store().write(key(4), States.of("hidden"), Durability.FORCED);
        store().hide(key(4));
        store().writeShadow(key(5), States.of("hidden shadow"), Durability.FORCED);
        store().hide(key(5));
        store().write(key(6), States.of("removed"), Durability.FORCED);
        store().remove(key(6), Durability.FORCED);
        subject().nowAndAfterReopening(store -> {
            assertThat(store.keys(StoreUnderTest.TYPE))
                    .containsExactlyInAnyOrder(key(1), key(2), key(3), key(4), key(5));
            assertThat(store.types()).containsExactly(StoreUnderTest.TYPE);
        });
    }

    @Test
    default void theCountsOfTheTypesAreThoseOfTheLists() {
        StateKey other = subject().key("/Other/Type", 1);
        store().write(key(1), States.of("committed"), Durability.FORCED);
        store().write(key(1), States.of("again"), Durability.DEFERRED);
        store().writeShadow(key(2), States.of("shadow"), Durability.DEFERRED);
        store().commitShadow(key(2), Durability.DEFERRED);
        store().writeShadow(key(3), States.of("hidden shadow"), Durability.FORCED);
        store().hide(key(3));
        store().writeShadow(key(4), States.of("discarded"), Durability.FORCED);
        store().discardShadow(key(4), Durability.FORCED);
        store().write(key(5), States.of("removed"), Durability.FORCED);
        store().remove(key(5), Durability.DEFERRED);
        store().remove(key(5), Durability.FORCED);
        StoreCall.await(store().writeAsync(other, States.of("asynchronous")));
        subject().nowAndAfterReopening(store -> assertThat(store.countByType())
                .isEqualTo(Map.of(StoreUnderTest.TYPE, 3, other.type(), 1)));
        store().remove(other, Durability.FORCED);
        subject().nowAndAfterReopening(store -> assertThat(store.countByType())
                .isEqualTo(Map.of(StoreUnderTest.TYPE, 3)));
    }

    @Test
    default void aListOfAtMostSoManyKeysHasThatManyIfThereAre() {
        for (int i = 0; i < 5; i++) {
            store().write(key(i), States.of("state"), Durability.DEFERRED);
            store().write(subject().key("/Other", i), States.of("other"), Durability.DEFERRED);
        }
        store().remove(key(0), Durability.DEFERRED);
        assertThat(store().keys(StoreUnderTest.TYPE, 3))
                .hasSize(3)
                .doesNotHaveDuplicates()
                .isSubsetOf(key(1), key(2), key(3), key(4));
        assertThat(store().keys(StoreUnderTest.TYPE, 4)).containsExactlyInAnyOrder(key(1), key(2), key(3), key(4));
        assertThat(store().keys(StoreUnderTest.TYPE, 100)).hasSize(4);
        assertThat(store().keys(StoreUnderTest.TYPE, 0)).isEmpty();
        assertThat(store().keys("/Never/Written", 3)).isEmpty();
        assertThatThrownBy(() -> store().keys(StoreUnderTest.TYPE, -1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    default void theCountIsExactAfterManyThreadsHaveChangedTheSameKeys() {
        Threads.run(4, thread -> {
            for (int i = 0; i < 200; i++) {
                StateKey shared = key(i % 7);
                store().write(shared, States.of("shared"), Durability.DEFERRED);
                store().writeShadow(shared, States.of("shadow"), Durability.DEFERRED);
                store().remove(shared, Durability.DEFERRED);
                store().discardShadow(shared, Durability.DEFERRED);
            }
        });
        store().write(key(1_000), States.of("last"), Durability.FORCED);
        Map<String, Integer> listed = TypeCounts.listed(store());
        subject().nowAndAfterReopening(store -> assertThat(store.countByType()).isEqualTo(listed));
    }

    @Test
    default void aTypeIsListedWhileItHasAKey() {
        store().write(subject().key("/T", 1), States.of("1"), Durability.DEFERRED);
        store().writeShadow(subject().key("/T", 2), States.of("2"), Durability.DEFERRED);
        store().hide(subject().key("/T", 2));
        store().remove(subject().key("/T", 1), Durability.DEFERRED);
        subject().nowAndAfterReopening(store -> assertThat(store.types()).containsExactly("/T"));
        store().discardShadow(subject().key("/T", 2), Durability.DEFERRED);
        subject().nowAndAfterReopening(store -> assertThat(store.types()).isEmpty());
        store().write(subject().key("/T", 1), States.of("again"), Durability.DEFERRED);
        subject().nowAndAfterReopening(store -> assertThat(store.types()).containsExactly("/T"));
    }

    @Test
    default void listsAreSnapshots() {
        store().write(subject().key("/A", 1), States.of("1"), Durability.FORCED);
        Set<String> types = store().types();
        List<StateKey> keys = store().keys("/A");
        store().write(subject().key("/A", 2), States.of("2"), Durability.FORCED);
        store().write(subject().key("/B", 1), States.of("3"), Durability.FORCED);
        store().remove(subject().key("/A", 1), Durability.FORCED);
        assertThat(types).containsExactly("/A");
        assertThat(keys).containsExactly(subject().key("/A", 1));
    }

    @Test
    default void thousandsOfKeysAreListed() {
        List<StateKey> keys = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            StateKey key = subject().key("/Many/" + i % 3, i);
            keys.add(key);
            store().write(key, States.of("state " + i), Durability.DEFERRED);
        }
        store().force();
        subject().nowAndAfterReopening(store -> {
            Set<StateKey> listed = new HashSet<>();
            store.types().forEach(type -> listed.addAll(store.keys(type)));
            assertThat(listed).hasSize(keys.size()).containsAll(keys);
        });
    }

    @Test
    default void aScanDuringWritesShowsEveryKeyThatWasThereThroughout() {
        List<StateKey> lasting = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            lasting.add(key(i));
            store().write(key(i), States.of("lasting"), Durability.DEFERRED);
        }
        AtomicBoolean stop = new AtomicBoolean();
        Threads.run(3, thread -> {
            if (thread == 0) {
                try {
                    for (int i = 0; i < 100; i++) {
                        assertThat(store().keys(StoreUnderTest.TYPE))
                                .containsAll(lasting)
                                .doesNotHaveDuplicates();
                        assertThat(store().types()).contains(StoreUnderTest.TYPE);
                    }
                } finally {
                    stop.set(true);
                }
            } else {
                for (int i = 0; !stop.get(); i = (i + 1) % 100) {
                    StateKey passing = key(1_000L * thread + i);
                    store().write(passing, States.of("passing"), Durability.DEFERRED);
                    store().remove(passing, Durability.DEFERRED);
                }
            }
        });
        assertThat(store().keys(StoreUnderTest.TYPE)).containsExactlyInAnyOrderElementsOf(lasting);
    }
}
