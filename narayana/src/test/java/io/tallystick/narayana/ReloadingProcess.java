package io.tallystick.narayana;

import com.arjuna.ats.arjuna.AtomicAction;
import com.arjuna.ats.arjuna.objectstore.ObjectStoreAPI;
import com.arjuna.ats.arjuna.objectstore.StoreManager;
import com.arjuna.ats.arjuna.recovery.RecoveryManager;
import com.arjuna.ats.internal.jta.recovery.arjunacore.XARecoveryModule;
import com.arjuna.ats.jta.TransactionManager;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StoreConfiguration;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;

/**
 * A process that starts and stops its transaction manager three times, as a container does that is reloaded. In each
 * round a resource cannot commit at first, and recovery commits it.
 */
final class ReloadingProcess {
    /** What a round prints before its number and the number of log records that recovery left. */
    static final String ROUND = "log records left in round ";

    /** The first start and two reloads. */
    static final int ROUNDS = 3;

    private ReloadingProcess() {}

    /**
     * @param arguments the directory of the resources; after it {@code code} if the stores are opened in code, or
     *     {@code install} if they are installed, or {@code move} if each round has a directory of its own
     */
    public static void main(String[] arguments) throws Exception {
        String how = arguments.length > 1 ? arguments[1] : "configured";
        for (int round = 1; round <= ROUNDS; round++) {
            AutoCloseable stores = started(how, round);
            try {
                int left = round(Path.of(arguments[0]).resolve("round" + round));
                System.out.println(ROUND + round + ": " + left);
            } finally {
                stores.close();
            }
        }
        System.exit(0);
    }

    private static AutoCloseable started(String how, int round) {
        StoreConfiguration.Builder builder = StoreConfiguration.builder().withEnvironment();
        switch (how) {
            case "code" -> {
                ObjectStore store = ObjectStores.open(builder.build());
                new StoreManager(
                        new TallystickObjectStore(store),
                        new TallystickObjectStore(store),
                        new TallystickObjectStore(store));
            }
            case "install" -> {
                return NarayanaStores.install(builder.build());
            }
            case "move" -> {
                return NarayanaStores.install(
                        builder.directory(Path.of(System.getProperty("tallystick.directory") + round))
                                .build());
            }
            default -> {} // Narayana makes its stores itself.
        }
        return StoreManager::shutdown;
    }

    private static int round(Path directory) throws Exception {
        List<? extends XAResource> resources = CrashingProcess.resources(directory, refusingTheSecondCommitOnce());
        RecoveryManager recovery = RecoveryManager.manager(RecoveryManager.DIRECT_MANAGEMENT);
        XARecoveryModule module = recovery.getModules().stream()
                .filter(XARecoveryModule.class::isInstance)
                .map(XARecoveryModule.class::cast)
                .findFirst()
                .orElseThrow();
        module.addXAResourceRecoveryHelper(new GivenResources(resources));
        jakarta.transaction.TransactionManager manager = TransactionManager.transactionManager();
        manager.begin();
        for (XAResource resource : resources) {
            manager.getTransaction().enlistResource(resource);
        }
        manager.commit();
        recovery.scan();
        recovery.terminate();
        return NarayanaView.uids((ObjectStoreAPI) StoreManager.getRecoveryStore(), new AtomicAction().type())
                .size();
    }

    private static Consumer<String> refusingTheSecondCommitOnce() {
        AtomicInteger commits = new AtomicInteger();
        return what -> {
            if (what.equals("before commit") && commits.incrementAndGet() == 2) {
                ReloadingProcess.<RuntimeException>sneak(new XAException(XAException.XA_RETRY));
            }
        };
    }

    // The listener of a resource is called where the resource may throw this.
    @SuppressWarnings("unchecked")
    private static <E extends Exception> void sneak(Exception exception) throws E {
        throw (E) exception;
    }
}
