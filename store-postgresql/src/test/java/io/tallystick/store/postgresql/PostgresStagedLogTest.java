package io.tallystick.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tallystick.storage.NanoClock;
import io.tallystick.store.Durability;
import io.tallystick.store.LossMarking;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.StoreOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
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
    void aStagedLogThatIsLostIsFilledAnew() throws SQLException {
        ObjectStore lost = staged("lost").create();
        lost.write(Stores.key(1), Stores.state("left"), Durability.FORCED);
        server.sql("DELETE FROM tallystick.tallystick_log WHERE node_id = 'unfinished-migration:lost'");
        await().atMost(Duration.ofSeconds(60)).until(() -> lost.lossMarking() != LossMarking.NO_LOSS);
        assertThat(lost.lossMarking()).isEqualTo(LossMarking.NOT_NEEDED);
        Stores.closeFailed(lost);

        PostgresStagedLog staged = staged("lost");
        fill(staged, "again");
        staged.inspect();
        staged.publish();
        Stores.open(Stores.settings(server.url(), "lost")).close();
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

    /** Narayana's adaptor refuses a new log beside an old one, and the start has made the log then. */
    @Test
    void aLogThatNothingWasWrittenToGivesWay() throws SQLException {
        PostgresStagedLog staged = stagedOverEmpty("refused", "migrated");
        String logId = logId("refused");
        staged.publish();

        try (ObjectStore store = Stores.open(Stores.settings(server.url(), "refused"))) {
            assertThat(store.read(Stores.key(1))).contains(Stores.state("migrated"));
        }
        for (String table : List.of("log", "fence", "batch")) {
            assertThat(server.one("SELECT count(*) FROM tallystick.tallystick_" + table + " WHERE log_id = " + logId))
                    .as(table)
                    .isEqualTo("0");
        }
    }

    @Test
    void aLogThatWasWrittenToOrIsOpenDoesNotGiveWay() {
        try (ObjectStore store = Stores.open(Stores.settings(server.url(), "used"))) {
            assertThat(staged("used").replacesEmptyLog()).isFalse();
            store.write(Stores.key(1), Stores.state("gone"), Durability.FORCED);
            store.remove(Stores.key(1), Durability.FORCED);
        }
        assertThat(staged("used").replacesEmptyLog()).isFalse();
        assertThat(staged("never").replacesEmptyLog()).isFalse();
    }

    @Test
    void anEmptyLogThatWasOpenedSinceItWasSeenStays() throws SQLException {
        PostgresStagedLog staged = stagedOverEmpty("started", "staged");
        Stores.open(Stores.settings(server.url(), "started")).close();
        assertThatThrownBy(staged::publish).isInstanceOf(StoreLockedException.class);
        try (ObjectStore store = Stores.open(Stores.settings(server.url(), "started"))) {
            assertThatThrownBy(staged::publish)
                    .isInstanceOf(StoreLockedException.class)
                    .hasMessageContaining("was opened by another process meanwhile");
            store.write(Stores.key(2), Stores.state("goes on"), Durability.FORCED);
        }
        assertThatThrownBy(staged::publish).isInstanceOf(StoreLockedException.class);
        try (ObjectStore store = Stores.open(Stores.settings(server.url(), "started"))) {
            assertThat(store.read(Stores.key(1))).isEmpty();
            assertThat(store.read(Stores.key(2))).contains(Stores.state("goes on"));
        }
        assertThat(logsOf("unfinished-migration:started")).isEqualTo("1");
    }

    /** As an administrator may leave it: the row is written by hand, or restored. */
    @Test
    void anEmptyLogWhoseOwnerIsConnectedStays() throws SQLException {
        PostgresStagedLog staged = staged("connected");
        try (ObjectStore store = Stores.open(Stores.settings(server.url(), "connected"))) {
            server.sql("UPDATE tallystick.tallystick_log SET clean = true WHERE node_id = 'connected'");
            assertThat(staged.replacesEmptyLog()).isTrue();
            fill(staged, "staged");
            staged.inspect();
            assertThatThrownBy(staged::publish)
                    .isInstanceOf(StoreLockedException.class)
                    .hasMessageContaining("its owner is connected");
            store.write(Stores.key(2), Stores.state("goes on"), Durability.FORCED);
        }
    }

    /** A statement without an answer may be carried out when its owner has gone already. */
    @Test
    void anEmptyLogWithABatchUnderWayStays() throws Exception {
        PostgresStagedLog staged = stagedOverEmpty("late-batch", "staged");
        String logId = logId("late-batch");
        try (Connection owner = DriverManager.getConnection(server.url());
                Statement statement = owner.createStatement()) {
            owner.setAutoCommit(false);
            statement.execute("SELECT 1 FROM tallystick.tallystick_fence WHERE log_id = " + logId
                    + " AND lane = 0 FOR NO KEY UPDATE");
            statement.executeUpdate(
                    "INSERT INTO tallystick.tallystick_batch VALUES (" + logId + ", 1, 0, 1, 0, 0, '')");
            CompletableFuture<Void> publishing = CompletableFuture.runAsync(staged::publish, Stores.OWN_THREAD);
            awaitLock();
            owner.commit();
            assertThatThrownBy(() -> publishing.get(60, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(StoreLockedException.class)
                    .hasMessageContaining("was written by its last owner");
        }
        assertThat(logId("late-batch")).isEqualTo(logId);
        assertThat(server.one("SELECT count(*) FROM tallystick.tallystick_fence WHERE log_id = " + logId))
                .isEqualTo("2");
    }

    /** Both logs have had one owner, so the epoch alone does not tell them apart. */
    @Test
    void aNodeThatStartsWhileItsEmptyLogIsReplacedFindsTheOtherOne() throws Exception {
        PostgresStagedLog staged = stagedOverEmpty("starting", "migrated");
        String logId = logId("starting");
        CompletableFuture<Void> publishing;
        CompletableFuture<ObjectStore> opening;
        try (Connection between = DriverManager.getConnection(server.url());
                Statement statement = between.createStatement()) {
            between.setAutoCommit(false);
            statement.execute("SELECT 1 FROM tallystick.tallystick_fence WHERE log_id = " + logId + " FOR KEY SHARE");
            publishing = CompletableFuture.runAsync(staged::publish, Stores.OWN_THREAD);
            awaitLock();
            opening = CompletableFuture.supplyAsync(
                    () -> Stores.open(Stores.settings(server.url(), "starting")), Stores.OWN_THREAD);
            await().atMost(Duration.ofSeconds(60)).until(() -> waiting().equals("2"));
        }
        publishing.get(60, TimeUnit.SECONDS);
        try (ObjectStore store = opening.get(60, TimeUnit.SECONDS)) {
            assertThat(store.read(Stores.key(1))).contains(Stores.state("migrated"));
            store.write(Stores.key(2), Stores.state("goes on"), Durability.FORCED);
        }
        assertThat(server.one("SELECT count(*) FROM tallystick.tallystick_fence WHERE log_id = " + logId))
                .isEqualTo("0");
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
            CompletableFuture<Void> discarding = CompletableFuture.runAsync(staged::discard, Stores.OWN_THREAD);
            awaitLock();
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

    /** With so much patience that a busy machine never ends a request that waits for a test's lock. */
    private static PostgresStagedLog staged(String node) {
        return new PostgresStagedLog(
                Stores.settings(server.url(), node)
                        .set(StoreOption.PATIENCE, Duration.ofMinutes(4))
                        .build(),
                NanoClock.SYSTEM);
    }

    /** A log that is filled and inspected, beside one of the node that was closed and is empty. */
    private static PostgresStagedLog stagedOverEmpty(String node, String state) {
        Stores.open(Stores.settings(server.url(), node)).close();
        PostgresStagedLog staged = staged(node);
        assertThat(staged.replacesEmptyLog()).isTrue();
        fill(staged, state);
        staged.inspect();
        return staged;
    }

    private static void fill(PostgresStagedLog staged, String state) {
        try (ObjectStore store = staged.create()) {
            store.write(Stores.key(1), Stores.state(state), Durability.FORCED);
        }
    }

    private static void awaitLock() {
        await().atMost(Duration.ofSeconds(60)).until(() -> waiting().equals("1"));
    }

    private static String waiting() throws SQLException {
        return server.one("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
    }

    private static String logId(String node) throws SQLException {
        return server.one("SELECT log_id FROM tallystick.tallystick_log WHERE node_id = '" + node + "'");
    }

    private static String logsOf(String node) throws SQLException {
        return server.one("SELECT count(*) FROM tallystick.tallystick_log WHERE node_id = '" + node + "'");
    }
}
