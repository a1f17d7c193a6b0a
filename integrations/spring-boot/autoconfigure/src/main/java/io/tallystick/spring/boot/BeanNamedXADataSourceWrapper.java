package io.tallystick.spring.boot;

import com.arjuna.ats.internal.jta.recovery.arjunacore.XARecoveryModule;
import dev.snowdrop.boot.narayana.core.jdbc.GenericXADataSourceWrapper;
import dev.snowdrop.boot.narayana.core.properties.NarayanaProperties;
import dev.snowdrop.boot.narayana.core.properties.TransactionalDriverProperties;
import javax.sql.DataSource;
import javax.sql.XADataSource;
import org.springframework.boot.jdbc.XADataSourceWrapper;

/**
 * Wraps XA data sources for Narayana as its starter does, but gives each the name of the bean that it becomes.
 *
 * <p><b>Why.</b> The log keeps the name of each resource. Recovery takes a branch for finished when it does not find
 * the branch and has reached a resource of that name. The starter calls every data source {@code jdbc}. So with two
 * data sources, of which one cannot be reached for a moment, recovery drops a record whose branch is still prepared.
 *
 * <p>A name must be the same after a restart. It comes from the {@code @Bean} method that is running. Code that wraps a
 * data source elsewhere, or two of them in one bean, calls {@link #wrapDataSource(String, XADataSource)}.
 *
 * <p>When its context is closed, recovery asks these data sources no more. A later context of the process may have a
 * data source of the same name.
 */
public final class BeanNamedXADataSourceWrapper implements XADataSourceWrapper {
    private final ResourceNames names;
    private final NarayanaProperties properties;

    BeanNamedXADataSourceWrapper(ResourceNames names, NarayanaProperties properties) {
        this.names = names;
        this.properties = properties;
    }

    /**
     * Wraps the data source under the name of the bean whose {@code @Bean} method calls this.
     *
     * @throws IllegalStateException no such method is running, or its bean has wrapped another XA resource before
     */
    @Override
    public DataSource wrapDataSource(XADataSource dataSource) throws Exception {
        return names.wrapInBean(dataSource, "XA data source", (name, recovery) -> named(name, recovery, dataSource));
    }

    /**
     * Wraps the data source under a name. It must be the same after a restart, and another one for each XA resource.
     *
     * @throws IllegalStateException another XA resource has this name
     */
    public DataSource wrapDataSource(String name, XADataSource dataSource) throws Exception {
        return names.wrap(name, dataSource, (same, recovery) -> named(same, recovery, dataSource));
    }

    private DataSource named(String name, XARecoveryModule recovery, XADataSource dataSource) throws Exception {
        TransactionalDriverProperties driver = new TransactionalDriverProperties();
        driver.setName(name);
        driver.setModifier(properties.getTransactionalDriver().getModifier());
        driver.setPool(properties.getTransactionalDriver().getPool());
        return new GenericXADataSourceWrapper(recovery, driver, properties.getRecoveryDbCredentials())
                .wrapDataSource(dataSource);
    }
}
