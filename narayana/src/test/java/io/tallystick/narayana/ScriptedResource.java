package io.tallystick.narayana;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/** A resource that notes what it is asked, and fails where it is told to. */
final class ScriptedResource implements XAResource {
    private final List<String> calls = new CopyOnWriteArrayList<>();
    private final String failingCall;
    private final int errorCode;

    ScriptedResource() {
        this("", 0);
    }

    ScriptedResource(String failingCall, int errorCode) {
        this.failingCall = failingCall;
        this.errorCode = errorCode;
    }

    List<String> calls() {
        return calls;
    }

    @Override
    public void start(Xid xid, int flags) throws XAException {
        note("start");
    }

    @Override
    public void end(Xid xid, int flags) throws XAException {
        note(flags == TMSUCCESS ? "end" : "end as failed");
    }

    @Override
    public int prepare(Xid xid) throws XAException {
        note("prepare");
        return XA_OK;
    }

    @Override
    public void commit(Xid xid, boolean onePhase) throws XAException {
        note(onePhase ? "commit in one phase" : "commit");
    }

    @Override
    public void rollback(Xid xid) throws XAException {
        note("rollback");
    }

    @Override
    public void forget(Xid xid) throws XAException {
        note("forget");
    }

    @Override
    public Xid[] recover(int flag) {
        return new Xid[0];
    }

    @Override
    public boolean isSameRM(XAResource other) {
        return other == this;
    }

    @Override
    public int getTransactionTimeout() {
        return 0;
    }

    @Override
    public boolean setTransactionTimeout(int seconds) throws XAException {
        note("timeout " + seconds);
        return true;
    }

    private void note(String call) throws XAException {
        calls.add(call);
        if (call.equals(failingCall)) {
            throw new XAException(errorCode);
        }
    }
}
