package io.tallystick.tool.migrate;

import com.arjuna.ats.arjuna.AtomicAction;
import com.arjuna.ats.arjuna.common.Uid;
import com.arjuna.ats.arjuna.objectstore.StoreManager;
import com.arjuna.ats.arjuna.recovery.RecoveryManager;
import com.arjuna.ats.arjuna.state.InputObjectState;
import com.arjuna.ats.internal.arjuna.common.UidHelper;
import com.arjuna.ats.internal.jta.recovery.arjunacore.XARecoveryModule;
import com.arjuna.ats.jta.recovery.XAResourceRecoveryHelper;
import java.nio.file.Path;
import javax.transaction.xa.XAResource;

/**
 * A process in which Narayana recovers from the store that its properties name, and that tells what it found and left.
 */
final class RecoveringNarayana {
    /** What stands before the number of log records before and after recovery. */
    static final String FOUND = "log records found: ";

    static final String LEFT = "log records left: ";

    private RecoveringNarayana() {}

    /** @param arguments where the resources have their directories, and the store that they were used with */
    public static void main(String[] arguments) throws Exception {
        XAResource[] resources = CrashingNarayana.resources(Path.of(arguments[0]), arguments[1], event -> {})
                .toArray(XAResource[]::new);
        RecoveryManager manager = RecoveryManager.manager(RecoveryManager.DIRECT_MANAGEMENT);
        manager.initialize();
        XARecoveryModule.getRegisteredXARecoveryModule().addXAResourceRecoveryHelper(new XAResourceRecoveryHelper() {
            @Override
            public boolean initialise(String parameter) {
                return true;
            }

            @Override
            public XAResource[] getXAResources() {
                return resources;
            }
        });
        System.out.println(FOUND + logRecords());
        manager.scan();
        System.out.println(LEFT + logRecords());
        manager.terminate();
        StoreManager.shutdown();
        System.exit(0);
    }

    private static int logRecords() throws Exception {
        InputObjectState uids = new InputObjectState();
        StoreManager.getRecoveryStore().allObjUids(new AtomicAction().type(), uids);
        int count = 0;
        while (UidHelper.unpackFrom(uids).notEquals(Uid.nullUid())) {
            count++;
        }
        return count;
    }
}
