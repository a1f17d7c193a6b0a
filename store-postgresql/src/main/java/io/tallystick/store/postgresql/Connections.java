package io.tallystick.store.postgresql;

import io.tallystick.storage.SmallFile;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.StoreOption;
import io.tallystick.store.StoreOption.Replication;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.postgresql.Driver;
import org.postgresql.PGConnection;
import org.postgresql.PGProperty;

/**
 * Makes connections to the primary and checks what the promise of the store leans on. A connection that is returned
 * commits synchronously, has no time limits of its own, and looks into the schema of the store first.
 */
final class Connections {
    private static final int MAX_PASSWORD_BYTES = 4096;
    private static final int LEAST_VERSION = 120_000;
    private static final String AUTHORITY_BEGIN = "jdbc:postgresql://";

    private final PostgresOptions options;
    private final TimeOuts timeOuts;
    private final Driver driver = new Driver();

    Connections(PostgresOptions options) {
        this(options, TimeOuts.ofLanes(options));
    }

    Connections(PostgresOptions options, TimeOuts timeOuts) {
        this.options = options;
        this.timeOuts = timeOuts;
    }

    /** The server answered, and it must not be used; the message says why and what to do. */
    static final class UnfitServerException extends SQLException {
        private static final long serialVersionUID = 1L;

        private final boolean isStandby;

        UnfitServerException(String message) {
            this(message, false);
        }

        private UnfitServerException(String message, boolean isStandby) {
            super(message);
            this.isStandby = isStandby;
        }

        /** Whether nothing else is the matter than that it is not the primary. */
        boolean isStandby() {
            return isStandby;
        }
    }

    /**
     * Connects to the server that is the primary now.
     *
     * @param applicationName the name that the server lists this connection under
     * @throws UnfitServerException the server cannot keep the promise
     * @throws SQLException no primary can be reached; where the URL has several hosts, with what each of them said
     */
    Connection open(String applicationName) throws SQLException {
        int hosts = hostsOf(parsed(options.url())); // all of it: a bad host is told before it is needed
        List<String> urls = urlsOfHosts();
        if (urls.size() == 1) {
            return openFit(options.url(), applicationName, hosts);
        }
        // The driver would try one host after the other too, and tell what none of them said.
        Map<String, SQLException> said = new LinkedHashMap<>();
        for (String url : urls) {
            try {
                return openFit(url, applicationName, urls.size());
            } catch (SQLException refused) {
                if (refused instanceof UnfitServerException unfit && !unfit.isStandby()) {
                    throw refused; // it is the primary
                }
                said.put(hostOf(url), refused);
            }
        }
        throw new NoPrimaryException(said);
    }

    /** The address with each of its hosts alone, in the order of the URL. */
    private List<String> urlsOfHosts() {
        String url = options.url();
        int begin = AUTHORITY_BEGIN.length();
        if (!url.startsWith(AUTHORITY_BEGIN)) {
            return List.of(url);
        }
        int end = url.length();
        for (int i = begin; i < end; i++) {
            if (url.charAt(i) == '/' || url.charAt(i) == '?') {
                end = i;
            }
        }
        String rest = url.substring(end);
        if (url.substring(begin, end).contains("@")) { // the driver takes none, and messages must not have a password
            return List.of(url);
        }
        return Arrays.stream(url.substring(begin, end).split(","))
                .map(host -> AUTHORITY_BEGIN + host + rest)
                .toList();
    }

    private static String hostOf(String url) {
        return url.substring(AUTHORITY_BEGIN.length()).split("[/?]", 2)[0];
    }

    private Connection openFit(String url, String applicationName, int hosts) throws SQLException {
        // Whether it is the primary is asked for below: the driver takes a role's default for an answer. Where hosts
        // stand in parameters or in a service file, it has to choose among them.
        String server = hostsOf(parsed(url)) > 1 ? "primary" : "any";
        Connection connection = connect(url, applicationName, server, hosts);
        try {
            connection.setNetworkTimeout(
                    Runnable::run, Math.toIntExact(timeOuts.read().toMillis()));
            check(connection);
            return connection;
        } catch (SQLException | RuntimeException | Error refused) {
            closeQuietly(connection);
            throw refused;
        }
    }

    /**
     * Connects to look only: to the primary, or to a standby where no primary can be reached. The connection has begun
     * a transaction that sees one moment and cannot write.
     *
     * @param applicationName the name that the server lists this connection under
     * @throws SQLException no server can be reached
     */
    Connection openToLook(String applicationName) throws SQLException {
        Properties address = parsed(options.url());
        Connection connection = connect(options.url(), applicationName, "preferPrimary", hostsOf(address));
        try {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
                statement.execute("SET LOCAL statement_timeout = 0");
                statement.execute("SET LOCAL search_path = \"" + options.schema() + "\"");
            }
            return connection;
        } catch (SQLException | RuntimeException | Error refused) {
            closeQuietly(connection);
            throw refused;
        }
    }

    private Connection connect(String url, String applicationName, String server, int hosts) throws SQLException {
        parsed(url);
        Connection connection = driver.connect(url, properties(applicationName, server, hosts));
        if (connection == null) {
            throw notUnderstood();
        }
        return connection;
    }

    /** The driver's own message has the whole address, perhaps with a password. */
    private Properties parsed(String url) throws UnfitServerException {
        Properties address = Driver.parseURL(url, null);
        if (address == null) {
            throw notUnderstood();
        }
        return address;
    }

    private UnfitServerException notUnderstood() {
        return new UnfitServerException("the driver does not understand " + StoreOption.POSTGRESQL_URL.key() + " of "
                + options.place() + "; write it like jdbc:postgresql://db1,db2/tx");
    }

    /**
     * Checks that lease and patience leave time for the hosts of the URL.
     *
     * @throws IllegalArgumentException they do not
     */
    void checkTimes() {
        Properties address = Driver.parseURL(options.url(), null);
        if (address != null) { // otherwise connecting says so
            TimeOuts.check(options, hostsOf(address));
        }
    }

    /** A number that no other server has, nor the same one after a restart. */
    static long serverOf(Connection connection) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(
                        "SELECT (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint");
                ResultSet answer = query.executeQuery()) {
            answer.next();
            return answer.getLong(1);
        }
    }

    /** Closes a connection; it may be broken already. */
    static void closeQuietly(Connection connectionOrNull) {
        try {
            if (connectionOrNull != null) {
                connectionOrNull.close();
            }
        } catch (SQLException broken) { // the server ends its side by itself
        }
    }

    private static int hostsOf(Properties address) {
        String hosts = PGProperty.PG_HOST.getOrDefault(address);
        return hosts == null ? 1 : hosts.split(",").length;
    }

    private Properties properties(String applicationName, String server, int hosts) throws SQLException {
        Properties properties = new Properties();
        options.user().ifPresent(user -> properties.setProperty("user", user));
        if (options.passwordFile().isPresent()) {
            properties.setProperty("password", password());
        }
        properties.setProperty("ApplicationName", applicationName);
        properties.setProperty("targetServerType", server);
        properties.setProperty("hostRecheckSeconds", "0");
        properties.setProperty("tcpKeepAlive", "true");
        properties.setProperty("prepareThreshold", "1");
        // For each host: one that is dead must leave time for the next one.
        properties.setProperty(
                "connectTimeout", Long.toString(timeOuts.connectTo(hosts).toSeconds()));
        properties.setProperty(
                "socketTimeout", Long.toString(Math.max(1, timeOuts.read().toSeconds())));
        return properties;
    }

    /** How long an answer may take. */
    TimeOuts timeOuts() {
        return timeOuts;
    }

    private String password() throws SQLException {
        Path file = options.passwordFile().orElseThrow();
        try {
            byte[] bytes = SmallFile.read(new SystemDisk(), file, MAX_PASSWORD_BYTES)
                    .orElseThrow(() -> new NoSuchFileException(file.toString()));
            return new String(bytes, StandardCharsets.UTF_8).lines().findFirst().orElse("");
        } catch (IOException unreadable) {
            throw new SQLException(
                    StoreOption.POSTGRESQL_PASSWORD_FILE.key() + "=" + file + " cannot be read: " + unreadable
                            + "; check the path and who may read it",
                    unreadable);
        }
    }

    private void check(Connection connection) throws SQLException {
        connection.setAutoCommit(true);
        try (Statement statement = connection.createStatement()) {
            try (ResultSet answer = statement.executeQuery("SELECT pg_is_in_recovery(), current_setting('fsync'),"
                    + " current_setting('full_page_writes'), current_setting('server_version_num')::int,"
                    + " pg_backend_pid(), current_setting('synchronous_standby_names'),"
                    + " current_setting('synchronous_commit'), current_setting('track_activities')")) {
                answer.next();
                if (answer.getBoolean(1)) {
                    throw new UnfitServerException(problem("it is a standby; name the primary too in the URL"), true);
                }
                demand(answer.getString(2).equals("on"), "fsync is off; set fsync=on");
                demand(
                        answer.getString(3).equals("on") || options.replication() == Replication.SERVICE,
                        "full_page_writes is off; set full_page_writes=on, or, where a service replicates below"
                                + " PostgreSQL, " + StoreOption.REQUIRE_REPLICATION.key() + "=service");
                demand(
                        answer.getInt(4) >= LEAST_VERSION,
                        "its version " + answer.getInt(4) + " is older than 12; use a later one");
                demand(
                        answer.getInt(5)
                                == connection.unwrap(PGConnection.class).getBackendPID(),
                        "something between pools its sessions; connect to the server itself");
                demand(
                        answer.getString(8).equals("on"),
                        "track_activities is off, so that a living owner could not be seen; set it on");
                if (options.replicationRequired()) {
                    demand(
                            !answer.getString(6).isEmpty(),
                            "synchronous_standby_names is empty, so a commit is on one machine only; name a standby, or"
                                    + " set " + StoreOption.REQUIRE_REPLICATION.key()
                                    + "=none, or =service where a service replicates below PostgreSQL");
                }
                if (!answer.getString(7).equals("remote_apply")) {
                    statement.execute("SET synchronous_commit = on");
                }
            }
            statement.execute("SELECT set_config(name, '0', false) FROM pg_settings WHERE name IN ('statement_timeout',"
                    + " 'lock_timeout', 'transaction_timeout', 'idle_session_timeout');"
                    // A process that stops within a transaction must not hold its locks against the next owner.
                    + " SET idle_in_transaction_session_timeout = "
                    + TimeOuts.ofLanes(options).read().toMillis() + ";"
                    + " SET default_transaction_read_only = off;"
                    // Where nobody has counted rows yet, a plan that walks all of them looks cheap.
                    + " SET enable_seqscan = off; SET enable_bitmapscan = off;"
                    + " SET default_transaction_isolation = 'read committed';"
                    + " SET client_min_messages = warning;"
                    + " SET search_path = \"" + options.schema() + "\"");
        }
        connection.clearWarnings();
    }

    private void demand(boolean isFulfilled, String problem) throws UnfitServerException {
        if (!isFulfilled) {
            throw new UnfitServerException(problem(problem));
        }
    }

    private String problem(String what) {
        return "the server of " + options.place() + " cannot be used: " + what;
    }
}
