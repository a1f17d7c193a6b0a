package io.tallystick.narayana;

import com.arjuna.ats.internal.jta.recovery.arjunacore.XARecoveryModule;
import com.arjuna.ats.jta.recovery.XAResourceRecoveryHelper;
import java.util.List;
import javax.transaction.xa.XAResource;

/** Resources that a test hands to Narayana's recovery. */
public record GivenResources(List<? extends XAResource> all) implements XAResourceRecoveryHelper {
    /** Recovery asks these from now on, too. The recovery manager of this process must be there. */
    public static void recover(List<? extends XAResource> resources) {
        XARecoveryModule.getRegisteredXARecoveryModule().addXAResourceRecoveryHelper(new GivenResources(resources));
    }

    @Override
    public boolean initialise(String parameter) {
        return true;
    }

    @Override
    public XAResource[] getXAResources() {
        return all.toArray(XAResource[]::new);
    }
}
