package io.tallystick.spring.boot;

import io.tallystick.narayana.NarayanaHealth;
import io.tallystick.narayana.NarayanaStores;
import io.tallystick.store.StoreHealth;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

/** Whether transactions can be logged. */
final class TallystickHealthIndicator implements HealthIndicator {
    private final NarayanaStores stores;

    TallystickHealthIndicator(NarayanaStores stores) {
        this.stores = stores;
    }

    /** UP while the store serves, OUT_OF_SERVICE while it is drained, and DOWN otherwise. Never throws. */
    @Override
    public Health health() {
        NarayanaHealth health = stores.health();
        return Health.status(statusOf(health)).withDetails(health.details()).build();
    }

    private static Status statusOf(NarayanaHealth health) {
        if (health.isServing()) {
            return Status.UP;
        }
        return health.store().state() == StoreHealth.State.DRAINING ? Status.OUT_OF_SERVICE : Status.DOWN;
    }
}
