package io.tallystick.durability.ring;

import com.arjuna.ats.arjuna.AtomicAction;
import com.arjuna.ats.arjuna.common.Uid;
import com.arjuna.ats.arjuna.exceptions.ObjectStoreException;
import com.arjuna.ats.arjuna.objectstore.StoreManager;
import com.arjuna.ats.arjuna.recovery.RecoveryManager;
import com.arjuna.ats.arjuna.state.InputObjectState;
import com.arjuna.ats.internal.arjuna.common.UidHelper;
import com.arjuna.ats.internal.jta.recovery.arjunacore.XARecoveryModule;
import com.arjuna.ats.jta.recovery.XAResourceRecoveryHelper;
import java.io.IOException;
import java.util.List;
import javax.transaction.xa.XAResource;

/** Narayana's recovery in a process that scans when it is told to, and the records that are left in its log. */
public final class RecoveringNarayana {
    private final RecoveryManager manager = RecoveryManager.manager(RecoveryManager.DIRECT_MANAGEMENT);

    /** Recovers these resources from now on. */
    public RecoveringNarayana(List<? extends XAResource> resources) {
        manager.initialize();
        XARecoveryModule.getRegisteredXARecoveryModule().addXAResourceRecoveryHelper(new XAResourceRecoveryHelper() {
            @Override
            public boolean initialise(String parameter) {
                return true;
            }

            @Override
            public XAResource[] getXAResources() {
                return resources.toArray(XAResource[]::new);
            }
        });
    }

    /** Scans once. */
    public void scan() {
        manager.scan();
    }

    /** The number of transactions whose records are in the log. */
    public static int records() throws ObjectStoreException, IOException {
        InputObjectState found = new InputObjectState();
        int records = 0;
        if (StoreManager.getRecoveryStore().allObjUids(new AtomicAction().type(), found) && found.notempty()) {
            while (!UidHelper.unpackFrom(found).equals(Uid.nullUid())) {
                records++;
            }
        }
        return records;
    }
}
