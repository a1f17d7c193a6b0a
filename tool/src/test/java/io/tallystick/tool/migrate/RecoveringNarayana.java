package io.tallystick.tool.migrate;

import com.arjuna.ats.arjuna.AtomicAction;
import com.arjuna.ats.arjuna.common.Uid;
import com.arjuna.ats.arjuna.objectstore.StoreManager;
import com.arjuna.ats.arjuna.recovery.RecoveryManager;
import com.arjuna.ats.arjuna.state.InputObjectState;
import com.arjuna.ats.internal.arjuna.common.UidHelper;
import io.tallystick.narayana.GivenResources;
import java.nio.file.Path;
import java.util.List;
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
        List<? extends XAResource> resources =
                CrashingNarayana.resources(Path.of(arguments[0]), arguments[1], event -> {});
        RecoveryManager manager = RecoveryManager.manager(RecoveryManager.DIRECT_MANAGEMENT);
        manager.initialize();
        GivenResources.recover(resources);
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
