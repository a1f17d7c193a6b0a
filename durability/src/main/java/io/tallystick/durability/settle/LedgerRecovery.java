package io.tallystick.durability.settle;

import com.arjuna.ats.jta.recovery.XAResourceRecoveryHelper;
import java.io.IOException;
import java.nio.file.Path;
import javax.transaction.xa.XAResource;

/** Gives a ledger to the commands; made by them. */
public final class LedgerRecovery implements XAResourceRecoveryHelper {
    private LedgerResource ledger;

    /** Made by the commands. */
    public LedgerRecovery() {}

    @Override
    public boolean initialise(String directory) throws IOException {
        ledger = new LedgerResource(Path.of(directory), "", Mortality.OF_THIS_PROCESS::step);
        return true;
    }

    @Override
    public XAResource[] getXAResources() {
        return new XAResource[] {ledger};
    }
}
