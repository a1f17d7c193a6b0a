package io.tallystick.spring.boot;

import com.arjuna.ats.arjuna.recovery.RecoveryManager;
import com.arjuna.ats.internal.jta.recovery.arjunacore.XARecoveryModule;
import com.arjuna.ats.jbossatx.jta.RecoveryManagerService;
import dev.snowdrop.boot.narayana.core.properties.NarayanaProperties;
import io.tallystick.narayana.NarayanaStores;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.jdbc.XADataSourceWrapper;
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

    /** Names XA data sources after their beans. */
    @ConditionalOnClass(XADataSourceWrapper.class)
    @ConditionalOnBooleanProperty(name = "tallystick.name-resources", matchIfMissing = true)
    @ConditionalOnMissingBean(XADataSourceWrapper.class)
    static class JdbcConfiguration {
        @Bean
        BeanNamedXADataSourceWrapper xaDataSourceWrapper(
                ConfigurableListableBeanFactory beans, NarayanaProperties properties, XARecoveryModule recovery) {
            return new BeanNamedXADataSourceWrapper(beans, properties, recovery);
        }
    }
}
