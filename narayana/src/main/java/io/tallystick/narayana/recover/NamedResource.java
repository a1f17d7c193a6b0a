package io.tallystick.narayana.recover;

import io.tallystick.narayana.doubt.LastErrors;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.jboss.tm.XAResourceWrapper;

/**
 * A resource with the name that stands in the log records. By the name recovery knows that the resource was asked and
 * has the branch no more, because it was committed already.
 */
public final class NamedResource implements XAResourceWrapper {
    private final XAResource resource;
    private final String name;

    /** @param name the name; null if the resource has none in the log */
    public NamedResource(XAResource resource, String name) {
        this.resource = resource;
        this.name = name;
    }

    @Override
    public XAResource getResource() {
        return resource;
    }

    @Override
    public String getProductName() {
        return null;
    }

    @Override
    public String getProductVersion() {
        return null;
    }

    @Override
    public String getJndiName() {
        return name;
    }

    @Override
    public Xid[] recover(int flag) throws XAException {
        return resource.recover(flag);
    }

    @Override
    public void commit(Xid xid, boolean onePhase) throws XAException {
        try {
            resource.commit(xid, onePhase);
            LastErrors.remove(xid);
        } catch (XAException refused) {
            LastErrors.add(xid, refused);
            throw refused;
        }
    }

    @Override
    public void rollback(Xid xid) throws XAException {
        try {
            resource.rollback(xid);
            LastErrors.remove(xid);
        } catch (XAException refused) {
            LastErrors.add(xid, refused);
            throw refused;
        }
    }

    @Override
    public void forget(Xid xid) throws XAException {
        resource.forget(xid);
    }

    @Override
    public boolean isSameRM(XAResource other) throws XAException {
        return resource.isSameRM(other instanceof NamedResource named ? named.resource : other);
    }

    @Override
    public void start(Xid xid, int flags) throws XAException {
        resource.start(xid, flags);
    }

    @Override
    public void end(Xid xid, int flags) throws XAException {
        resource.end(xid, flags);
    }

    @Override
    public int prepare(Xid xid) throws XAException {
        return resource.prepare(xid);
    }

    @Override
    public int getTransactionTimeout() throws XAException {
        return resource.getTransactionTimeout();
    }

    @Override
    public boolean setTransactionTimeout(int seconds) throws XAException {
        return resource.setTransactionTimeout(seconds);
    }
}
