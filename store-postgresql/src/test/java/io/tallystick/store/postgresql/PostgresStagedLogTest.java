package io.tallystick.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tallystick.storage.NanoClock;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreLockedException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A log that is filled out of reach is whole when it appears, and gives way to one that is there. */
class PostgresStagedLogTest extends WithServer {
    @Test
    void theLogOfTheNodeAppearsAsAWhole() throws SQLException {
        PostgresStagedLog staged = staged("whole");
        fill(staged, "first");
        assertThat(logsOf("whole")).isEqualTo("0");
        assertThat(staged.isUnfinished()).isTrue();

        assertThat(staged.inspect().records()).hasSize(1);
        staged.publish();

        assertThat(staged.isUnfinished()).isFalse();
        try (ObjectStore store = Stores.open(Stores.settings(server.url(), "whole"))) {
            assertThat(store.read(Stores.key(1))).contains(Stores.state("first"));
        }
    }

    @Test
    void whatAnEarlierRunHasLeftIsGone() {
        fill(staged("again"), "left");
        PostgresStagedLog staged = staged("again");

        staged.create().close();

        assertThat(staged.inspect().records()).isEmpty();
        staged.discard();
        assertThat(staged.isUnfinished()).isFalse();
    }

    @Test
    void aLogThatTheNodeHasGotMeanwhileStays() throws SQLException {
        PostgresStagedLog staged = staged("late");
        fill(staged, "staged");
        staged.inspect();
        Stores.open(Stores.settings(server.url(), "late")).close();

        assertThatThrownBy(staged::publish)
                .isInstanceOf(StoreLockedException.class)
                .hasMessageContaining("was made by another process meanwhile");

        assertThat(logsOf("late")).isEqualTo("1");
        try (ObjectStore store = Stores.open(Stores.settings(server.url(), "late"))) {
            assertThat(store.read(Stores.key(1))).isEmpty();
        }
    }

    @Test
    void aLogThatWasOpenedSinceItWasReadIsNotPublished() throws SQLException {
        PostgresStagedLog staged = staged("changed");
        fill(staged, "first");
        staged.inspect();
        fill(staged("changed"), "second");

        assertThatThrownBy(staged::publish).isInstanceOf(StoreLockedException.class);
        assertThat(logsOf("changed")).isEqualTo("0");
    }

    /** The answer to a publication may be lost while the server still carries it out. */
    @Test
    void aLogWhosePublicationIsUnderWayIsNotDiscarded() throws Exception {
        PostgresStagedLog staged = staged("slow");
        fill(staged, "first");
        try (Connection publishing = DriverManager.getConnection(server.url());
                Statement statement = publishing.createStatement()) {
            publishing.setAutoCommit(false);
            statement.executeUpdate("UPDATE tallystick.tallystick_log SET node_id = 'slow'"
                    + " WHERE node_id = 'unfinished-migration:slow'");
            CompletableFuture<Void> discarding = CompletableFuture.runAsync(staged::discard);
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> server.one("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
                            .equals("1"));
            publishing.commit();
            discarding.get(60, TimeUnit.SECONDS);
        }

        assertThat(logsOf("slow")).isEqualTo("1");
        try (ObjectStore store = Stores.open(Stores.settings(server.url(), "slow"))) {
            assertThat(store.read(Stores.key(1))).contains(Stores.state("first"));
        }
    }

    @Test
    void twoRunsDoNotFillOneLog() {
        PostgresStagedLog second = staged("twice");
        ObjectStore filling = staged("twice").create();
        try {
            assertThatThrownBy(second::create).isInstanceOf(StoreLockedException.class);
            second.discard();
            filling.write(Stores.key(1), Stores.state("goes on"), Durability.FORCED);
        } finally {
            filling.close();
        }
    }

    private static PostgresStagedLog staged(String node) {
        return new PostgresStagedLog(Stores.settings(server.url(), node).build(), NanoClock.SYSTEM);
    }

    private static void fill(PostgresStagedLog staged, String state) {
        try (ObjectStore store = staged.create()) {
            store.write(Stores.key(1), Stores.state(state), Durability.FORCED);
        }
    }

    private static String logsOf(String node) throws SQLException {
        return server.one("SELECT count(*) FROM tallystick.tallystick_log WHERE node_id = '" + node + "'");
    }
}
