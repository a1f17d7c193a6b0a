package io.tallystick.store.postgresql;

import io.tallystick.storage.NanoClock;
import io.tallystick.store.StoreOption;
import io.tallystick.store.spi.NoticedLoss;
import io.tallystick.store.spi.ServerReport;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import org.postgresql.Driver;
import org.postgresql.PGProperty;
import org.postgresql.jdbc.SslMode;

/** Looks for reasons why a log cannot be opened, is slow, or keeps less than it promises. Reads only. */
final class ServerExamination {
    private static final int QUESTIONS = 21;
    private static final double LONG_TRANSACTION_SECONDS = 3600;
    private static final int DEAD_PER_LIVING = 10;
    private static final long MANY_DEAD = 10_000;

    /** What the promise leans on; the names are those of the server. */
    private static final List<String> SETTINGS = List.of(
            "server_version",
            "fsync",
            "full_page_writes",
            "synchronous_commit",
            "synchronous_standby_names",
            "track_activities");

    private static final Set<String> LOOPBACK = Set.of("", "localhost", "127.0.0.1", "[::1]", "::1");

    private final PostgresOptions options;
    private final NanoClock clock;
    private final List<ServerReport.Fact> facts = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();

    ServerExamination(PostgresOptions options, NanoClock clock) {
        this.options = options;
        this.clock = clock;
    }

    ServerReport run() {
        String name = "tallystick doctor " + options.nodeId();
        Connections connections = new Connections(options);
        Connection connection = null;
        try {
            connections.checkTimes();
        } catch (IllegalArgumentException contradiction) {
            problems.add(contradiction.getMessage());
        }
        try {
            connection = connections.openToLook(name);
            look(connection);
            connection.rollback();
            checkFit(connections, name);
        } catch (SQLException trouble) {
            problems.add("the server of " + options.place() + " cannot be asked: " + trouble.getMessage()
                    + "; check that it runs, and that user and password are right");
        } finally {
            Connections.closeQuietly(connection);
        }
        return new ServerReport(facts, problems, warnings);
    }

    private void look(Connection connection) throws SQLException {
        for (String setting : SETTINGS) {
            String value = one(connection, "SELECT current_setting('" + setting + "')");
            fact(setting, value == null || value.isEmpty() ? "(empty)" : value);
        }
        lookAtEncryption(connection);
        boolean isStandby = one(connection, "SELECT pg_is_in_recovery()").equals("t");
        fact("server", isStandby ? "standby" : "primary");
        if (!isStandby) {
            lookAtStandbys(connection);
        }
        lookAtTransactions(connection);
        TableCheck tables = new TableCheck(connection, options.schema());
        List<String> lacks = tables.all();
        fact("tables", lacks.isEmpty() ? "complete" : lacks.size() + " things are missing");
        if (!lacks.isEmpty()) {
            String told = String.join(", ", lacks) + "; 'tallystick postgresql ddl' prints the statements";
            (options.createTables() && tables.columns().size() == Schema.TABLES.size() ? warnings : problems).add(told);
        }
        if (tables.columns().isEmpty()) {
            warnings.addAll(tables.losses());
        }
        if (tables.columns().isEmpty() && isReadable(lacks)) {
            for (NoticedLoss loss : LossRows.open(connection, options)) {
                problems.add("a loss is marked, missing: " + loss.missing() + "; noticed=" + loss.noticed() + " by "
                        + loss.owner() + ". No process opens the log until 'tallystick accept-loss'");
            }
            lookAtLog(connection, isStandby);
        }
        fact("round trip", median(connection, "SELECT 1"));
    }

    private static boolean isReadable(List<String> lacks) {
        return lacks.stream().noneMatch(lack -> lack.contains("may not use") || lack.contains("may not SELECT"));
    }

    /** Who answers for the server could acknowledge what no server has. */
    private void lookAtEncryption(Connection connection) throws SQLException {
        String version = one(connection, "SELECT version FROM pg_stat_ssl WHERE ssl AND pid = pg_backend_pid()");
        Properties address = Driver.parseURL(options.url(), null);
        SslMode mode = SslMode.of(address);
        fact("connection", (version == null ? "not encrypted" : version) + ", sslmode=" + mode.value);
        boolean isThisMachine = LOOPBACK.containsAll(List.of(PGProperty.PG_HOST
                .getOrDefault(address)
                .toLowerCase(Locale.ROOT)
                .split(",")));
        if (!mode.verifyPeerName() && !isThisMachine) {
            warnings.add("sslmode=" + mode.value + " does not verify that the server is the one of this name: another"
                    + " could answer in its place, and acknowledge what no server has; add sslmode=verify-full to"
                    + " tallystick.postgresql.url");
        }
    }

    private void lookAtStandbys(Connection connection) throws SQLException {
        String all = one(connection, "SELECT count(*) FROM pg_stat_replication");
        String visible = one(connection, "SELECT count(sync_state) FROM pg_stat_replication");
        String synchronous =
                one(connection, "SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')");
        boolean isHidden = !all.equals("0") && visible.equals("0");
        lookAtSenderTimeout(connection);
        fact("standbys", all + " connected, " + (isHidden ? "hidden how many" : synchronous) + " synchronous");
        if (options.replicationRequired() && (isHidden || synchronous.equals("0"))) {
            problems.add(
                    isHidden
                            ? "whether a standby is synchronous cannot be seen; GRANT pg_monitor to the user"
                            : "no synchronous standby is connected; start one, or set"
                                    + " tallystick.require-replication=none, or =service where a service replicates"
                                    + " below PostgreSQL");
        }
    }

    /** As long as the server takes a standby that is gone for a synchronous one, commits wait for that one alone. */
    private void lookAtSenderTimeout(Connection connection) throws SQLException {
        String setting = one(
                connection,
                "SELECT setting FROM pg_catalog.pg_settings WHERE name = 'wal_sender_timeout'"
                        + " AND current_setting('synchronous_standby_names') LIKE '%,%'"
                        // Of ANY, those that are there are enough.
                        + " AND current_setting('synchronous_standby_names') NOT ILIKE 'any%'");
        if (setting == null || !options.replicationRequired()) {
            return;
        }
        Duration timeout = Duration.ofMillis(Long.parseLong(setting));
        if (timeout.isZero() || timeout.compareTo(options.patience()) >= 0) {
            warnings.add("wal_sender_timeout=" + timeout.toSeconds() + "s (0 is for ever) is not shorter than "
                    + StoreOption.PATIENCE.key() + "=" + options.patience().toSeconds() + "s: while a standby that is"
                    + " gone without a word counts, commits wait for it, and end as unknown before another one of"
                    + " synchronous_standby_names takes its place; lower the one or raise the other");
        }
    }

    /** Old ones keep dead rows from being removed. */
    private void lookAtTransactions(Connection connection) throws SQLException {
        String age = one(
                connection,
                "SELECT round(max(age)::numeric, 1)"
                        + " FROM (SELECT extract(epoch FROM clock_timestamp() - xact_start) AS age"
                        + " FROM pg_stat_activity WHERE backend_xid IS NOT NULL UNION ALL"
                        + " SELECT extract(epoch FROM clock_timestamp() - prepared) FROM pg_prepared_xacts) AS ages");
        boolean isMonitor = one(connection, "SELECT pg_has_role('pg_read_all_stats', 'USAGE')")
                .equals("t");
        fact(
                "oldest transaction",
                (age == null ? "none with an xid" : age + " s, with an xid")
                        + (isMonitor ? "" : "; those of other users are hidden"));
        if (age != null && Double.parseDouble(age) > LONG_TRANSACTION_SECONDS) {
            warnings.add("a transaction with an xid is open for " + age + " s: no row that died since can be removed;"
                    + " end it, pg_stat_activity and pg_prepared_xacts list it");
        }
    }

    private void lookAtLog(Connection connection, boolean isStandby) throws SQLException {
        String dead = one(
                connection,
                "SELECT n_dead_tup FROM pg_stat_user_tables WHERE schemaname = '" + options.schema()
                        + "' AND relname = 'tallystick_batch'");
        fact(
                "table",
                one(connection, "SELECT pg_total_relation_size('tallystick_batch')") + " bytes, " + dead
                        + " dead tuples");
        Optional<LogRow> log = LogRow.find(connection, options.nodeId());
        if (log.isEmpty()) {
            fact("log", "none of node " + options.nodeId() + " yet; the first opening makes it");
            return;
        }
        LogRow row = log.get();
        fact("log", "id=" + row.storeId() + " format=" + row.format() + " epoch=" + row.epoch());
        if (row.format() != Schema.FORMAT) {
            problems.add("the log has format " + row.format() + "; this version reads " + Schema.FORMAT
                    + ". Use the version that wrote it");
        }
        Optional<String> living = row.livingOwner(connection);
        fact("owner", living.orElse(isStandby ? "cannot be seen from a standby" : "none"));
        if (living.isPresent()) {
            warnings.add(
                    "the log has an owner: a further process waits for a lease and is refused while that one lives");
        } else if (!row.isClean() && !isStandby) {
            warnings.add("the last owner (" + row.owner() + ") has not closed the log: the next one waits for a lease");
        }
        String rows = one(connection, "SELECT count(*) FROM tallystick_batch WHERE log_id = " + row.logId());
        fact(
                "rows",
                rows + ", "
                        + one(
                                connection,
                                "SELECT coalesce(sum(length(body)), 0) FROM tallystick_batch WHERE log_id = "
                                        + row.logId())
                        + " bytes");
        fact("statement", median(connection, "SELECT max(seq) FROM tallystick_batch WHERE log_id = " + row.logId()));
        long deadRows = dead == null ? 0 : Long.parseLong(dead);
        if (deadRows > MANY_DEAD && deadRows > DEAD_PER_LIVING * Long.parseLong(rows)) {
            warnings.add("tallystick_batch has " + dead + " dead tuples for " + rows + " rows of this log: look whether"
                    + " autovacuum runs, and for old transactions");
        }
    }

    /** Asks for a connection as a store does: it checks the server, and changes nothing. */
    private void checkFit(Connections connections, String name) {
        try {
            Connections.closeQuietly(connections.open(name));
        } catch (SQLException unfit) {
            problems.add(unfit.getMessage());
        }
    }

    private String median(Connection connection, String question) throws SQLException {
        long[] nanos = new long[QUESTIONS];
        try (PreparedStatement query = connection.prepareStatement(question)) {
            for (int i = 0; i < QUESTIONS; i++) {
                long begun = clock.nanoTime();
                query.executeQuery().close();
                nanos[i] = clock.nanoTime() - begun;
            }
        }
        Arrays.sort(nanos);
        return String.format(
                Locale.ROOT, "median %.2f ms, maximum %.2f ms", nanos[QUESTIONS / 2] / 1e6, nanos[QUESTIONS - 1] / 1e6);
    }

    private void fact(String name, String value) {
        facts.add(new ServerReport.Fact(name, String.valueOf(value)));
    }

    private static String one(Connection connection, String question) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(question);
                ResultSet answer = query.executeQuery()) {
            return answer.next() ? answer.getString(1) : null;
        }
    }
}
