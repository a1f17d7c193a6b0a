package io.tallystick.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.StoreOption.Replication;
import io.tallystick.store.spi.ServerReport;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code tallystick doctor} says before a store is opened. */
class ServerExaminationTest extends WithServer {
    /** An address of this machine that does not look like one. */
    private static final String ELSEWHERE = "//127.1:";

    private static Path certificate;

    @BeforeAll
    static void offerTls() throws Exception {
        certificate = server.offerTls();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&sslmode=disable", "&sslmode=require", "&sslmode=verify-ca"})
    void aModeBelowVerifyFullIsWarnedOf(String mode) {
        String url = server.url().replace("//127.0.0.1:", ELSEWHERE) + mode + "&sslrootcert=" + certificate;
        assertThat(examined(Stores.settings(url, "n")).warnings())
                .anyMatch(warning -> warning.contains("add sslmode=verify-full to tallystick.postgresql.url"));
    }

    @Test
    void aServerThatIsVerifiedIsNotWarnedOf() {
        ServerReport report =
                examined(Stores.settings(server.url() + "&sslmode=verify-full&sslrootcert=" + certificate, "n"));
        assertThat(report.problems()).isEmpty();
        assertThat(report.warnings()).noneMatch(warning -> warning.contains("sslmode"));
    }

    @Test
    void timesThatDoNotGoTogetherAreAProblem() {
        String url = PostgresServer.urlOf("127.0.0.1:" + server.port() + ",127.0.0.1:1,127.0.0.1:1");
        assertThat(examined(Stores.settings(url, "n").set(StoreOption.LEASE, Duration.ofSeconds(3)))
                        .problems())
                .anyMatch(problem ->
                        problem.contains("tallystick.lease=3000ms") && problem.contains("tallystick.postgresql.url"));
    }

    @Test
    void aStandbyThatCountsForLongerThanThePatienceIsWarnedOf() throws SQLException {
        assertThat(ofStandbys("FIRST 1 (a, b)", "60s").warnings())
                .anyMatch(warning ->
                        warning.startsWith("wal_sender_timeout=60s") && warning.contains("tallystick.patience=20s"));
        assertThat(ofStandbys("FIRST 1 (a, b)", "10s").warnings())
                .noneMatch(warning -> warning.startsWith("wal_sender_timeout"));
        assertThat(ofStandbys("a", "60s").warnings()).noneMatch(warning -> warning.startsWith("wal_sender_timeout"));
    }

    private static ServerReport ofStandbys(String names, String timeout) throws SQLException {
        try {
            set("synchronous_standby_names", names);
            set("wal_sender_timeout", timeout.equals("60s") ? "1min" : timeout);
            return examined(
                    Stores.settings(server.url(), "n").set(StoreOption.REQUIRE_REPLICATION, Replication.STANDBY));
        } finally {
            set("synchronous_standby_names", "");
        }
    }

    private static void set(String setting, String value) throws SQLException {
        server.sql("ALTER SYSTEM SET " + setting + " = '" + value + "'");
        server.sql("SELECT pg_reload_conf()");
        await().atMost(Duration.ofSeconds(60)).until(() -> server.one("SELECT current_setting('" + setting + "')")
                .equals(value));
    }

    private static ServerReport examined(StoreConfiguration.Builder settings) {
        return new PostgresLogs().examine(settings.build());
    }
}
