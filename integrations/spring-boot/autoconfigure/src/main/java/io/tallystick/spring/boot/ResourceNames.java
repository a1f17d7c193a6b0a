package io.tallystick.spring.boot;

import com.arjuna.ats.internal.jta.recovery.arjunacore.XARecoveryModule;
import com.arjuna.ats.jta.recovery.XAResourceRecoveryHelper;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.beans.factory.support.SimpleInstantiationStrategy;

/**
 * The names of a context's XA resources: of data sources and of connection factories, because the log does not tell
 * the two kinds apart. A name comes from the {@code @Bean} method that is running, or from the caller.
 *
 * <p>When the context is closed, recovery asks its resources no more, and the names are free again.
 */
final class ResourceNames implements DisposableBean {
    private final ConfigurableListableBeanFactory beans;
    private final XARecoveryModule recovery;
    // Guarded by this.
    private final Map<String, Object> named = new HashMap<>();
    private final List<XAResourceRecoveryHelper> helpers = new ArrayList<>();

    ResourceNames(ConfigurableListableBeanFactory beans, XARecoveryModule recovery) {
        this.beans = beans;
        this.recovery = recovery;
    }

    /** Wraps a resource under a name, and registers it with the recovery that it is given. */
    @FunctionalInterface
    interface Wrapping<T> {
        T wrap(String name, XARecoveryModule recovery) throws Exception;
    }

    /**
     * Wraps the resource under the name of the bean whose {@code @Bean} method is running.
     *
     * @param kind what the resource is, for the message
     * @throws StartRefusedException no such method is running, or its bean has wrapped another resource before
     */
    <T> T wrapInBean(Object resource, String kind, Wrapping<T> wrapping) throws Exception {
        String bean = beanInCreation();
        if (bean == null) {
            throw refused("an " + kind + " was wrapped outside of a @Bean method, so it has no name");
        }
        return wrap(bean, resource, beans.getMergedBeanDefinition(bean).isSingleton(), wrapping);
    }

    /**
     * Wraps the resource under this name.
     *
     * @throws StartRefusedException another resource has it
     */
    <T> T wrap(String name, Object resource, Wrapping<T> wrapping) throws Exception {
        return wrap(name, resource, true, wrapping);
    }

    private synchronized <T> T wrap(String name, Object resource, boolean isSingle, Wrapping<T> wrapping)
            throws Exception {
        Object other = named.putIfAbsent(name, resource);
        if (isSingle && other != null && other != resource) {
            throw refused("two XA resources have the name '" + name + "'");
        }
        return wrapping.wrap(name, new Noting());
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
                "Wrap each XA data source and each XA connection factory in a @Bean method of its own. Or inject"
                        + " BeanNamedXADataSourceWrapper or BeanNamedXAConnectionFactoryWrapper, and give the name:"
                        + " wrapDataSource(name, dataSource), wrapConnectionFactory(name, connectionFactory)."
                        + " tallystick.name-resources=false leaves the names to Narayana's starter again, which is not"
                        + " safe with two resources.",
                null);
    }

    @Override
    public synchronized void destroy() {
        helpers.forEach(recovery::removeXAResourceRecoveryHelper);
        helpers.clear();
        named.clear();
    }

    /**
     * Stands for recovery while Narayana's starter registers a resource there, to learn what it registers. It is
     * called by the thread that wraps, which has the lock.
     */
    private final class Noting extends XARecoveryModule {
        @Override
        public void addXAResourceRecoveryHelper(XAResourceRecoveryHelper helper) {
            recovery.addXAResourceRecoveryHelper(helper);
            helpers.add(helper);
        }
    }
}
