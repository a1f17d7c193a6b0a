package io.tallystick.durability.settle;

import io.tallystick.durability.postgresql.TwoDatabases;
import io.tallystick.narayana.recover.DataSourceRecovery;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.sql.XAConnection;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.postgresql.xa.PGXADataSource;

/** Two databases of a PostgreSQL server; a transaction inserts its label into both. */
final class DatabaseManagers implements ResourceManagers {
    private static final String OTHERS = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
            + " AND pid <> pg_backend_pid()";

    private final TwoDatabases databases;
    private final Path settings;
    // The branches of the history of now, by their places: what is not there any more was rolled back.
    private final Map<Place, BranchXid> known = new HashMap<>();

    private DatabaseManagers(TwoDatabases databases, Path settings) {
        this.databases = databases;
        this.settings = settings;
    }

    /** Why there are none on this machine; empty if there can be. */
    static Optional<String> unavailableBecause() {
        return TwoDatabases.unavailableBecause();
    }

    /** @param settings a directory for the properties of the helpers */
    static DatabaseManagers start(Path settings) throws IOException {
        TwoDatabases databases = TwoDatabases.start();
        Files.createDirectories(settings);
        for (String name : TwoDatabases.NAMES) {
            Files.writeString(
                    settings.resolve(name),
                    "class=" + PGXADataSource.class.getName() + "\nname=" + name + "\nurl="
                            + TwoDatabases.url(databases.port(), name) + "\n");
        }
        return new DatabaseManagers(databases, settings);
    }

    int port() {
        return databases.port();
    }

    /**
     * A participant in the process of the node.
     *
     * @param connections gets its connection, for the caller to close
     */
    static Participant participant(int port, String name, String label, List<AutoCloseable> connections)
            throws SQLException {
        XAConnection connection = connection(port, name);
        connections.add(connection::close);
        return new Participant(connection.getXAResource(), () -> {
            insert(connection, label);
            return null;
        });
    }

    private static XAConnection connection(int port, String name) throws SQLException {
        PGXADataSource source = new PGXADataSource();
        source.setUrl(TwoDatabases.url(port, name));
        return source.getXAConnection();
    }

    private static void insert(XAConnection into, String label) throws SQLException {
        try (Connection connection = into.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO entry VALUES ('" + label + "')");
        }
    }

    @Override
    public List<String> names() {
        return TwoDatabases.NAMES;
    }

    @Override
    public List<String> helpers() {
        return TwoDatabases.NAMES.stream()
                .flatMap(name ->
                        Stream.of("--helper", DataSourceRecovery.class.getName() + "=" + settings.resolve(name)))
                .toList();
    }

    @Override
    public Map<Place, Seen> branches(Map<String, String> labels) throws IOException {
        Map<Place, Seen> branches = new TreeMap<>(SettleModel.ORDER);
        try {
            for (String name : TwoDatabases.NAMES) {
                for (Xid xid : prepared(name)) {
                    BranchXid branch = BranchXid.of(xid);
                    Place place = new Place(labels.getOrDefault(branch.uid(), branch.uid()), name);
                    known.put(place, branch);
                    branches.put(place, new Seen(State.PREPARED, Optional.of(branch)));
                }
                for (String label : committed(name)) {
                    Place place = new Place(label, name);
                    known.putIfAbsent(place, null);
                    branches.put(place, new Seen(State.COMMITTED, Optional.ofNullable(known.get(place))));
                }
            }
        } catch (SQLException | XAException failed) {
            throw new IOException(failed);
        }
        known.forEach(
                (place, xid) -> branches.putIfAbsent(place, new Seen(State.ROLLED_BACK, Optional.ofNullable(xid))));
        return branches;
    }

    private Xid[] prepared(String name) throws SQLException, XAException {
        XAConnection connection = connection(databases.port(), name);
        try {
            return connection.getXAResource().recover(XAResource.TMSTARTRSCAN | XAResource.TMENDRSCAN);
        } finally {
            connection.close();
        }
    }

    private Set<String> committed(String name) throws SQLException {
        Set<String> labels = new TreeSet<>();
        try (Connection connection = DriverManager.getConnection(TwoDatabases.url(databases.port(), name));
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT name FROM entry")) {
            while (rows.next()) {
                labels.add(rows.getString(1));
            }
        }
        return labels;
    }

    @Override
    public void prepare(String resource, BranchXid xid, String label) throws IOException {
        try {
            XAConnection connection = connection(databases.port(), resource);
            try {
                XAResource branch = connection.getXAResource();
                branch.start(xid, XAResource.TMNOFLAGS);
                insert(connection, label);
                branch.end(xid, XAResource.TMSUCCESS);
                branch.prepare(xid);
            } finally {
                connection.close();
            }
        } catch (SQLException | XAException failed) {
            throw new IOException(failed);
        }
    }

    /** Ends what the history before has left, whatever was decided. */
    void reset() throws IOException {
        known.clear();
        try {
            for (String name : TwoDatabases.NAMES) {
                XAConnection connection = connection(databases.port(), name);
                try {
                    for (Xid xid : prepared(name)) {
                        connection.getXAResource().rollback(xid);
                    }
                } finally {
                    connection.close();
                }
                databases.sql(name, "TRUNCATE entry");
            }
        } catch (SQLException | XAException failed) {
            throw new IOException(failed);
        }
    }

    /** Returns when the server has ended the sessions of processes that were killed. */
    @Override
    public void awaitEndOfKilled() throws IOException, InterruptedException {
        ServerSessions.awaitEnd(TwoDatabases.url(databases.port(), TwoDatabases.NAMES.get(0)), OTHERS);
    }

    @Override
    public boolean canBeDown() {
        return false;
    }

    @Override
    public void setDown(String resource, boolean isDown) {
        throw new UnsupportedOperationException("a database always answers here");
    }

    @Override
    public void close() throws IOException {
        databases.close();
    }
}
