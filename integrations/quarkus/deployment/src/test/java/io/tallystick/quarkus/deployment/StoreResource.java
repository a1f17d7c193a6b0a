package io.tallystick.quarkus.deployment;

import com.arjuna.ats.arjuna.objectstore.StoreManager;
import io.quarkus.agroal.DataSource;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.tallystick.store.ObjectStore;
import jakarta.inject.Inject;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** A commit in two databases, for the test that reloads this class. */
@Path("/commit")
public class StoreResource {
    private static final int LIFE = 0;

    private final ObjectStore store;
    private final javax.sql.DataSource first;
    private final javax.sql.DataSource second;

    /** @param store the log, @param first a database, @param second another one */
    @Inject
    public StoreResource(
            ObjectStore store,
            @DataSource("first") javax.sql.DataSource first,
            @DataSource("second") javax.sql.DataSource second) {
        this.store = store;
        this.first = first;
        this.second = second;
    }

    /** The number of this class' life, the class of Narayana's log, and the writes that one commit brought. */
    @POST
    public String commit() {
        long before = store.statistics().writes();
        QuarkusTransaction.requiringNew().run(() -> {
            write(first);
            write(second);
        });
        return LIFE + " " + StoreManager.getTxLog().getClass().getSimpleName() + " "
                + (store.statistics().writes() - before);
    }

    private static void write(javax.sql.DataSource database) {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("insert into booking values (" + LIFE + ")");
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }
}
