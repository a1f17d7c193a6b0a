package io.tallystick.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tallystick.store.Durability;
import io.tallystick.store.StateStatus;
import io.tallystick.testkit.States;
import org.junit.jupiter.api.Test;

/** Deferred effects, {@code force}, and the states after closing. Other suites test crashes. */
interface DurabilityContract extends StoreContract {
    @Test
    default void deferredEffectsAreSeenAtOnce() {
        store().write(key(1), States.of("a"), Durability.DEFERRED);
        assertThat(store().read(key(1))).contains(States.of("a"));
        store().writeShadow(key(1), States.of("b"), Durability.DEFERRED);
        assertThat(store().readShadow(key(1))).contains(States.of("b"));
        store().commitShadow(key(1), Durability.DEFERRED);
        assertThat(store().read(key(1))).contains(States.of("b"));
        store().writeShadow(key(1), States.of("c"), Durability.DEFERRED);
        store().discardShadow(key(1), Durability.DEFERRED);
        assertThat(store().statusOf(key(1))).isEqualTo(StateStatus.COMMITTED);
        store().remove(key(1), Durability.DEFERRED);
        assertThat(store().statusOf(key(1))).isEqualTo(StateStatus.ABSENT);
    }

    @Test
    default void closingKeepsWhatWasDeferred() {
        store().write(key(1), States.of("kept"), Durability.DEFERRED);
        store().write(key(2), States.of("removed"), Durability.FORCED);
        store().remove(key(2), Durability.DEFERRED);
        store().writeShadow(key(3), States.of("shadow"), Durability.DEFERRED);
        store().commitShadow(key(3), Durability.DEFERRED);
        subject().nowAndAfterReopening(store -> {
            assertThat(store.read(key(1))).contains(States.of("kept"));
            assertThat(store.statusOf(key(2))).isEqualTo(StateStatus.ABSENT);
            assertThat(store.read(key(3))).contains(States.of("shadow"));
        });
    }

    @Test
    default void forceOnAnIdleStoreReturns() {
        store().force();
        store().force();
        store().write(key(1), States.of("deferred"), Durability.DEFERRED);
        store().force();
        store().force();
        subject().nowAndAfterReopening(store -> assertThat(store.read(key(1))).contains(States.of("deferred")));
    }

    @Test
    default void forcedAndDeferredEffectsOnOneKeyKeepTheirOrder() {
        store().write(key(1), States.of("1"), Durability.FORCED);
        store().write(key(1), States.of("2"), Durability.DEFERRED);
        store().write(key(1), States.of("3"), Durability.FORCED);
        store().write(key(2), States.of("1"), Durability.DEFERRED);
        store().remove(key(2), Durability.FORCED);
        store().write(key(3), States.of("1"), Durability.FORCED);
        store().remove(key(3), Durability.DEFERRED);
        store().write(key(3), States.of("2"), Durability.FORCED);
        store().write(key(4), States.of("1"), Durability.FORCED);
        store().write(key(4), States.of("2"), Durability.DEFERRED);
        subject().nowAndAfterReopening(store -> {
            assertThat(store.read(key(1))).contains(States.of("3"));
            assertThat(store.statusOf(key(2))).isEqualTo(StateStatus.ABSENT);
            assertThat(store.read(key(3))).contains(States.of("2"));
            assertThat(store.read(key(4))).contains(States.of("2"));
        });
    }

    @Test
    default void aStoreGrowsOldOverManyLives() {
        assumeTrue(subject().isDurable(), "skipped: the store is not durable, it has one life");
        for (int life = 0; life < 10; life++) {
            store().write(key(life), States.of("life " + life), Durability.FORCED);
            if (life >= 2) {
                assertThat(store().remove(key(life - 2), life % 2 == 0 ? Durability.FORCED : Durability.DEFERRED))
                        .isTrue();
            }
            subject().reopened();
            assertThat(store().read(key(life))).contains(States.of("life " + life));
            assertThat(store().keys(StoreUnderTest.TYPE)).hasSize(Math.min(life + 1, 2));
        }
    }

    @Test
    default void onceRemovedAStateNeverComesBack() {
        for (int i = 0; i < 200; i++) {
            store().write(key(i), States.random(600, i), Durability.DEFERRED);
            store().remove(key(i), i % 2 == 0 ? Durability.DEFERRED : Durability.FORCED);
        }
        subject().nowAndAfterReopening(store -> assertThat(store.types()).isEmpty());
        subject().nowAndAfterReopening(store -> assertThat(store.statistics().records())
                .isZero());
    }
}
