package io.tallystick.store.postgresql;

import io.tallystick.store.StoreOption;
import io.tallystick.store.StoreOption.Replication;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Tells once, at the opening, what a store takes on trust from a service that replicates below PostgreSQL. */
final class ServiceWarning {
    private static final System.Logger LOG = System.getLogger(ServiceWarning.class.getName());

    private ServiceWarning() {}

    /** Warns of what this server does not show of its copies, where the options say that a service makes them. */
    static void tell(Connection connection, PostgresOptions options) throws SQLException {
        if (options.replication() != Replication.SERVICE) {
            return;
        }
        List<String> untold = new ArrayList<>();
        try (PreparedStatement query = connection.prepareStatement(
                        "SELECT current_setting('synchronous_standby_names'), current_setting('full_page_writes')");
                ResultSet answer = query.executeQuery()) {
            answer.next();
            if (answer.getString(1).isEmpty()) {
                untold.add("synchronous_standby_names is empty");
            }
            if (!answer.getString(2).equals("on")) {
                untold.add("full_page_writes is off");
            }
        }
        if (!untold.isEmpty()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "TALLY0338 the server of " + options.place() + " is taken as it is, because of "
                            + StoreOption.REQUIRE_REPLICATION.key() + "=service: " + String.join(", ", untold)
                            + ". PostgreSQL shows no second copy there. What is acknowledged outlives the loss of a"
                            + " machine only if the service keeps its own promise");
        }
    }
}
