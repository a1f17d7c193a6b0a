package io.tallystick.quarkus.deployment;

import com.arjuna.ats.arjuna.coordinator.ActionManager;
import com.arjuna.ats.arjuna.recovery.RecoveryManager;
import io.quarkus.arc.deployment.SyntheticBeanBuildItem;
import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.Capability;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.annotations.Consume;
import io.quarkus.deployment.annotations.ExecutionTime;
import io.quarkus.deployment.annotations.Record;
import io.quarkus.deployment.builditem.FeatureBuildItem;
import io.quarkus.deployment.builditem.ShutdownContextBuildItem;
import io.quarkus.deployment.builditem.nativeimage.ReflectiveClassBuildItem;
import io.quarkus.deployment.builditem.nativeimage.ServiceProviderBuildItem;
import io.quarkus.deployment.metrics.MetricsCapabilityBuildItem;
import io.quarkus.deployment.metrics.MetricsFactoryConsumerBuildItem;
import io.quarkus.narayana.jta.deployment.NarayanaInitBuildItem;
import io.quarkus.runtime.RuntimeValue;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.runtime.metrics.MetricsFactory;
import io.quarkus.smallrye.health.deployment.spi.HealthBuildItem;
import io.tallystick.narayana.TallystickObjectStore;
import io.tallystick.narayana.TallystickStoreEnvironmentBean;
import io.tallystick.quarkus.StoreLiveness;
import io.tallystick.quarkus.StoreReadiness;
import io.tallystick.quarkus.TallystickBuildTimeConfig;
import io.tallystick.quarkus.TallystickRecorder;
import io.tallystick.store.ObjectStore;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.eclipse.microprofile.config.ConfigProvider;

/**
 * The steps that make a Tallystick store the log of the application that is built. Their order is the point:
 *
 * <ol>
 *   <li>the closing is registered first, so that it runs last;
 *   <li>Narayana sets its directory and its node name;
 *   <li>the store is opened and installed; its bean is one of those that exist only when the application runs;
 *   <li>Narayana starts its recovery, for which Quarkus waits until these beans are there.
 * </ol>
 */
class TallystickProcessor {
    static final String FEATURE = "tallystick";

    private static final List<String> SERVICES = List.of(
            "io.tallystick.store.spi.ObjectStoreProvider",
            "io.tallystick.store.journal.JournalEngine",
            "io.tallystick.storage.DiskDevice");
    private static final String STORE_TYPE = "quarkus.transaction-manager.object-store.type";

    /**
     * Names the extension, unless the application has its log in a database.
     *
     * <p>The type belongs to the application that runs, so the recorder looks at it again there.
     */
    @BuildStep
    FeatureBuildItem feature() {
        Optional<String> type = ConfigProvider.getConfig().getOptionalValue(STORE_TYPE, String.class);
        if (type.filter("jdbc"::equalsIgnoreCase).isPresent()) {
            throw new ConfigurationException(TallystickRecorder.TWO_STORES, Set.of(STORE_TYPE));
        }
        return new FeatureBuildItem(FEATURE);
    }

    @BuildStep
    @Record(ExecutionTime.STATIC_INIT)
    InstalledStoreBuildItem closeLast(TallystickRecorder recorder, ShutdownContextBuildItem shutdown) {
        return new InstalledStoreBuildItem(recorder.place(shutdown));
    }

    @BuildStep
    @Record(ExecutionTime.RUNTIME_INIT)
    @Consume(NarayanaInitBuildItem.class)
    void install(
            TallystickRecorder recorder,
            InstalledStoreBuildItem installed,
            TallystickBuildTimeConfig config,
            Optional<MetricsCapabilityBuildItem> metrics,
            BuildProducer<SyntheticBeanBuildItem> beans,
            BuildProducer<MetricsFactoryConsumerBuildItem> consumers) {
        RuntimeValue<ObjectStore> store = recorder.install(installed.place());
        beans.produce(SyntheticBeanBuildItem.configure(ObjectStore.class)
                .scope(Singleton.class)
                .unremovable()
                .setRuntimeInit()
                .runtimeValue(store)
                .done());
        if (config.metrics().enabled()
                && metrics.filter(system -> system.metricsSupported(MetricsFactory.MICROMETER))
                        .isPresent()) {
            consumers.produce(new MetricsFactoryConsumerBuildItem(recorder.metrics(store), ExecutionTime.RUNTIME_INIT));
        }
    }

    @BuildStep
    void health(Capabilities capabilities, TallystickBuildTimeConfig config, BuildProducer<HealthBuildItem> checks) {
        if (capabilities.isPresent(Capability.SMALLRYE_HEALTH)) {
            boolean isEnabled = config.health().enabled();
            checks.produce(new HealthBuildItem(StoreReadiness.class.getName(), isEnabled));
            checks.produce(new HealthBuildItem(StoreLiveness.class.getName(), isEnabled));
        }
    }

    /** What a native image would need. None was built and tried, so nothing is promised. */
    @BuildStep
    void nativeImage(
            BuildProducer<ReflectiveClassBuildItem> classes, BuildProducer<ServiceProviderBuildItem> services) {
        classes.produce(
                ReflectiveClassBuildItem.builder(TallystickObjectStore.class, TallystickStoreEnvironmentBean.class)
                        .methods()
                        .reason("Narayana makes the adaptor and its bean by reflection")
                        .build());
        classes.produce(ReflectiveClassBuildItem.builder(RecoveryManager.class, ActionManager.class)
                .fields()
                .reason("Only their fields tell whether there is a recovery, and which transactions are open")
                .build());
        for (String service : SERVICES) {
            services.produce(ServiceProviderBuildItem.allProvidersFromClassPath(service));
        }
    }
}
