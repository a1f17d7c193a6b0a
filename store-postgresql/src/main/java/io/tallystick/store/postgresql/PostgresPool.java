package io.tallystick.store.postgresql;

import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.spi.NodePool;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The nodes of a pool, from the logs, the connections of their owners, and {@value Schema#POOLS}. That table has a row
 * for each node that the pool was given. A log of such a name without a row is another program's.
 *
 * <p><b>A hint.</b> Whether an owner lives is judged here by the server's clock, from one look. Who opens a log looks
 * once more, for a whole lease and by its own clock ({@link Ownership}). So a wrong answer costs time alone.
 *
 * <p><b>Since when a log has no owner</b> is noted by whoever sees it first, with the epoch of the last owner. A note
 * of another epoch is void.
 */
final class PostgresPool implements NodePool {
    private static final String ANY = "-*";
    private static final Comparator<Member> IN_ORDER = Comparator.comparing(Member::state)
            .thenComparing(member -> member.state() == State.CLEAN && member.isFinished())
            .thenComparing(
                    member -> member.state() == State.GONE ? member.ownerless().orElse(Duration.ZERO) : Duration.ZERO,
                    Comparator.reverseOrder());

    private static final String LOOK = "SELECT node_id, l.epoch, l.clean, l.role, l.owner, l.lease_millis,"
            + " p.node_id IS NOT NULL, p.pool, p.application,"
            + " CASE WHEN p.ownerless_epoch = l.epoch"
            + " THEN extract(epoch FROM clock_timestamp() - p.ownerless_since) * 1000 END,"
            + " EXISTS (SELECT 1 FROM pg_stat_activity a WHERE a.datname = current_database()"
            + " AND a.application_name = '" + Ownership.OPENING + "' || node_id"
            // One that waits asks again and again. The session of a dead machine stays for hours.
            + " AND coalesce(clock_timestamp() - a.query_start"
            + " < greatest(coalesce(l.lease_millis, 0), ?) * interval '1 millisecond', true)),"
            + " (SELECT min(coalesce(extract(epoch FROM clock_timestamp() - a.query_start) * 1000, 0))"
            + " FROM pg_stat_activity a WHERE a.datname = current_database() AND a.application_name IN"
            + " ('" + OwnerSessions.FIRST + "' || l.store_id || ' ' || l.epoch,"
            + " '" + OwnerSessions.FIRST + "' || l.log_id || ' ' || l.epoch)),"
            + " coalesce(p.finished_epoch = l.epoch, false)"
            + " FROM tallystick_log l FULL JOIN tallystick_pool p USING (node_id) WHERE starts_with(node_id, ?)";

    private final PostgresOptions options;
    private final String name;
    private final int size;
    private final String application;

    private PostgresPool(PostgresOptions options, String name, int size, String application) {
        this.options = options;
        this.name = name;
        this.size = size;
        this.application = application;
    }

    /** @throws IllegalArgumentException a key is missing or wrong */
    static PostgresPool of(StoreConfiguration configuration) {
        String name = configuration.get(StoreOption.NODE_POOL);
        StoreConfiguration ofAll =
                configuration.toBuilder().set(StoreOption.NODE_ID, name + ANY).build();
        return new PostgresPool(
                PostgresOptions.from(ofAll),
                name,
                configuration.get(StoreOption.NODE_POOL_SIZE),
                configuration.find(StoreOption.NODE_POOL_APPLICATION).orElse(""));
    }

    @Override
    public Look look() {
        return asked("tallystick looking at " + options.nodeId(), connection -> {
            List<Row> rows = read(connection);
            Optional<String> foreign = rows.stream()
                    .map(this::whyForeign)
                    .flatMap(Optional::stream)
                    .findFirst();
            Map<Integer, Member> members = new TreeMap<>();
            for (Row row : rows) {
                members.put(numberIn(row.node), member(connection, row));
            }
            for (int number = 1; number <= size; number++) {
                members.putIfAbsent(number, new Member(name + '-' + number, State.NEW, 0, Optional.empty(), true, ""));
            }
            // By number where nothing else tells two apart: the sorting is stable.
            return new Look(members.values().stream().sorted(IN_ORDER).toList(), foreign);
        });
    }

    @Override
    public boolean reserve(String node) {
        return asked("tallystick reserving " + node, connection -> {
            try (PreparedStatement insert =
                    connection.prepareStatement("INSERT INTO tallystick_pool (node_id, pool, application)"
                            + " VALUES (?, ?, ?) ON CONFLICT (node_id) DO NOTHING")) {
                insert.setString(1, node);
                insert.setString(2, name);
                insert.setString(3, application);
                insert.executeUpdate();
            }
            try (PreparedStatement query = connection.prepareStatement(
                    "SELECT 1 FROM tallystick_pool WHERE node_id = ? AND pool = ? AND application = ?")) {
                query.setString(1, node);
                query.setString(2, name);
                query.setString(3, application);
                try (ResultSet own = query.executeQuery()) {
                    return own.next();
                }
            }
        });
    }

    @Override
    public boolean claimRecovery(Member member, Duration pause) {
        return asked("tallystick claiming " + member.node(), connection -> {
            try (PreparedStatement update =
                    connection.prepareStatement("UPDATE tallystick_pool SET recovery_tried = clock_timestamp()"
                            + " WHERE node_id = ? AND ownerless_epoch = ? AND (recovery_tried IS NULL"
                            + " OR recovery_tried < clock_timestamp() - ? * interval '1 millisecond')"
                            + " AND EXISTS (SELECT 1 FROM tallystick_log l WHERE l.node_id = tallystick_pool.node_id"
                            + " AND l.epoch = ownerless_epoch)")) {
                update.setString(1, member.node());
                update.setLong(2, member.epoch());
                update.setLong(3, pause.toMillis());
                return update.executeUpdate() == 1;
            }
        });
    }

    @Override
    public void noteFinished(Member recovered) {
        asked("tallystick noting " + recovered.node(), connection -> {
            // The recovery has had one epoch, the next one.
            try (PreparedStatement update =
                    connection.prepareStatement("UPDATE tallystick_pool p SET finished_epoch = l.epoch"
                            + " FROM tallystick_log l WHERE p.node_id = ? AND l.node_id = p.node_id AND l.clean"
                            + " AND l.epoch = ? AND l.role = '" + LogRow.ADOPTER + "'")) {
                update.setString(1, recovered.node());
                update.setLong(2, recovered.epoch() + 1);
                return update.executeUpdate();
            }
        });
    }

    @Override
    public boolean isWithinBound(String node) {
        return numberIn(node) <= size;
    }

    /** A row of the look. */
    private record Row(
            String node,
            long epoch,
            boolean isClean,
            boolean isAdopters,
            String owner,
            long leaseMillis,
            boolean isOfPool,
            String application,
            Optional<Duration> ownerless,
            boolean isBeingOpened,
            Optional<Long> silentMillis,
            boolean isFinished) {
        boolean isNew() {
            return epoch == 0; // there is no log, or one that nobody has taken
        }

        State state() {
            if (isNew()) {
                return isBeingOpened ? State.BEING_TAKEN : State.NEW;
            }
            if (!isClean && silentMillis.isPresent() && silentMillis.get() < leaseMillis) {
                return isAdopters ? State.ADOPTED : State.LIVING;
            }
            if (isBeingOpened) {
                return State.BEING_TAKEN;
            }
            return isClean ? State.CLEAN : State.GONE;
        }
    }

    private List<Row> read(Connection connection) throws SQLException {
        List<Row> rows = new ArrayList<>();
        try (PreparedStatement query = connection.prepareStatement(LOOK)) {
            query.setLong(1, options.lease().toMillis());
            query.setString(2, name + '-');
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    if (numberIn(row.getString(1)) == 0) {
                        continue; // another name that begins with this one
                    }
                    boolean isOfPool = row.getBoolean(7) && name.equals(row.getString(8));
                    rows.add(new Row(
                            row.getString(1),
                            row.getLong(2),
                            row.getBoolean(3),
                            LogRow.ADOPTER.equals(row.getString(4)),
                            Optional.ofNullable(row.getString(5)).orElse(""),
                            row.getLong(6),
                            isOfPool,
                            row.getString(9),
                            millis(row, 10).map(Duration::ofMillis),
                            row.getBoolean(11),
                            millis(row, 12),
                            row.getBoolean(13)));
                }
            }
        }
        return rows;
    }

    private static Optional<Long> millis(ResultSet row, int column) throws SQLException {
        double found = row.getDouble(column);
        return row.wasNull() ? Optional.empty() : Optional.of(Math.max(0, (long) found));
    }

    private Optional<String> whyForeign(Row row) {
        if (!row.isOfPool) {
            return Optional.of(
                    "the log of " + row.node + " was not made by the pool " + name + " (owner: " + row.owner + ")");
        }
        return row.application.equals(application)
                ? Optional.empty()
                : Optional.of("the pool " + name + " was made by the application '" + row.application
                        + "', and this one is '" + application + "' (" + StoreOption.NODE_POOL_APPLICATION.key() + ")");
    }

    private static Member member(Connection connection, Row row) throws SQLException {
        State state = row.state();
        boolean isOwnerless = state == State.GONE || state == State.CLEAN;
        if (isOwnerless && row.ownerless.isEmpty()) {
            note(connection, row, "?, ownerless_since = clock_timestamp()");
        } else if (state == State.LIVING && row.ownerless.isPresent()) { // it had lost its connections for a time
            note(connection, row, "nullif(?, ownerless_epoch), ownerless_since = NULL");
        }
        Optional<Duration> ownerless =
                isOwnerless ? Optional.of(row.ownerless.orElse(Duration.ZERO)) : Optional.empty();
        return new Member(row.node, state, row.epoch, ownerless, row.isFinished || state == State.NEW, row.owner);
    }

    private static void note(Connection connection, Row row, String values) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("UPDATE tallystick_pool SET recovery_tried = NULL,"
                + " ownerless_epoch = " + values + " WHERE node_id = ?")) {
            update.setLong(1, row.epoch);
            update.setString(2, row.node);
            update.executeUpdate();
        }
    }

    private int numberIn(String node) {
        return NodePool.numberOf(name, node);
    }

    private <T> T asked(String applicationName, Transaction.Work<T> question) {
        try {
            return OwnThread.call("tallystick-postgresql-pool", () -> {
                Connection connection = new Connections(options).open(applicationName);
                try {
                    prepare(connection);
                    return question.on(connection);
                } finally {
                    Connections.closeQuietly(connection);
                }
            });
        } catch (SQLException trouble) {
            throw new StoreIoException(
                    "the pool of nodes in " + options.place() + " cannot be used: " + trouble.getMessage()
                            + "; check the server, user and password; nothing that was stored was changed",
                    trouble);
        }
    }

    private void prepare(Connection connection) throws SQLException {
        Schema.checkUsage(connection, options);
        Schema.check(connection, options);
        if (!Schema.hasPoolTable(connection, options.schema()) && options.createTables()) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("BEGIN; SELECT pg_advisory_xact_lock(" + Schema.ADVISORY_LOCK + ")");
                statement.execute(Schema.poolTable(options.schema()));
                statement.execute("COMMIT");
            }
        }
        List<String> lacks = new TableCheck(connection, options.schema()).pools();
        if (!lacks.isEmpty()) {
            throw new Connections.UnfitServerException(String.join(", ", lacks)
                    + "; 'tallystick postgresql ddl --role USER' prints the statements that change this, or set "
                    + StoreOption.POSTGRESQL_CREATE_TABLES.key() + "=true");
        }
    }
}
