package io.tallystick.spring.boot;

import com.arjuna.ats.jbossatx.jta.RecoveryManagerService;
import dev.snowdrop.boot.narayana.core.properties.NarayanaPropertiesInitializer;
import io.tallystick.narayana.NarayanaStores;
import io.tallystick.narayana.ReaperSettings;
import io.tallystick.store.StoreConfiguration;
import jakarta.jms.ConnectionFactory;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.UserTransaction;
import java.util.Set;
import javax.sql.DataSource;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * A Tallystick store for Narayana. It is opened and installed after Narayana's properties are set and before its
 * recovery and its transaction manager start; the order of the beans says so. It is closed after them.
 */
@AutoConfiguration(afterName = "dev.snowdrop.boot.narayana.autoconfigure.NarayanaAutoConfiguration")
@ConditionalOnClass({NarayanaStores.class, NarayanaPropertiesInitializer.class})
@ConditionalOnBooleanProperty(name = "tallystick.enabled", matchIfMissing = true)
@ConditionalOnBean(value = NarayanaPropertiesInitializer.class, search = SearchStrategy.CURRENT)
@EnableConfigurationProperties(TallystickProperties.class)
public final class TallystickAutoConfiguration {
    private static final String STORES = "tallystickStores";
    private static final String REAPER = "tallystickReaper";
    private static final String DRAINED = "tallystickDrainedProcess";

    /** The store, for as long as this context lives. */
    @Bean(name = STORES, destroyMethod = "close")
    @ConditionalOnMissingBean
    NarayanaStores tallystickStores(
            TallystickProperties properties,
            ConfigurableEnvironment environment,
            ConfigurableListableBeanFactory beans,
            NarayanaPropertiesInitializer afterNarayanasProperties) {
        UnknownProperties.check(environment);
        return Refusals.explained(() -> {
            StoreConfiguration configuration = properties.toConfiguration(
                    UnknownProperties.ofServices(environment), UnknownProperties.ofOtherStores(environment));
            Set<NarayanaStores.Role> roles = StoreChoice.roles();
            return isOfSpringApplication(beans)
                    ? NarayanaStores.installQuietly(configuration, roles)
                    : NarayanaStores.install(configuration, roles);
        });
    }

    /** Whether a failure analysis prints why the context does not start. A context that a program makes has none. */
    private static boolean isOfSpringApplication(ConfigurableListableBeanFactory beans) {
        return beans.containsLocalBean("springApplicationArguments"); // a parent's analysis does not see this context
    }

    @Bean
    static DependentBeans recoveryAfterTallystick() {
        return new DependentBeans(RecoveryManagerService.class, STORES);
    }

    @Bean
    static DependentBeans transactionManagerAfterTallystick() {
        return new DependentBeans(TransactionManager.class, STORES);
    }

    @Bean
    static DependentBeans userTransactionAfterTallystick() {
        return new DependentBeans(UserTransaction.class, STORES);
    }

    @Bean
    static DependentBeans synchronizationRegistryAfterTallystick() {
        return new DependentBeans(TransactionSynchronizationRegistry.class, STORES);
    }

    /** An unusable disk stops the start also where beans are made lazily. */
    @Bean
    static LazyInitializationExcludeFilter tallystickIsNotLazy() {
        return LazyInitializationExcludeFilter.forBeanTypes(NarayanaStores.class);
    }

    /** Recovery runs also where beans are made lazily, and knows each resource though nobody has called it yet. */
    @Bean
    static LazyInitializationExcludeFilter tallystickRecoveryIsNotLazy() {
        return LazyInitializationExcludeFilter.forBeanTypes(RecoveryManagerService.class, DataSource.class);
    }

    /** The same for brokers, where there is JMS. */
    @ConditionalOnClass(ConnectionFactory.class)
    static class BrokersConfiguration {
        @Bean
        static LazyInitializationExcludeFilter tallystickBrokersAreNotLazy() {
            return LazyInitializationExcludeFilter.forBeanTypes(ConnectionFactory.class);
        }
    }

    /** The drain on shutdown, where it is asked for. */
    @ConditionalOnBooleanProperty(name = "tallystick.drain.on-shutdown")
    static class DrainConfiguration {
        @Bean(name = DRAINED, destroyMethod = "close")
        DrainedProcess tallystickDrainedProcess() {
            return new DrainedProcess();
        }

        @Bean
        static DependentBeans tallystickAfterDrainedProcess() {
            return new DependentBeans(NarayanaStores.class, DRAINED);
        }

        @Bean
        DrainOnShutdown tallystickDrainOnShutdown(
                NarayanaStores stores, DrainedProcess process, TallystickProperties properties) {
            return new DrainOnShutdown(stores, process, properties.drain().timeout());
        }
    }

    /** Our reaper, where it is asked for. */
    @ConditionalOnBooleanProperty(name = "tallystick.reaper.enabled")
    static class ReaperConfiguration {
        @Bean(name = REAPER, destroyMethod = "close")
        ReaperInstallation tallystickReaper(TallystickProperties properties, NarayanaStores stores) {
            return Refusals.explained(() -> ReaperInstallation.install(
                    ReaperSettings.of(properties.reaper().given())));
        }

        @Bean
        static DependentBeans transactionManagerAfterReaper() {
            return new DependentBeans(TransactionManager.class, REAPER);
        }

        @Bean
        static DependentBeans userTransactionAfterReaper() {
            return new DependentBeans(UserTransaction.class, REAPER);
        }
    }
}
