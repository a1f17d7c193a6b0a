package io.tallystick.quarkus.deployment;

import com.arjuna.ats.internal.arjuna.recovery.ExpiredEntryMonitor;
import io.quarkus.agroal.DataSource;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.runtime.StartupEvent;
import io.tallystick.narayana.NarayanaHealth;
import io.tallystick.store.ObjectStore;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.transaction.RollbackException;
import jakarta.transaction.SystemException;
import jakarta.transaction.TransactionManager;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import java.lang.reflect.Field;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.transaction.xa.XAResource;
import org.eclipse.microprofile.config.ConfigProvider;
import org.jboss.tm.XAResourceRecovery;
import org.jboss.tm.XAResourceRecoveryRegistry;

/** A transaction in doubt, for the test that reloads this class. */
@Singleton
@Path("/doubt")
public class DoubtResource {
    private static final int LIFE = 0;

    private final ObjectStore store;
    private final TransactionManager transactions;
    private final javax.sql.DataSource first;
    private final SilentResource silent;

    /** @param store the log, @param transactions of the application, @param first a database */
    @Inject
    public DoubtResource(
            ObjectStore store, TransactionManager transactions, @DataSource("first") javax.sql.DataSource first) {
        this.store = store;
        this.transactions = transactions;
        this.first = first;
        this.silent =
                new SilentResource(ConfigProvider.getConfig().getValue("silent.directory", java.nio.file.Path.class));
    }

    void register(@Observes StartupEvent event, XAResourceRecoveryRegistry recovery)
            throws ReflectiveOperationException {
        Field interval = ExpiredEntryMonitor.class.getDeclaredField("_scanIntervalSeconds");
        interval.setAccessible(true);
        interval.setInt(null, 1); // from the next life on; its setting has whole hours
        recovery.addXAResourceRecovery((XAResourceRecovery) () -> new XAResource[] {silent});
    }

    /** Commits in a database, and leaves the branch of the silent resource in doubt. */
    @POST
    public void leave() {
        QuarkusTransaction.requiringNew().run(() -> {
            try (Connection connection = first.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("insert into booking values (1)");
                transactions.getTransaction().enlistResource(silent);
            } catch (SQLException | SystemException | RollbackException failed) {
                throw new IllegalStateException(failed);
            }
        });
    }

    /** The number of this class' life, and how many transactions are in doubt. */
    @GET
    public String inDoubt() {
        return LIFE + " " + NarayanaHealth.of(store).inDoubt().orElse(-1);
    }
}
