package io.tallystick.spring.boot;

import com.arjuna.ats.internal.jta.recovery.arjunacore.XARecoveryModule;
import com.arjuna.ats.jta.recovery.XAResourceRecoveryHelper;
import dev.snowdrop.boot.narayana.core.jms.AbstractXAConnectionFactoryWrapper;
import dev.snowdrop.boot.narayana.core.jms.pool.NamedJmsXAResourceRecoveryHelper;
import dev.snowdrop.boot.narayana.core.jms.pool.NamedXAResource;
import dev.snowdrop.boot.narayana.core.properties.RecoveryCredentialsProperties;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import jakarta.jms.XAConnectionFactory;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionManager;
import javax.transaction.xa.XAResource;
import org.jboss.narayana.jta.jms.ConnectionFactoryProxy;
import org.jboss.narayana.jta.jms.TransactionHelper;
import org.jboss.narayana.jta.jms.TransactionHelperImpl;

/** What Narayana's starter wraps connection factories with where it does not pool them, and a name. */
final class NamedConnectionFactoryWrapper extends AbstractXAConnectionFactoryWrapper {
    private final String name;
    private final TransactionManager transactions;

    NamedConnectionFactoryWrapper(
            String name,
            TransactionManager transactions,
            XARecoveryModule recovery,
            RecoveryCredentialsProperties credentials) {
        super(recovery, credentials);
        this.name = name;
        this.transactions = transactions;
    }

    @Override
    protected ConnectionFactory wrapConnectionFactoryInternal(XAConnectionFactory connectionFactory) {
        return new ConnectionFactoryProxy(
                connectionFactory, new NamedEnlistment(name, new TransactionHelperImpl(transactions)));
    }

    @Override
    protected XAResourceRecoveryHelper getRecoveryHelper(
            XAConnectionFactory connectionFactory, RecoveryCredentialsProperties credentials) {
        return credentials.isValid()
                ? new NamedJmsXAResourceRecoveryHelper(
                        connectionFactory, credentials.getUser(), credentials.getPassword(), name)
                : new NamedJmsXAResourceRecoveryHelper(connectionFactory, name);
    }

    /** Gives each resource the name when it joins a transaction. */
    private record NamedEnlistment(String name, TransactionHelper helper) implements TransactionHelper {
        @Override
        public boolean isTransactionAvailable() throws JMSException {
            return helper.isTransactionAvailable();
        }

        @Override
        public void registerSynchronization(Synchronization synchronization) throws JMSException {
            helper.registerSynchronization(synchronization);
        }

        @Override
        public void registerXAResource(XAResource resource) throws JMSException {
            helper.registerXAResource(new SameNamedXAResource(resource, name));
        }

        @Override
        public void deregisterXAResource(XAResource resource) throws JMSException {
            helper.deregisterXAResource(new SameNamedXAResource(resource, name));
        }
    }

    /** A resource with a name, equal to another one around the same resource: Narayana looks it up to end its work. */
    private static final class SameNamedXAResource extends NamedXAResource {
        SameNamedXAResource(XAResource resource, String name) {
            super(resource, name);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof SameNamedXAResource same && getResource().equals(same.getResource());
        }

        @Override
        public int hashCode() {
            return getResource().hashCode();
        }
    }
}
