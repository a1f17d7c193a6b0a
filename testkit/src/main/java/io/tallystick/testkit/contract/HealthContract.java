package io.tallystick.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.Durability;
import io.tallystick.store.StoreHealth;
import io.tallystick.testkit.States;
import org.junit.jupiter.api.Test;

/** The answers to a health check of an open and of a closed store. */
interface HealthContract extends StoreContract {
    @Test
    default void aStoreThatIsOpenAndSoundServes() {
        store().write(key(1), States.of("state"), Durability.FORCED);

        StoreHealth health = store().health();

        assertThat(health.state()).isEqualTo(StoreHealth.State.OPEN);
        assertThat(health.failure()).isEmpty();
        assertThat(health.isServing()).isTrue();
    }

    @Test
    default void aClosedStoreSaysThatItIsClosedAndThrowsNothing() {
        store().close();

        StoreHealth health = store().health();

        assertThat(health.state()).isEqualTo(StoreHealth.State.CLOSED);
        assertThat(health.isServing()).isFalse();
    }
}
