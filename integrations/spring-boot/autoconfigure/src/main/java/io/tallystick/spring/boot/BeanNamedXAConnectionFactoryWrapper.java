package io.tallystick.spring.boot;

import com.arjuna.ats.internal.jta.recovery.arjunacore.XARecoveryModule;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.XAConnectionFactory;
import org.springframework.boot.jms.XAConnectionFactoryWrapper;

/**
 * Wraps XA connection factories for Narayana as its starter does, but gives each the name of the bean that it becomes.
 *
 * <p><b>Why.</b> The log keeps the name of each resource. Recovery takes a branch for finished when it does not find
 * the branch and has reached a resource of that name. The starter gives a connection factory no name. So a record
 * whose branches are all committed stays in the log after a crash. Where {@code narayana.messaginghub.enabled} is true,
 * it gives all of them one name. So with two, of which one cannot be reached for a moment, recovery drops a record
 * whose branch is still prepared.
 *
 * <p>A name must be the same after a restart. It comes from the {@code @Bean} method that is running. Code that wraps a
 * connection factory elsewhere, or two of them in one bean, calls {@link #wrapConnectionFactory(String,
 * XAConnectionFactory)}.
 *
 * <p>When its context is closed, recovery asks these connection factories no more. A later context of the process may
 * have one of the same name.
 */
public final class BeanNamedXAConnectionFactoryWrapper implements XAConnectionFactoryWrapper {
    private final ResourceNames names;
    private final Naming naming;

    BeanNamedXAConnectionFactoryWrapper(ResourceNames names, Naming naming) {
        this.names = names;
        this.naming = naming;
    }

    /** Makes what Narayana's starter wraps connection factories with, for one name. */
    @FunctionalInterface
    interface Naming {
        XAConnectionFactoryWrapper wrapperOf(String name, XARecoveryModule recovery);
    }

    /**
     * Wraps the connection factory under the name of the bean whose {@code @Bean} method calls this.
     *
     * @throws IllegalStateException no such method is running, or its bean has wrapped another XA resource before
     */
    @Override
    public ConnectionFactory wrapConnectionFactory(XAConnectionFactory connectionFactory) throws Exception {
        return names.wrapInBean(
                connectionFactory, "XA connection factory", (name, recovery) -> naming.wrapperOf(name, recovery)
                        .wrapConnectionFactory(connectionFactory));
    }

    /**
     * Wraps the connection factory under a name. It must be the same after a restart, and another one for each XA
     * resource.
     *
     * @throws IllegalStateException another XA resource has this name
     */
    public ConnectionFactory wrapConnectionFactory(String name, XAConnectionFactory connectionFactory)
            throws Exception {
        return names.wrap(name, connectionFactory, (same, recovery) -> naming.wrapperOf(same, recovery)
                .wrapConnectionFactory(connectionFactory));
    }
}
