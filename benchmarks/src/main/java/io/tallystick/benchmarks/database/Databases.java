package io.tallystick.benchmarks.database;

import io.tallystick.benchmarks.subject.Subject;
import io.tallystick.benchmarks.subject.Subject.Needs;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StoreConfiguration;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The servers of a run: one alone, and a primary with a synchronous standby. They are made when they are first needed,
 * and run only while a step needs them. So they take nothing from the other steps. Each step has a new database.
 */
public final class Databases {
    /** The database of a step. */
    public static final String NAME = "bench";

    private static final String STANDBY = "standby";

    // From this version on the statement asks for a limit, as the store does.
    private static final int FIRST_WITH_LIMIT = 17;

    private final PostgresPrograms programs;
    private final Path directory;
    private PostgresServer alone;
    private PostgresServer primary;
    private PostgresServer standby;

    /**
     * @param programs of the server
     * @param directory of the run; the servers are deleted with it
     */
    public Databases(PostgresPrograms programs, Path directory) {
        this.programs = programs;
        this.directory = directory;
    }

    /**
     * Starts servers, with an empty database.
     *
     * @param which one server, or two
     * @param addedMillis added to each round trip, between the store and the primary and between primary and standby
     */
    public Running start(Needs which, int addedMillis) throws IOException {
        List<PostgresServer> started = new ArrayList<>();
        List<DelayingProxy> proxies = new ArrayList<>();
        Running running = new Running(programs, started, proxies);
        try {
            PostgresServer first = which == Needs.POSTGRESQL ? alone() : primary();
            started.add(first);
            first.start(which == Needs.POSTGRESQL ? List.of() : List.of("synchronous_standby_names=" + STANDBY));
            if (which == Needs.POSTGRESQL_STANDBY) {
                int port = delayed(first.port(), addedMillis, proxies);
                started.add(standby);
                standby.start(List.of("primary_conninfo=host=127.0.0.1 port=" + port + " user=" + PostgresServer.USER
                        + " application_name=" + STANDBY));
                first.awaitAnswer("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'", "1");
            }
            first.execute(
                    "DROP DATABASE IF EXISTS " + NAME,
                    "CREATE DATABASE " + NAME,
                    // Where a store puts its tables by itself, and where pgbench looks for them.
                    "ALTER DATABASE " + NAME + " SET search_path = public, tallystick",
                    "CHECKPOINT");
            running.port = delayed(first.port(), addedMillis, proxies);
            return running;
        } catch (IOException | SQLException | RuntimeException failed) {
            running.close();
            throw new IOException("PostgreSQL could not be started: " + failed.getMessage(), failed);
        }
    }

    private static int delayed(int port, int addedMillis, List<DelayingProxy> proxies) throws IOException {
        if (addedMillis == 0) {
            return port;
        }
        DelayingProxy proxy = DelayingProxy.open(port, addedMillis);
        proxies.add(proxy);
        return proxy.port();
    }

    private PostgresServer alone() throws IOException {
        if (alone == null) {
            alone = PostgresServer.create(programs, directory.resolve("postgresql-alone"));
        }
        return alone;
    }

    private PostgresServer primary() throws IOException {
        if (standby == null) {
            primary = PostgresServer.create(programs, directory.resolve("postgresql-primary"));
            standby = primary.copyForStandby(directory.resolve("postgresql-standby"));
        }
        return primary;
    }

    /** Servers that run, until they are closed. */
    public static final class Running implements AutoCloseable {
        private final List<PostgresServer> servers;
        private final List<DelayingProxy> proxies;
        private final PostgresPrograms programs;
        private int port;

        private Running(PostgresPrograms programs, List<PostgresServer> servers, List<DelayingProxy> proxies) {
            this.programs = programs;
            this.servers = servers;
            this.proxies = proxies;
        }

        /** Host and port for the store. */
        public String address() {
            return "127.0.0.1:" + port;
        }

        /**
         * The command of pgbench, words separated by line feeds, for the statement of a store. The tables are made by
         * the store itself, and the log is one of its own.
         */
        public String pgbench(Subject subject) throws IOException {
            open(subject).close();
            try (Connection connection = connect();
                    Statement statement = connection.createStatement();
                    ResultSet log = statement.executeQuery("SELECT log_id, epoch FROM tallystick_log")) {
                log.next();
                return String.join(
                        "\n",
                        programs.pgbench().orElseThrow().toString(),
                        "--host=127.0.0.1",
                        "--port=" + port,
                        "--username=" + PostgresServer.USER,
                        "--define=log_id=" + log.getLong(1),
                        "--define=epoch=" + log.getLong(2),
                        "--define=later=false", // one request that waits for the standby, as no proof follows
                        "--define=required=" + (subject.needs() == Needs.POSTGRESQL_STANDBY),
                        "--define=limited=" + (connection.getMetaData().getDatabaseMajorVersion() >= FIRST_WITH_LIMIT),
                        "--define=limit=10000ms",
                        NAME);
            } catch (SQLException trouble) {
                throw new IOException("the log for pgbench was not found: " + trouble.getMessage(), trouble);
            }
        }

        /** Opens one of our stores on these servers. */
        public ObjectStore open(Subject subject) {
            StoreConfiguration.Builder configuration = StoreConfiguration.builder();
            Map<String, String> settings = new LinkedHashMap<>(subject.settingsIn(Path.of("")));
            settings.putAll(subject.settingsOf(address() + "/" + NAME));
            settings.forEach((key, value) -> {
                if (key.startsWith("tallystick.")) {
                    configuration.set(key, value);
                }
            });
            return ObjectStores.open(configuration.build());
        }

        /** A connection to the database of the step, past any delay. */
        public Connection connect() throws SQLException {
            return servers.get(0).connect(NAME);
        }

        /** The first process of each server; all others are its children. */
        public List<Long> processes() {
            return servers.stream().map(PostgresServer::pid).toList();
        }

        /** Stops the primary first, so that the standby has everything. */
        @Override
        public void close() throws IOException {
            for (PostgresServer server : servers) {
                server.stop();
            }
            for (DelayingProxy proxy : proxies) {
                proxy.close();
            }
        }
    }
}
