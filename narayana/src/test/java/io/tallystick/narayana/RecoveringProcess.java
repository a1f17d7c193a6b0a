package io.tallystick.narayana;

import com.arjuna.ats.arjuna.AtomicAction;
import com.arjuna.ats.arjuna.objectstore.ObjectStoreAPI;
import com.arjuna.ats.arjuna.objectstore.StoreManager;
import com.arjuna.ats.arjuna.recovery.RecoveryManager;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import javax.transaction.xa.XAResource;

/** A process that recovers what crashing processes have left, and says how many log records it could not finish. */
final class RecoveringProcess {
    /** What stands before the number of log records. */
    static final String LEFT = "log records left: ";

    /** The system property for a recovery that cannot reach the second resource of a transaction. */
    static final String SECOND_IS_DOWN = "test.second-is-down";

    private RecoveringProcess() {}

    /**
     * @param arguments the directory that has one for each transaction; after it, if this process is to die as well,
     *     the number of the commit that it dies before
     */
    public static void main(String[] arguments) throws Exception {
        Consumer<String> listener = arguments.length == 1
                ? what -> {}
                : CrashingProcess.haltingAt("before commit", Integer.parseInt(arguments[1]));
        List<XAResource> resources = new ArrayList<>();
        try (DirectoryStream<Path> transactions = Files.newDirectoryStream(Path.of(arguments[0]))) {
            for (Path transaction : transactions) {
                List<FileResource> both = CrashingProcess.resources(transaction, listener);
                resources.addAll(Boolean.getBoolean(SECOND_IS_DOWN) ? both.subList(0, 1) : both);
            }
        }
        RecoveryManager manager = RecoveryManager.manager(RecoveryManager.DIRECT_MANAGEMENT);
        manager.initialize();
        GivenResources.recover(resources);
        manager.scan();
        System.out.println(LEFT
                + NarayanaView.uids((ObjectStoreAPI) StoreManager.getRecoveryStore(), new AtomicAction().type())
                        .size());
        manager.terminate();
        StoreManager.shutdown();
        System.exit(0);
    }
}
