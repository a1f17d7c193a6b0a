package io.tallystick.quarkus;

import io.tallystick.narayana.NarayanaHealth;
import io.tallystick.store.ObjectStore;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;

/** Whether transactions can be logged, with the figures of the log. A drain makes it DOWN. */
@Readiness
@ApplicationScoped
public class StoreReadiness implements HealthCheck {
    private final ObjectStore store;

    /** @param store the log of the transaction manager */
    @Inject
    public StoreReadiness(ObjectStore store) {
        this.store = store;
    }

    @Override
    public HealthCheckResponse call() {
        NarayanaHealth health = NarayanaHealth.of(store);
        return response("tallystick", health, health.isServing());
    }

    static HealthCheckResponse response(String name, NarayanaHealth health, boolean isUp) {
        HealthCheckResponseBuilder response = HealthCheckResponse.named(name).status(isUp);
        health.details().forEach((key, figure) -> {
            if (figure instanceof Long number) {
                response.withData(key, number);
            } else {
                response.withData(key, figure.toString());
            }
        });
        return response.build();
    }
}
