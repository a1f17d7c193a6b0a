package io.tallystick.narayana;

import com.arjuna.ats.arjuna.objectstore.StateType;
import com.arjuna.ats.arjuna.objectstore.StoreManager;
import com.arjuna.ats.jta.TransactionManager;
import java.nio.file.Path;
import java.util.concurrent.Callable;

/**
 * A process that asks for Narayana's stores and commits, twice each, and says nothing of what goes wrong, as
 * frameworks do.
 */
final class SwallowingProcess {
    private SwallowingProcess() {}

    /** @param arguments a directory for the resources */
    public static void main(String[] arguments) {
        for (int attempt = 0; attempt < 2; attempt++) {
            swallow(StoreManager::getRecoveryStore);
            swallow(() -> StoreManager.setupStore(null, StateType.OS_UNSHARED));
            swallow(StoreManager::getCommunicationStore);
            swallow(() -> commit(Path.of(arguments[0])));
        }
        System.out.println("done");
        System.exit(0);
    }

    private static Object commit(Path resources) throws Exception {
        jakarta.transaction.TransactionManager manager = TransactionManager.transactionManager();
        manager.begin();
        for (FileResource resource : CrashingProcess.resources(resources, event -> {})) {
            manager.getTransaction().enlistResource(resource);
        }
        manager.commit();
        System.out.println("committed");
        return null;
    }

    private static void swallow(Callable<?> step) {
        try {
            step.call();
        } catch (Throwable swallowed) {
            // that is the point
        }
    }
}
