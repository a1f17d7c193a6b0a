package io.tallystick.tool.migrate;

import io.tallystick.narayana.logs.Findings;
import io.tallystick.narayana.logs.LogSource;
import io.tallystick.narayana.logs.NarayanaUid;
import io.tallystick.narayana.logs.NarayanaValues;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.ToolException;
import java.io.IOException;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Pattern;

/**
 * Narayana's {@code JDBCStore}: a table with a row for each value, {@code TypeName}, {@code UidString} and {@code
 * StateType} its key, a flag {@code Hidden}, and the state in {@code ObjectState}.
 *
 * <p>The connection is set to read only, and nothing but one SELECT runs on it. A file of H2 is opened in its read-only
 * mode, because otherwise even closing the database changes the file.
 */
final class TableSource implements LogSource {
    /** Narayana's name of the table if no prefix is configured. */
    static final String DEFAULT_TABLE = "JBossTSTxTable";

    private static final Pattern TABLE = Pattern.compile("[\\p{L}_][\\p{L}\\p{N}_$.]*");
    private static final Pattern H2_FILE = Pattern.compile("(?i)jdbc:h2:(?!tcp:|ssl:|mem:|zip:).*");
    private static final char UID_SEPARATOR = ':';
    private static final int FETCH_ROWS = 1000;

    private final Driver driver;
    private final String url;
    private final Properties login;
    private final String table;

    /**
     * @param login user and password, for the driver
     * @param table the table, with its schema if it needs one
     * @throws ToolException the table's name is not a plain name
     */
    TableSource(Driver driver, String url, Properties login, String table) {
        if (!TABLE.matcher(table).matches()) {
            throw new ToolException(
                    ExitStatus.USAGE,
                    "table=" + table + " is not a plain name; it has letters, digits, _, $ and dots only");
        }
        this.driver = driver;
        this.url = readOnly(url);
        this.login = login;
        this.table = table;
    }

    private static String readOnly(String url) {
        if (!H2_FILE.matcher(url).matches()) {
            return url;
        }
        String upper = url.toUpperCase(Locale.ROOT);
        return url
                + (upper.contains(";ACCESS_MODE_DATA=") ? "" : ";ACCESS_MODE_DATA=r")
                + (upper.contains(";IFEXISTS=") ? "" : ";IFEXISTS=TRUE");
    }

    @Override
    public String description() {
        return "Narayana's JDBC store, table=" + table;
    }

    @Override
    public boolean mustBeStopped() {
        return true;
    }

    @Override
    public void read(Receiver receiver, Findings findings) throws IOException {
        try (Connection connection = connect();
                PreparedStatement select =
                        connection.prepareStatement("SELECT TypeName, UidString, StateType, Hidden, ObjectState FROM "
                                + table + " ORDER BY TypeName, UidString, StateType")) {
            select.setFetchSize(FETCH_ROWS);
            try (ResultSet rows = select.executeQuery()) {
                readRows(rows, receiver, findings);
            }
            connection.rollback();
        } catch (SQLException failed) {
            throw new ToolException(
                    ExitStatus.FAILED,
                    "table=" + table + " cannot be read: " + failed.getMessage()
                            + "; check URL, user, password and --table, and that the database is up",
                    failed);
        }
    }

    private Connection connect() throws SQLException {
        Connection connection = driver.connect(url, login);
        if (connection == null) {
            throw new SQLException("the driver " + driver.getClass().getName() + " does not accept this URL");
        }
        try {
            connection.setReadOnly(true);
            connection.setAutoCommit(false);
            return connection;
        } catch (SQLException refused) {
            connection.close();
            throw refused;
        }
    }

    private void readRows(ResultSet rows, Receiver receiver, Findings findings) throws SQLException, IOException {
        String place = "";
        NarayanaValues values = null;
        while (rows.next()) {
            String type = rows.getString(1);
            String uid = rows.getString(2);
            String rowPlace = "table=" + table + " TypeName=" + type + " UidString=" + uid;
            if (!rowPlace.equals(place)) {
                handOver(values, receiver, findings);
                place = rowPlace;
                values = new NarayanaValues(
                        type, uid == null ? Optional.empty() : NarayanaUid.parse(uid, UID_SEPARATOR), place);
            }
            int status = rows.getInt(3) | (rows.getInt(4) == 0 ? 0 : NarayanaValues.HIDDEN);
            byte[] state = rows.getBytes(5);
            if (!NarayanaValues.isStatus(status)) {
                findings.damage(place, "its StateType " + rows.getInt(3) + " is not known");
            } else if (state == null) {
                findings.damage(place, "its ObjectState is NULL");
            } else {
                values.put(status, state);
            }
        }
        handOver(values, receiver, findings);
    }

    private static void handOver(NarayanaValues values, Receiver receiver, Findings findings) throws IOException {
        if (values != null && !values.isEmpty()) {
            values.handOver(receiver, findings);
        }
    }
}
