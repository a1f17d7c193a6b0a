package io.tallystick.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tallystick.storage.NanoClock;
import io.tallystick.store.Durability;
import io.tallystick.store.LossMarking;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.StoreOption.Takeover;
import io.tallystick.store.spi.NoticedLoss;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A loss that an owner has noticed is told to the processes after it. */
class MarkedLossTest extends WithServer {
    private static final PostgresLogs LOGS = new PostgresLogs();

    @Test
    void anOlderBackupInThePlaceOfTheDatabaseOpensOnlyAfterAPersonHasAcceptedTheLoss() throws Exception {
        ObjectStore owner = Stores.open(settings("restored").set(StoreOption.POSTGRESQL_SCHEMA, "restored"));
        owner.write(Stores.key(1), Stores.state("in the backup"), Durability.FORCED);
        server.backUp();
        for (int i = 2; i <= 44; i++) {
            owner.write(Stores.key(i), Stores.state("acknowledged"), Durability.FORCED);
        }
        server.restoreBackup();

        assertThatThrownBy(() -> owner.write(Stores.key(50), Stores.state("late"), Durability.FORCED))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("has lost batches that it had acknowledged");
        awaitMarking(owner, LossMarking.MARKED);
        Stores.closeFailed(owner);

        StoreConfiguration.Builder next = settings("restored").set(StoreOption.POSTGRESQL_SCHEMA, "restored");
        String epoch = "SELECT epoch FROM restored.tallystick_log WHERE node_id = 'restored'";
        String before = server.one(epoch);
        for (int opening = 1; opening <= 10; opening++) {
            assertRefused(next, "has lost batches that it had acknowledged");
        }
        assertThatThrownBy(() -> Stores.open(next.build().toBuilder().adopting()))
                .hasMessageContaining("has lost batches that it had acknowledged");
        assertThat(server.one(epoch)).isEqualTo(before);

        List<NoticedLoss> losses = LOGS.losses(next.build());
        assertThat(losses).singleElement().satisfies(loss -> assertThat(loss.owner())
                .contains("pid=" + ProcessHandle.current().pid()));
        LOGS.acceptLosses(next.build(), losses, "the backup is all there is", "alice");
        try (ObjectStore opened = Stores.open(next)) {
            assertThat(opened.read(Stores.key(1))).contains(Stores.state("in the backup"));
            assertThat(opened.read(Stores.key(44))).isEmpty();
        }
        assertThat(server.one("SELECT accepted_by || ' ' || reason || ' ' || (accepted > noticed)"
                        + " FROM restored.tallystick_loss WHERE node_id = 'restored'"))
                .isEqualTo("alice the backup is all there is true");
    }

    @Test
    void aDroppedTableIsMarkedAndNotMadeAgain() throws SQLException {
        StoreConfiguration.Builder settings = settings("dropped").set(StoreOption.POSTGRESQL_SCHEMA, "dropped");
        ObjectStore owner = Stores.open(settings);
        owner.write(Stores.key(1), Stores.state("acknowledged"), Durability.FORCED);

        server.sql("DROP TABLE dropped.tallystick_log CASCADE");

        awaitMarking(owner, LossMarking.MARKED);
        Stores.closeFailed(owner);
        assertRefused(settings, "went back in time");
        assertThat(server.one("SELECT to_regclass('dropped.tallystick_log')")).isEqualTo("null");
    }

    @Test
    void aDroppedSchemaCannotBeMarked() throws SQLException {
        StoreConfiguration.Builder settings = settings("schema").set(StoreOption.POSTGRESQL_SCHEMA, "gone");
        ObjectStore owner = Stores.open(settings);
        owner.write(Stores.key(1), Stores.state("acknowledged"), Durability.FORCED);

        server.sql("DROP SCHEMA gone CASCADE");

        awaitMarking(owner, LossMarking.IMPOSSIBLE);
        Stores.closeFailed(owner);
        assertThat(server.one("SELECT count(*) FROM pg_namespace WHERE nspname = 'gone'"))
                .isEqualTo("0");
    }

    @Test
    void aTruncatedLogIsMarkedForItsNode() throws SQLException {
        StoreConfiguration.Builder settings = settings("cut").set(StoreOption.POSTGRESQL_SCHEMA, "truncated");
        ObjectStore owner = Stores.open(settings);
        owner.write(Stores.key(1), Stores.state("acknowledged"), Durability.FORCED);

        server.sql("TRUNCATE truncated.tallystick_log, truncated.tallystick_fence, truncated.tallystick_batch");

        awaitMarking(owner, LossMarking.MARKED);
        Stores.closeFailed(owner);
        assertRefused(settings, "went back in time");
        Stores.open(settings("other").set(StoreOption.POSTGRESQL_SCHEMA, "truncated"))
                .close();
    }

    @Test
    void anOwnerThatIsFencedMarksNothing() throws SQLException {
        ObjectStore old = Stores.takeOver(server.url(), "fenced-mark");
        old.write(Stores.key(1), Stores.state("acknowledged"), Durability.FORCED);
        ObjectStore next = Stores.takeOver(server.url(), "fenced-mark");

        assertThatThrownBy(() -> old.write(Stores.key(2), Stores.state("late"), Durability.FORCED))
                .isInstanceOf(StoreException.class);

        awaitMarking(old, LossMarking.NOT_NEEDED);
        Stores.closeFailed(old);
        next.close();
        Stores.open(settings("fenced-mark")).close();
        assertThat(server.one("SELECT count(*) FROM tallystick.tallystick_loss WHERE node_id = 'fenced-mark'"))
                .isEqualTo("0");
    }

    @Test
    void anOwnerThatNeverHadABatchHasNothingToLose() throws SQLException {
        ObjectStore owner = Stores.open(settings("empty"));

        server.sql("DELETE FROM tallystick.tallystick_log WHERE node_id = 'empty'");

        awaitMarking(owner, LossMarking.NOT_NEEDED);
        Stores.closeFailed(owner);
        Stores.open(settings("empty")).close();
    }

    @Test
    void anOwnerThatHasReadBatchesOfOthersHasThemToLose() throws SQLException {
        StoreConfiguration.Builder settings = settings("earlier").set(StoreOption.POSTGRESQL_SCHEMA, "earlier");
        try (ObjectStore before = Stores.open(settings)) {
            before.write(Stores.key(1), Stores.state("acknowledged"), Durability.FORCED);
        }
        ObjectStore owner = Stores.open(settings);

        server.sql("DELETE FROM earlier.tallystick_log");

        awaitMarking(owner, LossMarking.MARKED);
        Stores.closeFailed(owner);
        assertRefused(settings, "went back in time");
    }

    @Test
    void aLossThatIsNoticedDuringTheOpeningIsMarked() throws SQLException {
        StoreConfiguration.Builder settings = settings("opening").set(StoreOption.POSTGRESQL_SCHEMA, "opening");
        try (ObjectStore before = Stores.open(settings)) {
            before.write(Stores.key(1), Stores.state("acknowledged"), Durability.FORCED);
        }
        // The epoch that is raised is not there afterwards.
        server.sql("CREATE FUNCTION opening.stay() RETURNS trigger AS 'BEGIN UPDATE opening.tallystick_log SET"
                + " epoch = OLD.epoch, owner = OLD.owner; RETURN NULL; END' LANGUAGE plpgsql");
        server.sql("CREATE TRIGGER stay AFTER UPDATE ON opening.tallystick_log FOR EACH ROW"
                + " WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION opening.stay()");

        assertThatThrownBy(() -> Stores.open(settings)).hasMessageContaining("went back in time");

        assertRefused(settings, "went back in time");
    }

    @Test
    void anOutageIsNoLoss() throws Exception {
        try (CuttingProxy proxy = new CuttingProxy(server.port())) {
            ObjectStore store = Stores.open(Stores.settings(PostgresServer.urlOf("127.0.0.1:" + proxy.port()), "outage")
                    .set(StoreOption.PATIENCE, Duration.ofSeconds(3)));
            store.write(Stores.key(1), Stores.state("acknowledged"), Durability.FORCED);
            proxy.freeze(true);
            assertThatThrownBy(() -> store.write(Stores.key(2), Stores.state("late"), Durability.FORCED))
                    .isInstanceOf(StoreException.class);

            assertThat(store.lossMarking()).isEqualTo(LossMarking.NO_LOSS);
            proxy.freeze(false);
            Stores.closeFailed(store);
        }
        Stores.open(settings("outage").set(StoreOption.TAKEOVER, Takeover.AT_ONCE))
                .close();
    }

    /** As after an update of the library, where an administrator makes the tables. */
    @Test
    void aDatabaseWithoutTheTableOfLossesIsOpenedAndCannotBeMarked() throws SQLException {
        Stores.open(settings("old").set(StoreOption.POSTGRESQL_SCHEMA, "old")).close();
        server.sql("DROP TABLE old.tallystick_loss");
        StoreConfiguration.Builder settings = settings("old")
                .set(StoreOption.POSTGRESQL_SCHEMA, "old")
                .set(StoreOption.POSTGRESQL_CREATE_TABLES, false);
        ObjectStore owner = Stores.open(settings);
        owner.write(Stores.key(1), Stores.state("acknowledged"), Durability.FORCED);
        assertThat(LOGS.missing(settings.build())).singleElement().asString().contains("tallystick_loss is missing");
        assertThat(LOGS.losses(settings.build())).isEmpty();

        server.sql("TRUNCATE old.tallystick_log");

        awaitMarking(owner, LossMarking.IMPOSSIBLE);
        Stores.closeFailed(owner);
    }

    /** A user who may create tables nowhere, and a database that has those of an earlier version. */
    @Test
    void aUserWhoMayMakeNoTableOpensTheLogWithoutTheTableOfLosses() throws SQLException {
        Stores.open(settings("plain").set(StoreOption.POSTGRESQL_SCHEMA, "plain"))
                .close();
        server.sql("CREATE ROLE plain LOGIN");
        for (String grant : Schema.grants("plain", "plain")) {
            server.sql(grant);
        }
        server.sql("DROP TABLE plain.tallystick_loss");
        String asUser = "jdbc:postgresql://127.0.0.1:" + server.port() + "/postgres?user=plain";

        try (ObjectStore store =
                Stores.open(Stores.settings(asUser, "plain").set(StoreOption.POSTGRESQL_SCHEMA, "plain"))) {
            store.write(Stores.key(1), Stores.state("written"), Durability.FORCED);
        }
    }

    /** The role of another node has made the table, or an administrator who gave no grants. */
    @Test
    void aUserWhoMayNotReadTheTableOfLossesOpensTheLogWithoutIt() throws SQLException {
        Stores.open(settings("foreign").set(StoreOption.POSTGRESQL_SCHEMA, "foreigner"))
                .close();
        server.sql("CREATE ROLE foreigner LOGIN");
        for (String grant : Schema.grants("foreigner", "foreigner")) {
            server.sql(grant);
        }
        server.sql("REVOKE ALL ON foreigner.tallystick_loss FROM foreigner");
        String asUser = "jdbc:postgresql://127.0.0.1:" + server.port() + "/postgres?user=foreigner";
        StoreConfiguration.Builder settings =
                Stores.settings(asUser, "foreign").set(StoreOption.POSTGRESQL_SCHEMA, "foreigner");

        try (ObjectStore store = Stores.open(settings)) {
            store.write(Stores.key(1), Stores.state("written"), Durability.FORCED);
        }
        assertThat(LOGS.losses(settings.build())).isEmpty();
        assertThat(LOGS.inspect(settings.build())).isPresent();
        assertThat(LOGS.examine(settings.build()).problems()).isEmpty();
        assertThat(LOGS.examine(settings.build()).warnings()).anyMatch(line -> line.contains("may not SELECT"));

        server.sql(Schema.lossGrant("foreigner", "foreigner"));
        assertThat(LOGS.missing(settings.build())).isEmpty();
    }

    @Test
    void noLossIsAcceptedWhileAProcessHasTheLog() throws SQLException {
        StoreConfiguration.Builder settings = settings("living");
        try (ObjectStore owner = Stores.open(settings)) {
            owner.write(Stores.key(1), Stores.state("acknowledged"), Durability.FORCED);
            server.sql("INSERT INTO tallystick.tallystick_loss (node_id, owner, noticed, missing)"
                    + " VALUES ('living', 'pid=1', now(), 'a test')");
            List<NoticedLoss> losses = LOGS.losses(settings.build());

            assertThatThrownBy(() -> LOGS.acceptLosses(settings.build(), losses, "why", "alice"))
                    .isInstanceOf(StoreLockedException.class);

            assertThat(LOGS.losses(settings.build())).hasSize(1);
        }
        List<NoticedLoss> losses = LOGS.losses(settings.build());
        LOGS.acceptLosses(settings.build(), losses, "why", "alice");
        assertThatThrownBy(() -> LOGS.acceptLosses(settings.build(), losses, "why", "alice"))
                .isInstanceOf(StoreIoException.class)
                .hasMessageContaining("of 1 losses");
    }

    /** The table is made first, and no standby ever has that commit. */
    @Test
    void aLossIsMarkedInTimeWhereTheTableIsMissingAndNoStandbyAnswers() throws SQLException {
        StoreConfiguration.Builder settings = settings("lonely").set(StoreOption.POSTGRESQL_SCHEMA, "lonely");
        ObjectStore owner = Stores.open(settings);
        owner.write(Stores.key(1), Stores.state("acknowledged"), Durability.FORCED);
        server.sql("DROP TABLE lonely.tallystick_loss");
        server.sql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
        try {
            server.sql("SELECT pg_reload_conf()");
            awaitCommitsThatWait();

            server.sql("SET synchronous_commit = local; DELETE FROM lonely.tallystick_log");

            awaitMarking(owner, LossMarking.MARKED);
            assertRefused(settings, "went back in time");
        } finally {
            server.sql("ALTER SYSTEM RESET synchronous_standby_names");
            server.sql("SELECT pg_reload_conf()");
        }
        Stores.closeFailed(owner);
    }

    /** A server takes a moment to learn of its setting. */
    private static void awaitCommitsThatWait() {
        await().atMost(Duration.ofSeconds(60)).until(() -> {
            Stores.OWN_THREAD.execute(() -> {
                try {
                    server.sql("SELECT pg_logical_emit_message(true, 'test', 'waits')");
                } catch (SQLException ended) {
                    // the server lets it go, or stops
                }
            });
            return server.one("SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
                    .equals("t");
        });
    }

    /** Whoever sees the mark must not find an owner that still proves that the log is its own. */
    @Test
    void anOwnerProvesNothingAnyMoreWhenItsLossIsMarked() throws Exception {
        PostgresOptions options = PostgresOptions.from(
                settings("proof").set(StoreOption.POSTGRESQL_SCHEMA, "proof").build());
        Connections connections = new Connections(options);
        Ownership.Taken taken = new Ownership(options, connections, NanoClock.SYSTEM).take();
        Acknowledged acknowledged = new Acknowledged(1);
        acknowledged.add(0, 1, taken.server());
        AtomicReference<LeaseBeat> beat = new AtomicReference<>();
        CompletableFuture<Boolean> isOwnedAtMark = new CompletableFuture<>();
        LossMarker marker =
                new LossMarker(connections, options, NanoClock.SYSTEM, taken.owner(), acknowledged, task -> {
                    isOwnedAtMark.complete(beat.get().isOwned());
                    return new Thread(task);
                });
        StandbyWait standby = new StandbyWait(options.place(), taken.applicationName());
        ServerContact contact = new ServerContact(options, NanoClock.SYSTEM);
        beat.set(new LeaseBeat(connections, options, NanoClock.SYSTEM, taken, acknowledged, marker, standby, contact));

        beat.get().start(); // the batch is not there

        assertThat(isOwnedAtMark.get(60, TimeUnit.SECONDS)).isFalse();
        assertThat(beat.get().end()).isPresent();
        marker.close();
        assertThat(marker.marking()).isEqualTo(LossMarking.MARKED);
    }

    private static StoreConfiguration.Builder settings(String node) {
        return Stores.settings(server.url(), node);
    }

    private static void awaitMarking(ObjectStore store, LossMarking expected) {
        await().atMost(Duration.ofSeconds(60)).until(() -> {
            LossMarking marking = store.lossMarking();
            return marking != LossMarking.NO_LOSS && marking != LossMarking.PENDING;
        });
        assertThat(store.lossMarking()).isEqualTo(expected);
    }

    private static void assertRefused(StoreConfiguration.Builder settings, String missing) {
        assertThatThrownBy(() -> Stores.open(settings))
                .isInstanceOfSatisfying(StoreIoException.class, refused -> assertThat(refused.messageId())
                        .isEqualTo("TALLY0021"))
                .hasMessageContaining(missing)
                .hasMessageContaining("accept-loss");
    }
}
