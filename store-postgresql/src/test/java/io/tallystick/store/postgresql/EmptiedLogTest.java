package io.tallystick.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tallystick.store.Durability;
import io.tallystick.store.LossMarking;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFailedException;
import io.tallystick.store.StoreFencedException;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.StoreOption.Takeover;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A hand removes the batches of an owner that lives, and leaves the row of its log. */
class EmptiedLogTest extends WithServer {
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration SOON = LEASE.plusSeconds(2);

    @Test
    void aRunningOwnerNoticesThatItsBatchesWereTruncated() throws SQLException {
        assertNoticed("truncated", "TRUNCATE truncated.tallystick_batch", "has lost batches");
    }

    @Test
    void aRunningOwnerNoticesThatItsBatchesWereDeletedByHand() throws SQLException {
        assertNoticed("deleted", "DELETE FROM deleted.tallystick_batch", "has lost batches");
    }

    @ParameterizedTest
    @CsvSource({
        "dropped, DROP TABLE dropped.tallystick_batch",
        "renamed, ALTER TABLE renamed.tallystick_batch RENAME TO tallystick_batch_old"
    })
    void aRunningOwnerNoticesThatTheTableOfItsBatchesIsGone(String schema, String statement) throws SQLException {
        assertNoticed(schema, statement, "it was dropped, or the database went back in time");
    }

    private static void assertNoticed(String schema, String statement, String missing) throws SQLException {
        StoreConfiguration.Builder settings = settings(schema);
        ObjectStore owner = Stores.open(settings);
        owner.write(Stores.key(1), Stores.state("acknowledged"), Durability.FORCED);

        server.sql(statement);

        awaitLoss(owner, missing);
        assertRefused(settings, missing);
    }

    /** Each lane has written since, so the last batch of each is there. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aBusyOwnerNoticesThatItsBatchesWereTruncated(int lanes) throws Exception {
        String schema = "busy" + lanes;
        StoreConfiguration.Builder settings = settings(schema).set(StoreOption.POSTGRESQL_LANES, lanes);
        ObjectStore owner = Stores.open(settings);
        for (int key = 0; key < 4; key++) {
            owner.write(Stores.key(key), Stores.state("acknowledged"), Durability.FORCED);
        }
        try (Connection truncate = server.begin("TRUNCATE " + schema + ".tallystick_batch")) {
            CompletableFuture<Void> next =
                    owner.writeAsync(Stores.key(5), Stores.state("waits")).toCompletableFuture();
            server.awaitLockWait();
            truncate.commit();
            next.get(60, TimeUnit.SECONDS);
        }
        CompletableFuture<Void> writing = CompletableFuture.runAsync(
                () -> {
                    while (true) {
                        owner.write(Stores.key(6), Stores.state("goes on"), Durability.FORCED);
                    }
                },
                Stores.OWN_THREAD);

        awaitLoss(owner, "has lost batches");
        assertThatThrownBy(() -> writing.get(60, TimeUnit.SECONDS)).hasCauseInstanceOf(StoreException.class);
        assertRefused(settings, "has lost batches");
    }

    @Test
    void anOwnerThatHasWrittenNothingNoticesThatBatchesOfOthersWereTruncated() throws SQLException {
        StoreConfiguration.Builder settings = settings("others");
        try (ObjectStore before = Stores.open(settings)) {
            before.write(Stores.key(1), Stores.state("acknowledged"), Durability.FORCED);
        }
        ObjectStore owner = Stores.open(settings);

        server.sql("TRUNCATE others.tallystick_batch");

        awaitLoss(owner, "has lost batches");
        assertRefused(settings, "has lost batches");
    }

    @Test
    void anOwnerThatHasWrittenNoticesThatTheBatchesOfOthersWereDeletedByHand() throws SQLException {
        StoreConfiguration.Builder settings = settings("before");
        try (ObjectStore before = Stores.open(settings)) {
            before.write(Stores.key(1), Stores.state("acknowledged"), Durability.FORCED);
        }
        ObjectStore owner = Stores.open(settings);
        owner.write(Stores.key(2), Stores.state("stays"), Durability.FORCED);

        server.sql("DELETE FROM before.tallystick_batch WHERE epoch = 1");

        awaitLoss(owner, "has lost batches");
        assertRefused(settings, "has lost batches");
    }

    @Test
    void anOwnerWithoutABatchGoesOnWhenTheTableIsEmptied() throws Exception {
        try (ObjectStore owner = Stores.open(settings("nothing"))) {
            server.sql("TRUNCATE nothing.tallystick_batch");

            awaitBeats("nothing", 3);
            owner.write(Stores.key(1), Stores.state("goes on"), Durability.FORCED);
            awaitBeats("nothing", 3);
            assertThat(owner.failure()).isEmpty();
        }
    }

    /** The lock is there for longer than a lease. Then the owner would be taken for dead if its beat waited. */
    @ParameterizedTest
    @CsvSource({"locked, LOCK TABLE locked.tallystick_batch", "indexed, REINDEX TABLE indexed.tallystick_batch"})
    void aBeatDoesNotWaitForALockOfTheTable(String name, String locking) throws Exception {
        StoreConfiguration.Builder settings = settings(name);
        try (ObjectStore owner = Stores.open(settings)) {
            owner.write(Stores.key(1), Stores.state("acknowledged"), Durability.FORCED);
            try (Connection lock = server.begin(locking)) {
                awaitBeats(name, 5);
                assertLives(settings);
                owner.proveOwned();
                lock.rollback();
            }
            awaitBeats(name, 3);
            owner.write(Stores.key(2), Stores.state("goes on"), Durability.FORCED);
            assertThat(owner.failure()).isEmpty();
        }
    }

    @Test
    void aBeatThatConnectsAgainDoesNotWaitForALockOfTheTable() throws Exception {
        StoreConfiguration.Builder settings = settings("again");
        ObjectStore owner = Stores.open(settings);
        owner.write(Stores.key(1), Stores.state("acknowledged"), Durability.FORCED);
        try (Connection lock = server.begin("TRUNCATE again.tallystick_batch")) {
            server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '"
                    + nameOf("again") + "'");
            awaitBeats("again", 5);
            assertLives(settings);
            assertThat(owner.failure()).isEmpty();
            lock.commit();
        }
        awaitLoss(owner, "has lost batches");
    }

    @Test
    void aTruncateThatIsOpenForLongerThanALeaseIsNoticedWhenItCommits() throws Exception {
        StoreConfiguration.Builder settings = settings("open");
        ObjectStore owner = Stores.open(settings);
        owner.write(Stores.key(1), Stores.state("acknowledged"), Durability.FORCED);
        try (Connection truncate = server.begin("TRUNCATE open.tallystick_batch")) {
            awaitBeats("open", 5);
            assertLives(settings);
            assertThat(owner.failure()).isEmpty();
            truncate.commit();
        }
        awaitLoss(owner, "has lost batches");
        assertRefused(settings, "has lost batches");
    }

    @Test
    void batchesThatAreDeletedInOrderAreNoLoss() throws Exception {
        StoreConfiguration.Builder settings = settings("trimmed").set(StoreOption.LEASE, Duration.ofMillis(200));
        try (ObjectStore before = Stores.openWithSmallRanges(settings)) {
            before.write(Stores.key(1), Stores.state("lives long"), Durability.FORCED);
        }
        String first = lowest();
        try (ObjectStore owner = Stores.openWithSmallRanges(settings)) {
            long end = System.nanoTime() + Duration.ofSeconds(4).toNanos();
            while (System.nanoTime() - end < 0) {
                CompletableFuture<?>[] some = new CompletableFuture<?>[4];
                for (int i = 0; i < some.length; i++) {
                    some[i] =
                            owner.writeAsync(Stores.key(2 + i), new byte[2000]).toCompletableFuture();
                }
                CompletableFuture.allOf(some).get(60, TimeUnit.SECONDS);
            }
            assertThat(lowest()).isNotEqualTo(first);
            awaitBeats("trimmed", 2);
            assertThat(owner.failure()).isEmpty();
        }
    }

    /** The next owner deletes all batches of this one, and begins after a gap in the sequences. */
    @Timeout(60)
    @Test
    void aBeatThatStoodStillDuringATakeoverFindsNoLoss() throws Exception {
        try (CuttingProxy proxy = new CuttingProxy(server.port())) {
            String slow = PostgresServer.urlOf("127.0.0.1:" + proxy.port());
            ObjectStore old = Stores.open(settings("still").set(StoreOption.POSTGRESQL_URL, slow));
            old.write(Stores.key(1), new byte[20_000], Durability.FORCED);
            proxy.freezeAfter("SELECT epoch, owner FROM tallystick_log");
            proxy.cutAll(); // a new connection names the text of a statement
            proxy.awaitFrozen();
            awaitIdle();
            try (ObjectStore next =
                    Stores.openWithSmallRanges(settings("still").set(StoreOption.TAKEOVER, Takeover.AT_ONCE))) {
                while (!server.one("SELECT count(*) FROM still.tallystick_batch WHERE epoch = 1")
                        .equals("0")) {
                    next.write(Stores.key(1), Stores.state("the next owner's"), Durability.FORCED);
                }
                next.write(Stores.key(1), Stores.state("the next owner's"), Durability.FORCED);
                proxy.freeze(false);

                await().atMost(Duration.ofSeconds(60)).until(() -> old.failure().isPresent());
                assertThat(old.failure()).get().isInstanceOf(StoreFencedException.class);
                assertThat(old.lossMarking()).isEqualTo(LossMarking.NOT_NEEDED);
            }
            Stores.closeFailed(old);
        }
    }

    /** Waits until the server has answered all requests of the owner. */
    private static void awaitIdle() {
        await().atMost(Duration.ofSeconds(60)).until(() -> server.one("SELECT count(*) FROM pg_stat_activity"
                        + " WHERE application_name ~ '^tallystick [0-9a-f-]{36} ' AND state <> 'idle'")
                .equals("0"));
    }

    private static String lowest() throws SQLException {
        return server.one("SELECT min(seq) FROM trimmed.tallystick_batch");
    }

    private static StoreConfiguration.Builder settings(String schema) {
        return Stores.settings(server.url(), schema)
                .set(StoreOption.POSTGRESQL_SCHEMA, schema)
                .set(StoreOption.LEASE, LEASE);
    }

    /** The owner lives, as a process finds that wants its log and looks for a lease. */
    private static void assertLives(StoreConfiguration.Builder settings) {
        assertThatThrownBy(() -> Stores.open(settings))
                .isInstanceOf(StoreLockedException.class)
                .hasMessageContaining("has an owner that lives");
    }

    private static void awaitLoss(ObjectStore owner, String missing) {
        await().atMost(SOON).until(() -> owner.failure().isPresent());
        assertThat(owner.failure().get()).hasMessageContaining(missing);
        await().atMost(Duration.ofSeconds(60)).until(() -> owner.lossMarking() == LossMarking.MARKED);
        assertThatThrownBy(() -> owner.write(Stores.key(9), Stores.state("late"), Durability.FORCED))
                .isInstanceOf(StoreException.class);
        assertThatThrownBy(() -> owner.statusOf(Stores.key(99))).isInstanceOf(StoreFailedException.class);
        Stores.closeFailed(owner);
    }

    private static void assertRefused(StoreConfiguration.Builder settings, String missing) {
        assertThatThrownBy(() -> Stores.open(settings))
                .hasMessageContaining(missing)
                .hasMessageContaining("accept-loss");
    }

    private static String nameOf(String schema) throws SQLException {
        return server.one("SELECT 'tallystick ' || store_id || ' ' || epoch FROM " + schema + ".tallystick_log");
    }

    /** Waits until the owner has asked so many times more. */
    private static void awaitBeats(String schema, int beats) throws SQLException {
        String latest =
                "SELECT max(query_start) FROM pg_stat_activity WHERE application_name = '" + nameOf(schema) + "'";
        for (int beat = 0; beat < beats; beat++) {
            String last = server.one(latest);
            await().atMost(LEASE).pollInterval(Duration.ofMillis(50)).until(() -> !server.one(latest)
                    .equals(last));
        }
    }
}
