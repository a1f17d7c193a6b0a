package io.tallystick.spring.boot;

import com.arjuna.ats.internal.jta.recovery.arjunacore.XARecoveryModule;
import com.arjuna.ats.jta.recovery.XAResourceRecoveryHelper;
import dev.snowdrop.boot.narayana.core.jdbc.GenericXADataSourceWrapper;
import dev.snowdrop.boot.narayana.core.properties.NarayanaProperties;
import dev.snowdrop.boot.narayana.core.properties.TransactionalDriverProperties;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import javax.sql.XADataSource;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.beans.factory.support.SimpleInstantiationStrategy;
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
public final class BeanNamedXADataSourceWrapper implements XADataSourceWrapper, DisposableBean {
    private final ConfigurableListableBeanFactory beans;
    private final NarayanaProperties properties;
    private final XARecoveryModule recovery;
    // Guarded by this.
    private final Map<String, XADataSource> named = new HashMap<>();
    private final List<XAResourceRecoveryHelper> helpers = new ArrayList<>();

    BeanNamedXADataSourceWrapper(
            ConfigurableListableBeanFactory beans, NarayanaProperties properties, XARecoveryModule recovery) {
        this.beans = beans;
        this.properties = properties;
        this.recovery = recovery;
    }

    /**
     * Wraps the data source under the name of the bean whose {@code @Bean} method calls this.
     *
     * @throws IllegalStateException no such method is running, or its bean has wrapped another data source before
     */
    @Override
    public DataSource wrapDataSource(XADataSource dataSource) throws Exception {
        String bean = beanInCreation();
        if (bean == null) {
            throw refused("an XA data source was wrapped outside of a @Bean method, so it has no name");
        }
        return wrap(bean, dataSource, beans.getMergedBeanDefinition(bean).isSingleton());
    }

    /**
     * Wraps the data source under a name. It must be the same after a restart, and another one for each data source.
     *
     * @throws IllegalStateException another data source has this name
     */
    public DataSource wrapDataSource(String name, XADataSource dataSource) throws Exception {
        return wrap(name, dataSource, true);
    }

    private synchronized DataSource wrap(String name, XADataSource dataSource, boolean isSingle) throws Exception {
        XADataSource other = named.putIfAbsent(name, dataSource);
        if (isSingle && other != null && other != dataSource) {
            throw refused("two XA data sources have the name '" + name + "'");
        }
        TransactionalDriverProperties driver = new TransactionalDriverProperties();
        driver.setName(name);
        driver.setModifier(properties.getTransactionalDriver().getModifier());
        driver.setPool(properties.getTransactionalDriver().getPool());
        return new GenericXADataSourceWrapper(new Noting(), driver, properties.getRecoveryDbCredentials())
                .wrapDataSource(dataSource);
    }

    private String beanInCreation() {
        Method running = SimpleInstantiationStrategy.getCurrentlyInvokedFactoryMethod();
        if (running == null) {
            return null;
        }
        for (String name : beans.getBeanDefinitionNames()) {
            if (beans.isCurrentlyInCreation(name)) {
                BeanDefinition definition = beans.getMergedBeanDefinition(name);
                if (definition instanceof RootBeanDefinition root && running.equals(root.getResolvedFactoryMethod())) {
                    return name;
                }
            }
        }
        return null;
    }

    private static StartRefusedException refused(String reason) {
        return new StartRefusedException(
                "TALLY0703 " + reason + "; recovery tells resources apart by their names",
                "Wrap each XA data source in a @Bean method of its own, or inject BeanNamedXADataSourceWrapper and call"
                        + " wrapDataSource(name, dataSource). tallystick.name-resources=false gives all of them the"
                        + " name narayana.transactional-driver.name again, which is not safe with two of them.",
                null);
    }

    @Override
    public synchronized void destroy() {
        helpers.forEach(recovery::removeXAResourceRecoveryHelper);
        helpers.clear();
        named.clear();
    }

    /** Stands for recovery while the starter registers a data source there, to learn what it registers. */
    private final class Noting extends XARecoveryModule {
        @Override
        public void addXAResourceRecoveryHelper(XAResourceRecoveryHelper helper) {
            recovery.addXAResourceRecoveryHelper(helper);
            helpers.add(helper);
        }
    }
}
