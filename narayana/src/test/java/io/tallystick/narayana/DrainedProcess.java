package io.tallystick.narayana;

import com.arjuna.ats.arjuna.objectstore.StoreManager;
import com.arjuna.ats.arjuna.recovery.RecoveryManager;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import javax.transaction.xa.XAResource;

/** A process that is started after one that has crashed, and only drains. */
final class DrainedProcess {
    /** What stands before the report. */
    static final String REPORT = "report: ";

    private DrainedProcess() {}

    /**
     * @param arguments the directory of the resources of the transaction, and how many seconds the drain may take;
     *     after them {@code suspended} if recovery is suspended
     */
    public static void main(String[] arguments) throws Exception {
        List<? extends XAResource> resources = CrashingProcess.resources(Path.of(arguments[0]), what -> {});
        RecoveryManager manager = RecoveryManager.manager(RecoveryManager.DIRECT_MANAGEMENT);
        GivenResources.recover(resources);
        if (arguments.length > 2) {
            manager.suspend(true);
        }
        DrainReport report = TallystickDrain.of(((TallystickObjectStore) StoreManager.getRecoveryStore()).store())
                .recoveringBy(manager::scan)
                .drain(Duration.ofSeconds(Long.parseLong(arguments[1])));
        System.out.println(REPORT + report);
        manager.terminate();
        StoreManager.shutdown();
        System.exit(0);
    }
}
