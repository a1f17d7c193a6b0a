package io.tallystick.quarkus;

import io.tallystick.narayana.NarayanaHealth;
import io.tallystick.store.ObjectStore;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Liveness;

/** DOWN only when the store has failed stop: a new start of the process is then the one remedy. */
@Liveness
@ApplicationScoped
public class StoreLiveness implements HealthCheck {
    private final ObjectStore store;

    /** @param store the log of the transaction manager */
    @Inject
    public StoreLiveness(ObjectStore store) {
        this.store = store;
    }

    @Override
    public HealthCheckResponse call() {
        NarayanaHealth health = NarayanaHealth.of(store);
        return StoreReadiness.response("tallystickLiveness", health, !health.isFailed());
    }
}
