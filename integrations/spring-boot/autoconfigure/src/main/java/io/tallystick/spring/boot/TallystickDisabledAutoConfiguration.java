package io.tallystick.spring.boot;

import dev.snowdrop.boot.narayana.core.properties.NarayanaPropertiesInitializer;
import io.tallystick.narayana.logs.UnservedLog;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * The starter while {@code tallystick.enabled=false}: it opens nothing, and warns of transactions that the application
 * has left in the store which the properties name.
 */
@AutoConfiguration(afterName = "dev.snowdrop.boot.narayana.autoconfigure.NarayanaAutoConfiguration")
@ConditionalOnClass({UnservedLog.class, NarayanaPropertiesInitializer.class})
@ConditionalOnBooleanProperty(name = "tallystick.enabled", havingValue = false)
@ConditionalOnBean(value = NarayanaPropertiesInitializer.class, search = SearchStrategy.CURRENT)
public final class TallystickDisabledAutoConfiguration {
    @Bean
    UnservedLogWarning tallystickUnservedLogWarning(
            ConfigurableEnvironment environment, NarayanaPropertiesInitializer afterNarayanasProperties) {
        UnservedLogWarning warning = new UnservedLogWarning(environment);
        warning.awaitLook();
        return warning;
    }

    /** The warning comes at the start, also where beans are made lazily. */
    @Bean
    static LazyInitializationExcludeFilter tallystickWarningIsNotLazy() {
        return LazyInitializationExcludeFilter.forBeanTypes(UnservedLogWarning.class);
    }
}
