package io.tallystick.wildfly;

import com.arjuna.ats.arjuna.common.arjPropertyManager;
import io.tallystick.narayana.InstallationException;
import io.tallystick.narayana.NarayanaStores;
import io.tallystick.narayana.doubt.InDoubtLook;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreException;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BinaryOperator;
import org.jboss.as.controller.services.path.PathManager;

/** The store of this server between two of its starts. May be used by any number of threads. */
final class ServerLog {
    // What WildFly names in Narayana's settings when an attribute of its own chooses the store.
    private static final String JOURNAL =
            "com.arjuna.ats.internal.arjuna.objectstore.hornetq.HornetqObjectStoreAdaptor";
    private static final String JDBC = "com.arjuna.ats.internal.arjuna.objectstore.jdbc.JDBCStore";

    private static final String NOT_OPEN = "NOT_OPEN";

    private final BinaryOperator<String> paths;
    private final ReentrantLock lock = new ReentrantLock();
    // Guarded by the lock; null while no store is installed.
    private NarayanaStores stores;
    // Written once, before the service that reads it is made.
    private volatile InstallationException refusal;

    private ServerLog(BinaryOperator<String> paths) {
        this.paths = paths;
    }

    static ServerLog of(PathManager paths) {
        return new ServerLog((relativeTo, directory) -> paths.resolveRelativePathEntry(directory, relativeTo));
    }

    /** For a process that runs no transactions. */
    static ServerLog withoutServer() {
        return new ServerLog((relativeTo, directory) -> {
            throw new IllegalStateException("this process has no paths of a server");
        });
    }

    /** Takes Narayana's places for a store. The store is opened later; a refusal is told by {@link #open}. */
    void install(SubsystemSettings settings) {
        locked(() -> {
            try {
                stores = NarayanaStores.installLater(() -> configuration(settings));
            } catch (InstallationException taken) {
                // Told by a service: an exception here would end the process. It happens where the subsystem was added
                // to a server that runs, which was reloaded and not started again.
                refusal = taken;
            }
        });
    }

    /**
     * Opens the store, if no other service has done so.
     *
     * @throws StoreException it cannot be opened
     * @throws IllegalArgumentException the settings do not suffice
     * @throws IllegalStateException Narayana has another store, or an old log would be forgotten
     */
    void open() {
        installed()
                .orElseThrow(() -> refusal != null ? refusal : new IllegalStateException("the store was closed"))
                .store();
    }

    /** Closes the store. The next start installs one again. */
    void close() {
        locked(() -> {
            if (stores != null) {
                stores.close();
                stores = null;
            }
        });
    }

    /** Opens the store, if no other service has done so. For people. */
    String health() {
        try {
            return installed()
                    .map(open -> open.health().details() + " " + open.store().description())
                    .orElse(NOT_OPEN);
        } catch (StoreException | IllegalArgumentException | InstallationException refused) {
            return NOT_OPEN + " " + refused.getMessage();
        }
    }

    /** The look at what is in doubt; empty if the log is not open. Opens the store as {@link #health} does. */
    Optional<InDoubtLook> inDoubt() {
        try {
            return installed().map(NarayanaStores::inDoubt);
        } catch (StoreException | IllegalArgumentException | InstallationException refused) { // health has the reason
            return Optional.empty();
        }
    }

    // Called when the store is opened: Narayana's settings are complete then.
    private StoreConfiguration configuration(SubsystemSettings settings) {
        String type = arjPropertyManager.getObjectStoreEnvironmentBean().getObjectStoreType();
        if (JOURNAL.equals(type) || JDBC.equals(type)) {
            throw new IllegalArgumentException("TALLY0709 two stores are configured: /subsystem=tallystick and "
                    + (JOURNAL.equals(type) ? "use-journal-store" : "use-jdbc-store")
                    + "=true of /subsystem=transactions; set this attribute to false, or remove /subsystem=tallystick,"
                    + " and restart the server. Transactions in the other store must be finished or migrated first");
        }
        return settings.configuration(paths);
    }

    private Optional<NarayanaStores> installed() {
        lock.lock();
        try {
            return Optional.ofNullable(stores);
        } finally {
            lock.unlock();
        }
    }

    private void locked(Runnable action) {
        lock.lock();
        try {
            action.run();
        } finally {
            lock.unlock();
        }
    }
}
