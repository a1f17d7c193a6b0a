package io.tallystick.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.spi.UninterruptedWait;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Other logs of the same server, whose numbers are the same. */
class NeighboursTest extends WithServer {
    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final int DATABASES = 20;
    private static final int SCHEMAS = 10;
    /** The server takes sixty connections. */
    private static final int ALIVE_AT_ONCE = 10;

    private static final int RESTARTS = 60;

    @Test
    void aKilledNodeStartsBesideANeighbourInAnotherSchemaWithTheSameNumbers() throws SQLException {
        assertStartsBeside("postgres", "one", "postgres", "two");
    }

    @Test
    void aKilledNodeStartsBesideANeighbourInAnotherDatabaseWithTheSameNumbers() throws SQLException {
        server.sql("CREATE DATABASE stock");
        server.sql("CREATE DATABASE orders");
        assertStartsBeside("orders", "tallystick", "stock", "tallystick");
    }

    private static void assertStartsBeside(String database, String schema, String othersDatabase, String othersSchema)
            throws SQLException {
        beKilled(database, schema);
        try (ObjectStore neighbour = Stores.open(settings(othersDatabase, othersSchema))) {
            assertThat(numbers(database, schema)).isEqualTo(numbers(othersDatabase, othersSchema));

            Stores.open(settings(database, schema)).close();

            neighbour.write(Stores.key(1), Stores.state("lives"), Durability.FORCED);
        }
    }

    @Test
    void anOwnerWhoseConnectionsAreNamedAsBeforeLives() throws Exception {
        beKilled("postgres", "former");
        try (BeatingSession owner = new BeatingSession("postgres", numbers("postgres", "former"))) {
            assertThatThrownBy(() -> Stores.open(settings("postgres", "former")))
                    .isInstanceOf(StoreLockedException.class)
                    .hasMessageContaining("has an owner that lives");
            owner.check();
        }
    }

    @Test
    void aSessionOfThatNameInAnotherDatabaseIsAStranger() throws Exception {
        server.sql("CREATE DATABASE elsewhere");
        beKilled("postgres", "alone");
        String store = one("postgres", "SELECT store_id || ' ' || epoch FROM alone.tallystick_log");
        try (BeatingSession former = new BeatingSession("elsewhere", numbers("postgres", "alone"));
                BeatingSession stranger = new BeatingSession("elsewhere", store)) {
            Stores.open(settings("postgres", "alone")).close();
            former.check();
            stranger.check();
        }
    }

    @Tag("long")
    @Test
    @Timeout(600)
    void noneOfTwoHundredLogsWaitsForAStranger() throws SQLException {
        List<StoreConfiguration.Builder> logs = new ArrayList<>();
        List<String> places = new ArrayList<>();
        for (int database = 0; database < DATABASES; database++) {
            server.sql("CREATE DATABASE many" + database);
            for (int schema = 0; schema < SCHEMAS; schema++) {
                beKilled("many" + database, "s" + schema);
                logs.add(settings("many" + database, "s" + schema));
                places.add("many" + database + ".s" + schema);
            }
        }
        Random random = new Random(31);
        Map<Integer, ObjectStore> alive = new HashMap<>();
        for (int restart = 0; restart < RESTARTS; restart++) {
            int next = random.nextInt(logs.size());
            if (alive.containsKey(next)) {
                alive.remove(next).close();
            } else if (alive.size() == ALIVE_AT_ONCE) {
                alive.remove(alive.keySet().iterator().next()).close();
            }
            ObjectStore opened = Stores.open(logs.get(next));
            opened.write(Stores.key(restart), Stores.state(places.get(next)), Durability.FORCED);
            alive.put(next, opened);
        }
        alive.values().forEach(ObjectStore::close);
    }

    private static StoreConfiguration.Builder settings(String database, String schema) {
        return Stores.settings(url(database), "node")
                .set(StoreOption.POSTGRESQL_SCHEMA, schema)
                .set(StoreOption.LEASE, LEASE);
    }

    /** Leaves a log that was not closed, and whose owner has no connection. */
    private static void beKilled(String database, String schema) throws SQLException {
        Stores.open(settings(database, schema)).close();
        sql(database, "UPDATE " + schema + ".tallystick_log SET clean = false");
    }

    private static String numbers(String database, String schema) throws SQLException {
        return one(database, "SELECT log_id || ' ' || epoch FROM " + schema + ".tallystick_log");
    }

    private static String url(String database) {
        return server.url().replace("/postgres", "/" + database);
    }

    private static void sql(String database, String statement) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url(database));
                Statement plain = connection.createStatement()) {
            plain.execute(statement);
        }
    }

    private static String one(String database, String query) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url(database));
                Statement plain = connection.createStatement();
                ResultSet answer = plain.executeQuery(query)) {
            answer.next();
            return answer.getString(1);
        }
    }

    /** A session that asks the server something ten times a second, as an owner does. */
    private static final class BeatingSession implements AutoCloseable {
        private final AtomicBoolean isOver = new AtomicBoolean();
        private final Connection connection;
        private final Thread beating;
        private volatile SQLException failure;

        private BeatingSession(String database, String name) throws SQLException {
            connection = DriverManager.getConnection(url(database));
            connection.setClientInfo("ApplicationName", "tallystick " + name);
            beating = new Thread(this::beat, "test-beating");
            beating.start();
        }

        private void beat() {
            try (Statement statement = connection.createStatement()) {
                while (!isOver.get()) {
                    statement.execute("SELECT pg_sleep(0.1)");
                }
            } catch (SQLException trouble) {
                failure = trouble;
            }
        }

        private void check() throws SQLException {
            if (failure != null) {
                throw failure;
            }
        }

        @Override
        public void close() throws SQLException {
            isOver.set(true);
            UninterruptedWait.join(beating);
            connection.close();
        }
    }
}
