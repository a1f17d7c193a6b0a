package io.tallystick.tool.narayana;

import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.jboss.tm.XAResourceWrapper;

/** A resource that answers commit as it is told. */
class ScriptedResource implements XAResourceWrapper {
    private final int commitError;
    private transient Xid started;

    /** @param commitError the code of the {@link XAException} that commit throws; 0 for none */
    ScriptedResource(int commitError) {
        this.commitError = commitError;
    }

    /** The branch that it takes part in. */
    Xid started() {
        return started;
    }

    @Override
    public void start(Xid xid, int flags) {
        started = xid;
    }

    @Override
    public void end(Xid xid, int flags) {}

    @Override
    public int prepare(Xid xid) {
        return XA_OK;
    }

    @Override
    public void commit(Xid xid, boolean onePhase) throws XAException {
        if (commitError != 0) {
            throw new XAException(commitError);
        }
    }

    @Override
    public void rollback(Xid xid) {}

    @Override
    public Xid[] recover(int flag) {
        return new Xid[0];
    }

    @Override
    public void forget(Xid xid) {}

    @Override
    public boolean isSameRM(XAResource other) {
        return other == this;
    }

    @Override
    public int getTransactionTimeout() {
        return 0;
    }

    @Override
    public boolean setTransactionTimeout(int seconds) {
        return false;
    }

    @Override
    public XAResource getResource() {
        return this;
    }

    @Override
    public String getProductName() {
        return "Scripted";
    }

    @Override
    public String getProductVersion() {
        return "7";
    }

    @Override
    public String getJndiName() {
        return "java:/scripted";
    }
}
