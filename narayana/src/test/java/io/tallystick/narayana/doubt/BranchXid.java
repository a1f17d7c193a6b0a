package io.tallystick.narayana.doubt;

import io.tallystick.narayana.logs.record.BranchId;
import javax.transaction.xa.Xid;

/** The Xid of a branch, as a resource gives it. */
public record BranchXid(BranchId id) implements Xid {
    @Override
    public int getFormatId() {
        return id.format();
    }

    @Override
    public byte[] getGlobalTransactionId() {
        return id.globalBytes();
    }

    @Override
    public byte[] getBranchQualifier() {
        return id.branchBytes();
    }
}
