package io.tallystick.narayana.recover;

import com.arjuna.ats.internal.jta.recovery.arjunacore.XARecoveryModule;
import com.arjuna.ats.jta.recovery.XAResourceOrphanFilter;
import io.tallystick.narayana.drain.UnprovenBranches;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreException;
import javax.transaction.xa.Xid;

/**
 * Leaves every branch alone, once another process has the adopted log. This process reads records from its memory, and
 * the node that has come back writes records that are not in it. So a write that passes the fence proves before each
 * vote that the log is still this process' own. Votes are about Xids of every format: a branch of an imported
 * transaction has that of its parent (SubordinateJTAXAResourceOrphanFilter, 7.3.4).
 *
 * <p>{@link RecordedBranchFilter} is beside it, as in each process: a branch whose record was given up or forgotten is
 * left alone by that one.
 */
public final class OwnLogFilter implements XAResourceOrphanFilter {
    private static final StateKey PROOF = StateKey.of("/Tallystick/RecoverNode", ObjectId.of(new byte[] {1}));

    private final ObjectStore log;

    /** A filter for the process that has adopted this log. */
    public OwnLogFilter(ObjectStore log) {
        this.log = log;
    }

    /** Has the module ask this filter before all others. */
    public void putInto(XARecoveryModule module) {
        FilterOrder.putFirst(module, this);
    }

    @Override
    public Vote checkXid(Xid xid) {
        try {
            prove();
            return Vote.ABSTAIN;
        } catch (StoreException notOurs) {
            UnprovenBranches.addUnowned(notOurs.getMessage());
            return Vote.LEAVE_ALONE;
        }
    }

    /**
     * Proves by a write that passes the fence that the log is this process' own.
     *
     * @throws StoreException it is not
     */
    public void prove() {
        log.write(PROOF, new byte[1], Durability.FORCED);
    }

    /** Removes what the filter has written, also what a killed process has left. */
    public void clear() {
        log.remove(PROOF, Durability.DEFERRED);
    }
}
