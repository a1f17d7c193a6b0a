package io.tallystick.quarkus;

import io.micrometer.core.instrument.Metrics;
import io.quarkus.runtime.RuntimeValue;
import io.quarkus.runtime.metrics.MetricsFactory;
import io.tallystick.micrometer.InDoubtMetrics;
import io.tallystick.micrometer.StoreMetrics;
import io.tallystick.narayana.doubt.InDoubtLook;
import io.tallystick.store.ObjectStore;
import java.util.function.Consumer;

/** Binds the metrics of the store to the registries of Micrometer. Loaded only where Micrometer is there. */
final class StoreMeters implements Consumer<MetricsFactory> {
    private final RuntimeValue<ObjectStore> store;

    StoreMeters(RuntimeValue<ObjectStore> store) {
        this.store = store;
    }

    @Override
    public void accept(MetricsFactory factory) {
        if (factory.metricsSystemSupported(MetricsFactory.MICROMETER)) {
            ObjectStore log = store.getValue();
            new StoreMetrics(log).bindTo(Metrics.globalRegistry);
            new InDoubtMetrics(log, InDoubtLook.of(log)::look).bindTo(Metrics.globalRegistry);
        }
    }
}
