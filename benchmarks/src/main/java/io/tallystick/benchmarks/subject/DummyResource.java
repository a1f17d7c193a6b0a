package io.tallystick.benchmarks.subject;

import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/** A resource manager that agrees to everything and does nothing, so that only the transaction manager costs time. */
public class DummyResource implements XAResource {
    @Override
    public int prepare(Xid xid) {
        return XA_OK;
    }

    @Override
    public void commit(Xid xid, boolean onePhase) throws XAException {
        // nothing to do
    }

    @Override
    public void rollback(Xid xid) {
        // nothing to do
    }

    @Override
    public void start(Xid xid, int flags) {
        // nothing to do
    }

    @Override
    public void end(Xid xid, int flags) {
        // nothing to do
    }

    @Override
    public void forget(Xid xid) {
        // nothing to do
    }

    @Override
    public Xid[] recover(int flag) {
        return new Xid[0];
    }

    /** Never: two resources on one resource manager would be merged into one branch, and the commit into one phase. */
    @Override
    public boolean isSameRM(XAResource other) {
        return false;
    }

    @Override
    public int getTransactionTimeout() {
        return 0;
    }

    @Override
    public boolean setTransactionTimeout(int seconds) {
        return false;
    }
}
