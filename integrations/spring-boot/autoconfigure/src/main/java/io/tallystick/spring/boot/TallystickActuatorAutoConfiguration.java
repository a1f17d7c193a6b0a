package io.tallystick.spring.boot;

import io.micrometer.core.instrument.binder.MeterBinder;
import io.tallystick.micrometer.InDoubtMetrics;
import io.tallystick.micrometer.ReaperMetrics;
import io.tallystick.micrometer.StoreMetrics;
import io.tallystick.narayana.NarayanaStores;
import java.util.HashMap;
import java.util.Map;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroupsPostProcessor;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/** Health, the endpoint and the metrics of the store, each where the application has what they need. */
@AutoConfiguration(
        after = TallystickAutoConfiguration.class,
        // It makes the groups of the probes, which this one adds to.
        afterName =
                "org.springframework.boot.health.autoconfigure.actuate.endpoint.AvailabilityProbesAutoConfiguration")
@ConditionalOnBean(NarayanaStores.class)
public final class TallystickActuatorAutoConfiguration {
    /** The health contributors {@code tallystick} and {@code tallystickLiveness}. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
    @ConditionalOnEnabledHealthIndicator("tallystick")
    static class HealthConfiguration {
        @Bean
        @ConditionalOnMissingBean(name = "tallystickHealthIndicator")
        TallystickHealthIndicator tallystickHealthIndicator(NarayanaStores stores) {
            return new TallystickHealthIndicator(stores);
        }

        @Bean
        @ConditionalOnMissingBean(name = "tallystickLivenessHealthIndicator")
        TallystickLivenessHealthIndicator tallystickLivenessHealthIndicator(NarayanaStores stores) {
            return new TallystickLivenessHealthIndicator(stores);
        }
    }

    /** The probes of Kubernetes. A group whose members the application names itself is left as it is. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({HealthEndpointGroupsPostProcessor.class, Endpoint.class})
    @ConditionalOnEnabledHealthIndicator("tallystick")
    static class ProbesConfiguration {
        @Bean
        @Order(Ordered.LOWEST_PRECEDENCE)
        HealthEndpointGroupsPostProcessor tallystickProbes(Environment environment) {
            Map<String, String> added = new HashMap<>();
            addUnlessNamed(environment, added, "readiness", "tallystick");
            addUnlessNamed(environment, added, "liveness", "tallystickLiveness");
            return groups -> new ProbeGroups(groups, added);
        }

        private static void addUnlessNamed(
                Environment environment, Map<String, String> added, String group, String member) {
            boolean isNamed = Binder.get(environment)
                    .bind("management.endpoint.health.group." + group + ".include", Bindable.setOf(String.class))
                    .isBound();
            if (!isNamed) {
                added.put(group, member);
            }
        }
    }

    /** {@code /actuator/tallystick}, {@code /actuator/tallystickInDoubt} and {@code /actuator/tallystickSettle}. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
    static class EndpointConfiguration {
        @Bean
        @ConditionalOnMissingBean
        @ConditionalOnAvailableEndpoint
        TallystickEndpoint tallystickEndpoint(NarayanaStores stores) {
            return new TallystickEndpoint(stores);
        }

        @Bean
        @ConditionalOnMissingBean
        @ConditionalOnAvailableEndpoint
        TallystickInDoubtEndpoint tallystickInDoubtEndpoint(NarayanaStores stores) {
            return new TallystickInDoubtEndpoint(stores);
        }

        @Bean
        @ConditionalOnMissingBean
        @ConditionalOnProperty(name = "tallystick.indoubt.settle", havingValue = "true")
        @ConditionalOnAvailableEndpoint
        TallystickSettleEndpoint tallystickSettleEndpoint(NarayanaStores stores) {
            return new TallystickSettleEndpoint(stores);
        }
    }

    /** The metrics. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({MeterBinder.class, StoreMetrics.class})
    static class MetricsConfiguration {
        @Bean
        @ConditionalOnMissingBean
        StoreMetrics tallystickStoreMetrics(NarayanaStores stores) {
            return new StoreMetrics(stores.store());
        }

        @Bean
        @ConditionalOnMissingBean
        InDoubtMetrics tallystickInDoubtMetrics(NarayanaStores stores) {
            return new InDoubtMetrics(stores.store(), stores.inDoubt()::look);
        }

        @Bean
        @ConditionalOnBean(ReaperInstallation.class)
        @ConditionalOnMissingBean
        ReaperMetrics tallystickReaperMetrics(ReaperInstallation reaper) {
            return new ReaperMetrics(reaper.reaper());
        }
    }
}
