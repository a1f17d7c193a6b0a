package io.tallystick.spring.boot;

import com.arjuna.ats.arjuna.recovery.RecoveryManager;
import com.arjuna.ats.internal.jta.recovery.arjunacore.XARecoveryModule;
import com.arjuna.ats.jbossatx.jta.RecoveryManagerService;
import dev.snowdrop.boot.narayana.core.jms.PooledXAConnectionFactoryWrapper;
import dev.snowdrop.boot.narayana.core.properties.MessagingHubConnectionFactoryProperties;
import dev.snowdrop.boot.narayana.core.properties.NarayanaProperties;
import io.tallystick.narayana.NarayanaStores;
import jakarta.jms.Message;
import jakarta.transaction.TransactionManager;
import org.apache.commons.pool2.PooledObject;
import org.messaginghub.pooled.jms.JmsPoolConnectionFactory;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.jdbc.XADataSourceWrapper;
import org.springframework.boot.jms.XAConnectionFactoryWrapper;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * What recovery needs in the place of the beans of Narayana's starter: names of resources, and a recovery that several
 * contexts share. Comes before the starter's configuration, which then leaves these beans out.
 */
@AutoConfiguration(
        beforeName = {
            "dev.snowdrop.boot.narayana.autoconfigure.NarayanaAutoConfiguration",
            "org.springframework.boot.transaction.jta.autoconfigure.JtaAutoConfiguration"
        })
@ConditionalOnClass({NarayanaStores.class, NarayanaProperties.class, XARecoveryModule.class})
@ConditionalOnBooleanProperty(name = "tallystick.enabled", matchIfMissing = true)
// As Narayana's starter: without its transaction manager there is nothing to recover.
@ConditionalOnBooleanProperty(name = "spring.jta.enabled", matchIfMissing = true)
@ConditionalOnMissingBean(PlatformTransactionManager.class)
public final class TallystickRecoveryAutoConfiguration {
    @Bean(destroyMethod = "stop")
    @ConditionalOnMissingBean
    RecoveryManagerService recoveryManagerService(NarayanaStores stores) {
        RecoveryManager.delayRecoveryManagerThread();
        RecoveryManagerService recovery = new SharedRecovery(stores);
        recovery.create();
        recovery.start();
        return recovery;
    }

    @Bean
    @ConditionalOnBooleanProperty(name = "tallystick.name-resources", matchIfMissing = true)
    ResourceNames tallystickResourceNames(ConfigurableListableBeanFactory beans, XARecoveryModule recovery) {
        return new ResourceNames(beans, recovery);
    }

    /** Names XA data sources after their beans. */
    @ConditionalOnClass(XADataSourceWrapper.class)
    @ConditionalOnBooleanProperty(name = "tallystick.name-resources", matchIfMissing = true)
    @ConditionalOnMissingBean(XADataSourceWrapper.class)
    static class JdbcConfiguration {
        @Bean
        BeanNamedXADataSourceWrapper xaDataSourceWrapper(ResourceNames names, NarayanaProperties properties) {
            return new BeanNamedXADataSourceWrapper(names, properties);
        }
    }

    /** Names XA connection factories after their beans. */
    @ConditionalOnClass({Message.class, XAConnectionFactoryWrapper.class})
    @ConditionalOnBooleanProperty(name = "tallystick.name-resources", matchIfMissing = true)
    @ConditionalOnBooleanProperty(name = "narayana.messaginghub.enabled", havingValue = false, matchIfMissing = true)
    @ConditionalOnMissingBean(XAConnectionFactoryWrapper.class)
    static class JmsConfiguration {
        @Bean
        BeanNamedXAConnectionFactoryWrapper xaConnectionFactoryWrapper(
                ResourceNames names, NarayanaProperties properties, TransactionManager transactions) {
            return new BeanNamedXAConnectionFactoryWrapper(
                    names,
                    (name, recovery) -> new NamedConnectionFactoryWrapper(
                            name, transactions, recovery, properties.getRecoveryJmsCredentials()));
        }
    }

    /** Names XA connection factories that are pooled after their beans. */
    @ConditionalOnClass({
        Message.class,
        XAConnectionFactoryWrapper.class,
        JmsPoolConnectionFactory.class,
        PooledObject.class
    })
    @ConditionalOnBooleanProperty(name = "tallystick.name-resources", matchIfMissing = true)
    @ConditionalOnBooleanProperty(name = "narayana.messaginghub.enabled")
    @ConditionalOnMissingBean(XAConnectionFactoryWrapper.class)
    static class PooledJmsConfiguration {
        @Bean
        BeanNamedXAConnectionFactoryWrapper xaConnectionFactoryWrapper(
                ResourceNames names, NarayanaProperties properties, TransactionManager transactions) {
            return new BeanNamedXAConnectionFactoryWrapper(
                    names,
                    (name, recovery) -> new PooledXAConnectionFactoryWrapper(
                            transactions,
                            recovery,
                            named(name, properties.getMessaginghub()),
                            properties.getRecoveryJmsCredentials()));
        }

        private static MessagingHubConnectionFactoryProperties named(
                String name, MessagingHubConnectionFactoryProperties pool) {
            MessagingHubConnectionFactoryProperties named = new MessagingHubConnectionFactoryProperties();
            BeanUtils.copyProperties(pool, named);
            named.setName(name);
            return named;
        }
    }
}
