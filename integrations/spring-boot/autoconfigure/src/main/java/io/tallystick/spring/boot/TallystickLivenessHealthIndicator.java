package io.tallystick.spring.boot;

import io.tallystick.narayana.NarayanaStores;
import io.tallystick.store.StoreHealth;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** Whether only a restart of the process can mend the store: DOWN when the store has failed, UP otherwise. */
final class TallystickLivenessHealthIndicator implements HealthIndicator {
    private final NarayanaStores stores;

    TallystickLivenessHealthIndicator(NarayanaStores stores) {
        this.stores = stores;
    }

    @Override
    public Health health() {
        StoreHealth health = stores.store().health();
        Health.Builder answer =
                health.state() == StoreHealth.State.FAILED ? new Health.Builder().down() : new Health.Builder().up();
        health.failure().ifPresent(why -> answer.withDetail("failure", why.messageId() + " " + why.getMessage()));
        return answer.build();
    }
}
