package io.tallystick.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.StoreOption.Replication;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A service that replicates below PostgreSQL shows no second copy, and may write no full pages. */
class ServiceReplicationTest extends WithServer {
    @AfterEach
    void writeFullPages() throws SQLException {
        fullPages(true);
    }

    @Test
    void aServerOfAServiceIsTakenWithOneWarningThatNamesItAndWhatIsNotSeen() throws SQLException {
        fullPages(false);
        try (ToldLines told = new ToldLines(ServiceWarning.class);
                ObjectStore store = Stores.open(settings("service", Replication.SERVICE))) {
            for (int i = 0; i < 10; i++) {
                store.write(Stores.key(i), Stores.state("acknowledged"), Durability.FORCED);
            }
            assertThat(told.all()).hasSize(1);
            assertThat(told.all().get(0))
                    .startsWith("TALLY0338")
                    .contains(
                            "127.0.0.1:" + server.port(),
                            "full_page_writes is off",
                            "synchronous_standby_names is empty");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"STANDBY", "NONE"})
    void withoutAServiceAServerThatWritesNoFullPagesIsRefused(Replication replication) throws SQLException {
        fullPages(false);
        assertThatThrownBy(() -> Stores.open(settings("pages", replication)))
                .isInstanceOf(StoreIoException.class)
                .hasMessageContaining("full_page_writes is off")
                .hasMessageContaining("tallystick.require-replication=service");
    }

    @Test
    void oneCopyIsTakenWithoutAWarningWhereOneIsEnough() {
        try (ToldLines told = new ToldLines(ServiceWarning.class)) {
            Stores.open(settings("one", Replication.NONE)).close();
            assertThat(told.all()).isEmpty();
        }
    }

    @Test
    void aSettingThatIsSwitchedOffUnderAnOwnerIsToldOnce() throws SQLException {
        try (ToldLines told = new ToldLines(SettingsWatch.class);
                ObjectStore owner = Stores.open(settings("switched", Replication.NONE))) {
            owner.write(Stores.key(1), Stores.state("before"), Durability.FORCED);
            fullPages(false);
            await().atMost(Duration.ofSeconds(30)).until(() -> told.count("TALLY0339") > 0);
            owner.write(Stores.key(2), Stores.state("goes on"), Durability.FORCED);
            fullPages(true);
            assertThat(told.all()).hasSize(1);
            assertThat(told.all().get(0)).contains("full_page_writes was switched off", "node=switched");
        }
    }

    private static StoreConfiguration.Builder settings(String node, Replication replication) {
        return Stores.settings(server.url(), node).set(StoreOption.REQUIRE_REPLICATION, replication);
    }

    private static void fullPages(boolean isOn) throws SQLException {
        server.sql("ALTER SYSTEM SET full_page_writes = " + isOn);
        server.sql("SELECT pg_reload_conf()");
        await().atMost(Duration.ofSeconds(60)).until(() -> server.one("SELECT current_setting('full_page_writes')")
                .equals(isOn ? "on" : "off"));
    }
}
