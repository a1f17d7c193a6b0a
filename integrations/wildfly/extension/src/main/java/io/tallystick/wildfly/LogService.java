package io.tallystick.wildfly;

import io.tallystick.store.StoreException;
import org.jboss.msc.Service;
import org.jboss.msc.service.LifecycleEvent;
import org.jboss.msc.service.ServiceContainer;
import org.jboss.msc.service.ServiceController;
import org.jboss.msc.service.ServiceName;
import org.jboss.msc.service.StartContext;
import org.jboss.msc.service.StartException;
import org.jboss.msc.service.StopContext;

/** Opens the log when the server starts, so that a store that cannot be opened is an error of the start. */
final class LogService implements Service {
    /** The service that tells Narayana its directory. Recovery and the transaction manager depend on it too. */
    static final ServiceName OBJECT_STORE_ENVIRONMENT = ServiceName.JBOSS.append("txn", "ArjunaObjectStoreEnvironment");

    /** Recovery. The transaction manager depends on it, and all that uses transactions on the manager. */
    private static final ServiceName RECOVERY = ServiceName.JBOSS.append("txn", "ArjunaRecoveryManager");

    private final ServerLog log;

    LogService(ServerLog log) {
        this.log = log;
    }

    @Override
    public void start(StartContext context) throws StartException {
        ServiceContainer services = context.getController().getServiceContainer();
        closeWhenNoServiceNeedsTheLog(services);
        try {
            log.open();
        } catch (StoreException | IllegalArgumentException | IllegalStateException refused) {
            keepTransactionsFromStarting(services);
            throw new StartException(
                    "TALLY0708 the transaction manager does not start, because its log cannot be opened: "
                            + textOf(refused) + ". Management works: correct it and reload. If Narayana has another"
                            + " store already, start the server's process again",
                    refused);
        }
    }

    private static String textOf(RuntimeException refused) {
        return refused instanceof StoreException ours
                ? ours.messageId() + ' ' + ours.getMessage()
                : refused.getMessage();
    }

    // Without its log the server would start with data sources whose transactions cannot commit.
    private static void keepTransactionsFromStarting(ServiceContainer services) {
        ServiceController<?> recovery = services.getService(RECOVERY);
        if (recovery != null) {
            recovery.setMode(ServiceController.Mode.NEVER);
        }
    }

    /** Nothing: recovery may still run. The log is closed when {@link #OBJECT_STORE_ENVIRONMENT} is down. */
    @Override
    public void stop(StopContext context) {}

    // A service goes down after all that depend on it: recovery, the transaction manager, and this one.
    private void closeWhenNoServiceNeedsTheLog(ServiceContainer services) {
        services.getRequiredService(OBJECT_STORE_ENVIRONMENT).addListener((controller, event) -> {
            if (event == LifecycleEvent.DOWN) {
                log.close();
            }
        });
    }
}
