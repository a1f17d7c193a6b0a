package io.tallystick.store.postgresql;

import io.tallystick.store.StoreOption.Replication;
import io.tallystick.store.spi.FailureLog;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Looks whether a server still has the settings that it was accepted with. A connection checks them when it is made,
 * and an administrator may change them any time after that. By the thread that beats.
 */
final class SettingsWatch {
    private static final System.Logger LOG = System.getLogger(SettingsWatch.class.getName());

    private final PostgresOptions options;
    private List<String> told = List.of();

    SettingsWatch(PostgresOptions options) {
        this.options = options;
    }

    /** Warns once of each change. The store goes on: what it has acknowledged before does not get worse by an end. */
    void look(Connection connection) throws SQLException {
        List<String> off = new ArrayList<>();
        try (PreparedStatement query = connection.prepareStatement(
                        "SELECT current_setting('fsync'), current_setting('full_page_writes')");
                ResultSet answer = query.executeQuery()) {
            answer.next();
            if (!answer.getString(1).equals("on")) {
                off.add("fsync");
            }
            if (!answer.getString(2).equals("on") && options.replication() != Replication.SERVICE) {
                off.add("full_page_writes");
            }
        }
        boolean isNews = !off.isEmpty() && !off.equals(told);
        told = off; // also where the logger throws
        if (isNews) {
            FailureLog.tell(
                    LOG,
                    System.Logger.Level.WARNING,
                    "TALLY0339 " + String.join(" and ", off) + " was switched off on the server of " + options.place()
                            + ": a crash of its machine may damage the database with the log in it. Switch it on again;"
                            + " the next connection is refused",
                    null);
        }
    }
}
