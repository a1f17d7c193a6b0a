package io.tallystick.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tallystick.store.Durability;
import io.tallystick.store.LossMarking;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreFailedException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.StoreStatistics;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a person reads while the server does not serve, and why. */
class OutageTest extends WithServer {
    private static final Duration SHORT = Duration.ofSeconds(3);

    @Test
    void losingAndFindingTheServerIsALineEachAndIsCounted() throws Exception {
        try (ToldLines told = new ToldLines(ServerContact.class);
                ObjectStore store = Stores.open(Stores.settings(server.url(), "lost"))) {
            store.write(Stores.key(1), Stores.state("before"), Durability.FORCED);
            assertThat(figures(store).reconnects()).isZero();
            server.stop("immediate");
            CompletableFuture<Void> waiting =
                    store.writeAsync(Stores.key(2), Stores.state("waits")).toCompletableFuture();
            await().atMost(Duration.ofSeconds(30)).until(() -> told.count("TALLY0335") > 0);
            server.run();
            waiting.get(60, TimeUnit.SECONDS);
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> told.count("TALLY0336") > 0 && told.count("TALLY0336") == told.count("TALLY0335"));
            assertThat(told.all()).hasSizeLessThan(5);
            assertThat(told.all().get(0)).contains("node=lost", "tallystick.patience=20s");
            assertThat(figures(store).reconnects()).isPositive();
            assertThat(figures(store).looks()).isPositive();
        }
    }

    @Test
    void aServerWithoutAConnectionLeftIsInTheLastMessageThoughAnotherHostSaysSomethingElse() throws Exception {
        server.sql("CREATE ROLE crowd LOGIN");
        openAs("postgres", "crowded").close();
        grant("crowded", "crowd");
        String url = PostgresServer.urlOf("127.0.0.1:" + server.port() + ",127.0.0.1:1")
                .replace("user=postgres", "user=crowd");
        ObjectStore store = Stores.open(Stores.settings(url, "crowded")
                .set(StoreOption.POSTGRESQL_SCHEMA, "crowded")
                .set(StoreOption.POSTGRESQL_CREATE_TABLES, false)
                .set(StoreOption.PATIENCE, SHORT));
        server.sql("ALTER ROLE crowd CONNECTION LIMIT 0");
        server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'crowd'");

        assertThatThrownBy(() -> store.write(Stores.key(1), Stores.state("none left"), Durability.FORCED))
                .hasMessageContaining("too many connections")
                .hasMessageContaining("53300")
                .hasMessageContaining("127.0.0.1:1: ");
        Stores.closeFailed(store);
    }

    @Test
    void aRightThatIsRevokedUnderLoadIsNotUnknownAndIsNamed() throws Exception {
        ObjectStore store = openAsOwnRole("revoked");
        store.write(Stores.key(1), Stores.state("before"), Durability.FORCED);
        server.sql("REVOKE INSERT ON revoked.tallystick_batch FROM revoked");

        assertThatThrownBy(() -> store.write(Stores.key(2), Stores.state("refused"), Durability.FORCED))
                .isInstanceOf(StoreFailedException.class)
                .hasMessageContaining("permission denied for table tallystick_batch (SQLSTATE 42501)")
                .hasMessageContaining("nothing was written");
        Stores.closeFailed(store);
    }

    @Test
    void aRightThatIsGivenBackWithinThePatienceDelaysWritesAndTheLogSaysSo() throws Exception {
        try (ObjectStore store = openAsOwnRole("back", Duration.ofSeconds(30));
                ToldLines told = new ToldLines(ServerContact.class)) {
            server.sql("REVOKE INSERT ON back.tallystick_batch FROM back");
            CompletableFuture<Void> waiting =
                    store.writeAsync(Stores.key(1), Stores.state("waits")).toCompletableFuture();
            assertThatThrownBy(() -> waiting.get(1, TimeUnit.SECONDS))
                    .isInstanceOf(java.util.concurrent.TimeoutException.class);
            await().atMost(Duration.ofSeconds(10)).until(() -> told.count("TALLY0335") > 0);
            assertThat(told.all().get(0)).contains("permission denied for table tallystick_batch (SQLSTATE 42501)");
            server.sql("GRANT INSERT ON back.tallystick_batch TO back");
            waiting.get(60, TimeUnit.SECONDS);
            await().atMost(Duration.ofSeconds(10)).until(() -> told.count("TALLY0336") > 0);
        }
    }

    /** The server says of a schema that a user may not use that its tables are not there. */
    @Test
    void aSchemaThatTheUserMayNotUseAnyMoreIsNoLoss() throws Exception {
        ObjectStore store = openAsOwnRole("barred");
        store.write(Stores.key(1), Stores.state("before"), Durability.FORCED);
        server.sql("REVOKE USAGE ON SCHEMA barred FROM barred");

        assertThatThrownBy(() -> store.write(Stores.key(2), Stores.state("refused"), Durability.FORCED))
                .isInstanceOf(StoreFailedException.class)
                .hasMessageContaining("the user barred may not use the schema barred")
                .hasMessageContaining("GRANT USAGE ON SCHEMA \"barred\" TO \"barred\"")
                .hasMessageNotContaining("went back in time");
        assertThat(store.lossMarking()).isEqualTo(LossMarking.NO_LOSS);
        Stores.closeFailed(store);

        server.sql("GRANT USAGE ON SCHEMA barred TO barred");
        try (ObjectStore next = openAsOwnRole("barred")) {
            assertThat(next.read(Stores.key(1))).contains(Stores.state("before"));
        }
    }

    @Test
    void anIdleOwnerWhoseUserMayNotUseTheSchemaAnyMoreGoesOnWhenItMayAgain() throws Exception {
        try (ObjectStore store = openAsOwnRole("idle");
                ToldLines told = new ToldLines(ServerContact.class)) {
            server.sql("REVOKE USAGE ON SCHEMA idle FROM idle");
            await().atMost(Duration.ofSeconds(30)).until(() -> told.count("TALLY0335") > 0);
            assertThat(told.all().get(0)).contains("may not use the schema idle");
            server.sql("GRANT USAGE ON SCHEMA idle TO idle");
            await().atMost(Duration.ofSeconds(30)).until(() -> told.count("TALLY0336") > 0);
            store.write(Stores.key(1), Stores.state("goes on"), Durability.FORCED);
        }
    }

    /** The server said that there are no tables, and before this process asked why, the right was back. */
    @Test
    void aRightThatIsBackBeforeTheLookForItsCauseIsNoLoss() throws Exception {
        Stores.open(Stores.settings(server.url(), "back")).close();
        PostgresOptions options =
                PostgresOptions.from(Stores.settings(server.url(), "back").build());
        SQLException said = new SQLException("relation does not exist", "42P01");
        try (Connection connection = server.begin("SELECT 1")) {
            assertThatThrownBy(() -> LogTaken.ofMissingTables(connection, options, said))
                    .isSameAs(said);
        }
        PostgresOptions elsewhere = PostgresOptions.from(Stores.settings(server.url(), "back")
                .set(StoreOption.POSTGRESQL_SCHEMA, "nowhere")
                .build());
        try (Connection connection = server.begin("SELECT 1")) {
            assertThat(LogTaken.ofMissingTables(connection, elsewhere, said))
                    .hasMessageContaining("not there any more");
        }
    }

    @Test
    void anOpeningThatWaitsForTheLeaseSaysForWhom() throws Exception {
        Stores.open(Stores.settings(server.url(), "waits")).close();
        server.sql("UPDATE tallystick.tallystick_log SET clean = false WHERE node_id = 'waits'");
        try (ToldLines told = new ToldLines(Ownership.class)) {
            Stores.open(Stores.settings(server.url(), "waits")).close();

            assertThat(told.count("TALLY0337")).isEqualTo(1);
            assertThat(told.all().get(0))
                    .contains("node=waits", "pid=" + ProcessHandle.current().pid(), "2000 ms");
        }
    }

    @Test
    void theFiguresOfALogAreThoseOfItsTable() throws Exception {
        try (ObjectStore store = Stores.openWithSmallRanges(Stores.settings(server.url(), "figures"))) {
            for (int i = 0; i < 100; i++) {
                store.write(Stores.key(1), new byte[2000], Durability.FORCED);
            }
            StoreStatistics.Remote figures = figures(store);
            String log = " FROM tallystick.tallystick_batch JOIN tallystick.tallystick_log USING (log_id)"
                    + " WHERE node_id = 'figures'";
            assertThat(figures.batches()).isEqualTo(Long.parseLong(server.one("SELECT count(*)" + log)));
            assertThat(figures.batchBytes()).isEqualTo(Long.parseLong(server.one("SELECT sum(length(body))" + log)));
            assertThat(figures.epoch()).isEqualTo(1);
            assertThat(figures.sinceOwned()).isLessThan(Duration.ofSeconds(60));
            assertThat(figures.waitingCommits()).isZero();
            assertThat(figures.trimLagBytes()).isLessThan(64 << 10);
        }
    }

    private static StoreStatistics.Remote figures(ObjectStore store) {
        return store.statistics().remote().orElseThrow();
    }

    /** A log in a schema of its own, of a role with the same name that has the documented grants. */
    private static ObjectStore openAsOwnRole(String name) throws SQLException {
        return openAsOwnRole(name, SHORT);
    }

    private static ObjectStore openAsOwnRole(String name, Duration patience) throws SQLException {
        if (server.one("SELECT count(*) FROM pg_roles WHERE rolname = '" + name + "'")
                .equals("0")) {
            server.sql("CREATE ROLE " + name + " LOGIN");
            openAs("postgres", name).close();
            grant(name, name);
        }
        return Stores.open(as(name, name).set(StoreOption.PATIENCE, patience));
    }

    private static ObjectStore openAs(String role, String schema) {
        return Stores.open(as(role, schema).set(StoreOption.POSTGRESQL_CREATE_TABLES, true));
    }

    private static StoreConfiguration.Builder as(String role, String schema) {
        return Stores.settings(server.url().replace("user=postgres", "user=" + role), schema)
                .set(StoreOption.POSTGRESQL_SCHEMA, schema)
                .set(StoreOption.POSTGRESQL_CREATE_TABLES, false);
    }

    private static void grant(String schema, String role) throws SQLException {
        for (String grant : Schema.grants(schema, role)) {
            server.sql(grant);
        }
    }
}
