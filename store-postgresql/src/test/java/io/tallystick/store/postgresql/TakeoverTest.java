package io.tallystick.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFailedException;
import io.tallystick.store.StoreFencedException;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.StoreOption.Takeover;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who may write, when two processes believe that the log is theirs. */
class TakeoverTest extends WithServer {
    private static final int ROUNDS = 6;
    private static final int MANY_ROUNDS = 20;
    private static final int WRITERS = 6;
    private static final Duration LONG_LEASE = Duration.ofSeconds(40);

    /** With this message of the protocol a client ends a request. */
    private static final String SYNC = "S\0\0\0\4";

    @Test
    void nothingIsAcknowledgedAfterATakeoverAndNothingThatWasIsMissing() throws Exception {
        duel("duel", ROUNDS);
    }

    @Tag("long")
    @Test
    void nothingIsAcknowledgedAfterAnyOfManyTakeovers() throws Exception {
        duel("long-duel", MANY_ROUNDS);
    }

    private static void duel(String node, int rounds) throws Exception {
        List<ObjectStore> stores = new ArrayList<>();
        Map<Long, String> acknowledged = new ConcurrentHashMap<>();
        try {
            ObjectStore owner = Stores.takeOver(server.url(), node);
            stores.add(owner);
            for (int round = 0; round < rounds; round++) {
                AtomicBoolean isTaken = new AtomicBoolean();
                AtomicInteger late = new AtomicInteger();
                AtomicInteger writes = new AtomicInteger();
                Map<Long, String> begun = new ConcurrentHashMap<>();
                List<Thread> writers = new ArrayList<>();
                for (int i = 0; i < WRITERS; i++) {
                    writers.add(writer(owner, round + "/", i, isTaken, late, writes, begun, acknowledged));
                }
                int enough = 5 + round;
                await().atMost(Duration.ofSeconds(60)).until(() -> writes.get() >= enough);
                Map<Long, String> acknowledgedBefore = Map.copyOf(acknowledged);
                ObjectStore next = Stores.takeOver(server.url(), node);
                isTaken.set(true);
                for (Thread writer : writers) {
                    writer.join();
                }
                assertThat(late).as("acknowledged after the takeover").hasValue(0);
                acknowledgedBefore.forEach(
                        (key, value) -> assertThat(next.read(Stores.key(key))).isPresent());
                for (long key = 0; key < WRITERS; key++) {
                    String found = next.read(Stores.key(key)).map(String::new).orElse(null);
                    assertThat(found).as("key " + key).isIn(acknowledged.get(key), begun.get(key));
                    acknowledged.put(key, found);
                }
                owner = next;
                stores.add(next);
            }
        } finally {
            stores.forEach(Stores::closeFailed);
        }
    }

    private static Thread writer(
            ObjectStore owner,
            String prefix,
            long key,
            AtomicBoolean isTaken,
            AtomicInteger late,
            AtomicInteger writes,
            Map<Long, String> begun,
            Map<Long, String> acknowledged) {
        Thread thread = new Thread(() -> {
            try {
                for (int i = 0; ; i++) {
                    String value = prefix + i;
                    boolean wasTaken = isTaken.get();
                    begun.put(key, value);
                    owner.write(Stores.key(key), Stores.state(value), Durability.FORCED);
                    acknowledged.put(key, value);
                    writes.incrementAndGet();
                    if (wasTaken) {
                        late.incrementAndGet();
                    }
                }
            } catch (StoreException fenced) {
                // what it had begun is in the log, or it is not
            }
        });
        thread.start();
        return thread;
    }

    @Test
    void anOwnerWhoseConnectionsAreHiddenIsTakenForAlive() throws SQLException {
        try (ObjectStore owner = Stores.open(Stores.settings(server.url(), "hidden"))) {
            server.sql("CREATE ROLE stranger LOGIN");
            for (String grant : Schema.grants("tallystick", "stranger")) {
                if (!grant.contains("pg_monitor")) {
                    server.sql(grant);
                }
            }
            String asStranger = "jdbc:postgresql://127.0.0.1:" + server.port() + "/postgres?user=stranger";

            assertThatThrownBy(() -> Stores.open(Stores.settings(asStranger, "hidden")))
                    .isInstanceOf(StoreLockedException.class)
                    .hasMessageContaining("has an owner that lives");
            owner.write(Stores.key(1), Stores.state("goes on"), Durability.FORCED);
        }
    }

    @Test
    void theOldOwnerIsToldThatItIsFenced() {
        ObjectStore old = Stores.takeOver(server.url(), "fenced");
        try (ObjectStore next = Stores.takeOver(server.url(), "fenced")) {
            assertThatThrownBy(() -> old.write(Stores.key(1), Stores.state("late"), Durability.FORCED))
                    .isInstanceOf(StoreFencedException.class)
                    .hasMessageContaining("taken over")
                    .hasMessageContaining("node=fenced");
            assertThatThrownBy(() -> old.write(Stores.key(2), Stores.state("later"), Durability.FORCED))
                    .isInstanceOf(StoreFencedException.class);
            next.write(Stores.key(1), Stores.state("mine"), Durability.FORCED);
            assertThat(next.read(Stores.key(1))).contains(Stores.state("mine"));
            assertThat(next.keys(Stores.TYPE)).containsExactly(Stores.key(1));
        }
        Stores.closeFailed(old);
    }

    @Test
    void anOwnerThatIsFencedSaysOfNothingThatItIsNotThere() {
        ObjectStore old = Stores.takeOver(server.url(), "judge");
        old.write(Stores.key(1), Stores.state("known"), Durability.FORCED);
        try (ObjectStore next = Stores.takeOver(server.url(), "judge")) {
            next.write(Stores.key(2), Stores.state("decided meanwhile"), Durability.FORCED);

            await().atMost(Duration.ofSeconds(60)).until(() -> old.failure().isPresent());
            assertThatThrownBy(old::proveOwned).isInstanceOf(StoreFencedException.class);
            assertThatThrownBy(() -> old.statusOf(Stores.key(2))).isInstanceOf(StoreFencedException.class);
            assertThatThrownBy(() -> old.read(Stores.key(2))).isInstanceOf(StoreFencedException.class);
            assertThat(old.statusOf(Stores.key(1))).isEqualTo(StateStatus.COMMITTED);
            assertThat(old.read(Stores.key(1))).contains(Stores.state("known"));
            next.proveOwned();
            assertThat(next.types()).containsExactly(Stores.TYPE);
        }
        Stores.closeFailed(old);
    }

    @Test
    void anOwnerThatIsCutOffForALeaseProvesNothingAndLivesOn() throws Exception {
        try (CuttingProxy proxy = new CuttingProxy(server.port())) {
            ObjectStore store =
                    Stores.open(Stores.settings(PostgresServer.urlOf("127.0.0.1:" + proxy.port()), "cut-off")
                            .set(StoreOption.LEASE, Duration.ofSeconds(2)));
            store.proveOwned();
            proxy.freeze(true);
            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> assertThatThrownBy(store::proveOwned)
                    .isInstanceOf(StoreIoException.class)
                    .hasMessageContaining("gives no answer"));
            assertThat(store.failure()).isEmpty();
            proxy.freeze(false);
            await().atMost(Duration.ofSeconds(60)).ignoreExceptions().untilAsserted(store::proveOwned);
            store.close();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "dropped, DROP TABLE dropped.tallystick_log CASCADE",
        "renamed, ALTER TABLE renamed.tallystick_log RENAME TO tallystick_log_old",
        "truncated, TRUNCATE truncated.tallystick_log CASCADE",
        "lost, DROP SCHEMA lost CASCADE"
    })
    void anIdleOwnerNoticesThatItsTablesAreGone(String schema, String statement) throws SQLException {
        ObjectStore owner = Stores.open(Stores.settings(server.url(), schema)
                .set(StoreOption.POSTGRESQL_SCHEMA, schema)
                .set(StoreOption.LEASE, Duration.ofSeconds(2)));
        owner.write(Stores.key(1), Stores.state("acknowledged"), Durability.FORCED);
        server.sql(statement);

        await().atMost(Duration.ofSeconds(60)).until(() -> owner.failure().isPresent());
        assertThat(owner.failure().orElseThrow()).hasMessageContaining("went back in time");
        assertThat(owner.health().isServing()).isFalse();
        assertThatThrownBy(() -> owner.statusOf(Stores.key(2))).isInstanceOf(StoreFailedException.class);
        assertThat(owner.read(Stores.key(1))).contains(Stores.state("acknowledged"));
        Stores.closeFailed(owner);
    }

    @Test
    void anIdleOwnerThatWasFencedSaysSoWhenItCloses() {
        ObjectStore old = Stores.takeOver(server.url(), "idle");
        try (ObjectStore next = Stores.takeOver(server.url(), "idle")) {
            assertThatThrownBy(old::close)
                    .isInstanceOf(StoreFencedException.class)
                    .hasMessageContaining("taken over");
            next.write(Stores.key(1), Stores.state("mine"), Durability.FORCED);
        }
    }

    @Test
    void aWriteThatTheNewOwnerHasReadAndDeletedIsNotSaidToBeUnwritten() throws Exception {
        try (CuttingProxy proxy = new CuttingProxy(server.port())) {
            ObjectStore old = Stores.open(Stores.settings(PostgresServer.urlOf("127.0.0.1:" + proxy.port()), "deleted")
                    .set(StoreOption.LEASE, Duration.ofMinutes(10))
                    .set(StoreOption.PATIENCE, Duration.ofMinutes(2)));
            old.write(Stores.key(1), Stores.state("acknowledged"), Durability.FORCED);
            proxy.holdAnswers();
            CompletableFuture<Void> unanswered =
                    old.writeAsync(Stores.key(2), Stores.state("acted on")).toCompletableFuture();
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> batchesOf("deleted", 1).equals("2"));
            try (ObjectStore next = Stores.openWithSmallRanges(
                    Stores.settings(server.url(), "deleted").set(StoreOption.TAKEOVER, Takeover.AT_ONCE))) {
                assertThat(next.read(Stores.key(2))).contains(Stores.state("acted on"));
                while (!batchesOf("deleted", 1).equals("0")) {
                    next.write(Stores.key(3), new byte[4000], Durability.FORCED);
                }
                proxy.cutAll();
                assertThatThrownBy(() -> unanswered.get(60, TimeUnit.SECONDS))
                        .hasCauseInstanceOf(OutcomeUnknownException.class);
            }
            Stores.closeFailed(old);
        }
    }

    private static String batchesOf(String node, int epoch) throws SQLException {
        return server.one("SELECT count(*) FROM tallystick.tallystick_batch b JOIN tallystick.tallystick_log l"
                + " USING (log_id) WHERE node_id = '" + node + "' AND b.epoch = " + epoch);
    }

    @Test
    void aRefusedOpeningLeavesNoConnectionWhereItHadToConnectAgain() throws Exception {
        try (CuttingProxy proxy = new CuttingProxy(server.port());
                ObjectStore owner = Stores.open(
                        Stores.settings(server.url(), "left").set(StoreOption.LEASE, Duration.ofMinutes(10)))) {
            CompletableFuture<Void> opening = CompletableFuture.runAsync(
                    () -> Stores.open(Stores.settings(PostgresServer.urlOf("127.0.0.1:" + proxy.port()), "left")
                            .set(StoreOption.LEASE, Duration.ofSeconds(5))));
            String first = awaitLook("0");
            proxy.cutAll();
            awaitLook(first);
            owner.write(Stores.key(1), Stores.state("lives"), Durability.FORCED);
            assertThatThrownBy(() -> opening.get(60, TimeUnit.SECONDS)).hasCauseInstanceOf(StoreLockedException.class);
            await().atMost(Duration.ofSeconds(60)).until(() -> server.one("SELECT count(*) FROM pg_stat_activity"
                            + " WHERE application_name = 'tallystick opening left'")
                    .equals("0"));
        }
    }

    /** Returns the process of the server that serves the look for signs of life, when it is another one than this. */
    private static String awaitLook(String otherThan) {
        String look = "SELECT coalesce(max(pid), 0) FROM pg_stat_activity WHERE pid <> " + otherThan
                + " AND application_name = 'tallystick opening left' AND query LIKE '%query_start%'";
        await().atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> !server.one(look).equals("0"));
        try {
            return server.one(look);
        } catch (SQLException trouble) {
            throw new AssertionError(trouble);
        }
    }

    /** As after a failover that lost the takeover, and another takeover there. */
    @Test
    void anOwnerWhoseEpochIsAnotherOwnersOnTheServerWritesNothingThere() throws Exception {
        try (CuttingProxy proxy = new CuttingProxy(server.port())) {
            ObjectStore store = Stores.open(Stores.settings(PostgresServer.urlOf("127.0.0.1:" + proxy.port()), "equal")
                    .set(StoreOption.LEASE, Duration.ofMinutes(10)));
            store.write(Stores.key(1), Stores.state("acknowledged"), Durability.FORCED);
            beOwnedByAnother("equal");
            proxy.cutAll();
            assertThatThrownBy(() -> store.write(Stores.key(2), Stores.state("late"), Durability.FORCED))
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasMessageContaining("of another owner with the same epoch (pid=7)");
            assertThat(batchesOf("equal", 1)).isEqualTo("1");
            assertThatThrownBy(() -> store.statusOf(Stores.key(3)))
                    .isInstanceOf(StoreFailedException.class)
                    .hasMessageContaining("went back in time");
            Stores.closeFailed(store);
        }
        assertThat(server.one("SELECT clean FROM tallystick.tallystick_log WHERE node_id = 'equal'"))
                .isEqualTo("f");
    }

    @Test
    void anOwnerWhoseEpochIsAnotherOwnersOnTheServerOfItsLanesWritesNothingThere() throws Exception {
        try (CuttingProxy proxy = new CuttingProxy(server.port())) {
            String slow = PostgresServer.urlOf("127.0.0.1:" + proxy.port());
            Stores.open(Stores.settings(server.url(), "elsewhere")).close();
            proxy.freezeAfter("coalesce(max(oldest)");
            CompletableFuture<ObjectStore> opening = CompletableFuture.supplyAsync(() ->
                    Stores.open(Stores.settings(slow, "elsewhere").set(StoreOption.LEASE, Duration.ofMinutes(10))));
            proxy.awaitFrozen();
            beOwnedByAnother("elsewhere");
            proxy.freeze(false);
            ObjectStore store = opening.get(60, TimeUnit.SECONDS);
            assertThatThrownBy(() -> store.write(Stores.key(1), Stores.state("late"), Durability.FORCED))
                    .isInstanceOf(OutcomeUnknownException.class);
            assertThat(batchesOf("elsewhere", 2)).isEqualTo("0");
            Stores.closeFailed(store);
        }
    }

    @Test
    void anOpeningReadsNoLogThatHasItsEpochOfAnotherOwner() throws Exception {
        try (CuttingProxy proxy = new CuttingProxy(server.port())) {
            String slow = PostgresServer.urlOf("127.0.0.1:" + proxy.port());
            Stores.open(Stores.settings(server.url(), "read")).close();
            proxy.freezeAfter("COMMIT");
            CompletableFuture<ObjectStore> opening =
                    CompletableFuture.supplyAsync(() -> Stores.open(Stores.settings(slow, "read")));
            proxy.awaitFrozen();
            beOwnedByAnother("read");
            proxy.freeze(false);
            assertThatThrownBy(() -> opening.get(60, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(StoreIoException.class)
                    .hasMessageContaining("of another owner with the same epoch");
        }
    }

    @Test
    void anIdleOwnerLearnsThatItsEpochIsAnotherOwners() throws SQLException {
        ObjectStore store = Stores.open(Stores.settings(server.url(), "equal-idle"));
        beOwnedByAnother("equal-idle");
        await().atMost(Duration.ofSeconds(30)).until(() -> store.failure().isPresent());
        assertThat(store.failure().get()).hasMessageContaining("of another owner with the same epoch");
        Stores.closeFailed(store);
    }

    private static void beOwnedByAnother(String node) throws SQLException {
        server.sql("UPDATE tallystick.tallystick_log SET owner = 'pid=7' WHERE node_id = '" + node + "'");
    }

    @Test
    void anIdleOwnerLearnsOfATakeoverFromItsBeat() {
        ObjectStore old = Stores.takeOver(server.url(), "idle");
        try (ObjectStore next = Stores.takeOver(server.url(), "idle")) {
            assertThat(next.health().lockHeld()).isTrue();
            await().atMost(Duration.ofSeconds(30)).until(() -> old.failure().isPresent());
            assertThat(old.failure()).get().isInstanceOf(StoreFencedException.class);
            assertThat(old.health().lockHeld()).isFalse();
        }
        Stores.closeFailed(old);
    }

    @Test
    void aLivingOwnerKeepsItsLog() {
        try (ObjectStore owner = Stores.open(Stores.settings(server.url(), "living"))) {
            assertThatThrownBy(() -> Stores.open(Stores.settings(server.url(), "living")))
                    .isInstanceOf(StoreLockedException.class)
                    .hasMessageContaining("lives")
                    .hasMessageContaining("pid=" + ProcessHandle.current().pid());
            owner.write(Stores.key(1), Stores.state("goes on"), Durability.FORCED);
        }
    }

    @Test
    void anOwnerThatReadsItsLogForLongerThanALeaseKeepsIt() throws Exception {
        Stores.open(Stores.settings(server.url(), "reads")).close();
        CompletableFuture<ObjectStore> reading;
        try (Connection lock = server.begin("LOCK TABLE tallystick.tallystick_batch")) {
            reading = CompletableFuture.supplyAsync(() -> Stores.open(Stores.settings(server.url(), "reads")));
            server.awaitLockWait();
            assertThatThrownBy(() -> Stores.open(Stores.settings(server.url(), "reads")))
                    .isInstanceOf(StoreLockedException.class)
                    .hasMessageContaining("lives");
            lock.rollback();
        }
        try (ObjectStore owner = reading.get(60, TimeUnit.SECONDS)) {
            owner.write(Stores.key(1), Stores.state("goes on"), Durability.FORCED);
        }
    }

    @Test
    void anOwnerThatIsReplacedWhileItReadsItsLogWritesNothing() throws Exception {
        Stores.open(Stores.settings(server.url(), "replaced")).close();
        CompletableFuture<ObjectStore> reading;
        try (Connection lock = server.begin("LOCK TABLE tallystick.tallystick_batch")) {
            reading = CompletableFuture.supplyAsync(() -> Stores.open(Stores.settings(server.url(), "replaced")));
            server.awaitLockWait();
            String name = server.one("SELECT 'tallystick ' || store_id || ' ' || epoch FROM tallystick.tallystick_log"
                    + " WHERE node_id = 'replaced'");
            server.sql("UPDATE tallystick.tallystick_fence f SET epoch = l.epoch + 1 FROM tallystick.tallystick_log l"
                    + " WHERE l.log_id = f.log_id AND node_id = 'replaced'");
            server.sql("UPDATE tallystick.tallystick_log SET epoch = epoch + 1, owner = 'another'"
                    + " WHERE node_id = 'replaced'");
            // The beat has noticed and ended, before the store is open: only the connection that reads is left.
            await().atMost(Duration.ofSeconds(60)).until(() -> server.one(
                            "SELECT count(*) FROM pg_stat_activity WHERE application_name = '" + name + "'")
                    .equals("1"));
            lock.rollback();
        }
        ObjectStore old = reading.get(60, TimeUnit.SECONDS);
        assertThat(old.failure()).get().isInstanceOf(StoreFencedException.class);
        Stores.closeFailed(old);
    }

    @Test
    void anOwnerThatIsReplacedBeforeItReadsItsLogDoesNotCallTheLogDamaged() throws Exception {
        Stores.open(Stores.settings(server.url(), "overtaken")).close();
        try (CuttingProxy proxy = new CuttingProxy(server.port())) {
            proxy.freezeAfter("coalesce(max(oldest)");
            String slow = PostgresServer.urlOf("127.0.0.1:" + proxy.port());
            CompletableFuture<ObjectStore> opening =
                    CompletableFuture.supplyAsync(() -> Stores.open(Stores.settings(slow, "overtaken")));
            proxy.awaitFrozen();
            try (ObjectStore next = Stores.takeOver(server.url(), "overtaken")) {
                next.write(Stores.key(1), Stores.state("the next owner's"), Durability.FORCED);
                proxy.freeze(false);
                ObjectStore old = opening.get(60, TimeUnit.SECONDS);
                await().atMost(Duration.ofSeconds(30)).until(() -> old.failure().isPresent());
                assertThat(old.failure()).get().isInstanceOf(StoreFencedException.class);
                Stores.closeFailed(old);
            }
        }
    }

    @Test
    void anOpeningWhoseLogIsTakenMeanwhileIsFenced() throws Exception {
        Stores.open(Stores.settings(server.url(), "outrun")).close();
        try (CuttingProxy proxy = new CuttingProxy(server.port())) {
            proxy.freezeAfter("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
            String slow = PostgresServer.urlOf("127.0.0.1:" + proxy.port());
            CompletableFuture<ObjectStore> opening = CompletableFuture.supplyAsync(
                    () -> Stores.open(Stores.settings(slow, "outrun")), Stores.OWN_THREAD);
            proxy.awaitFrozen();
            try (ObjectStore next = Stores.takeOver(server.url(), "outrun")) {
                proxy.freeze(false);
                assertThatThrownBy(() -> opening.get(60, TimeUnit.SECONDS))
                        .hasCauseInstanceOf(StoreFencedException.class)
                        .hasMessageContaining("was taken over by another process");
                assertThat(next.failure()).isEmpty();
            }
        }
    }

    @Test
    void theNodeThatWaitsForALeaseTakesTheLogOfAnAdopterThatHasLeft() throws Exception {
        try (CuttingProxy proxy = new CuttingProxy(server.port());
                ObjectStore dead =
                        Stores.open(Stores.settings(PostgresServer.urlOf("127.0.0.1:" + proxy.port()), "went"))) {
            proxy.freeze(true);
            // The node looks ten times in its lease; the adopter has left before its first look, also on a busy
            // machine.
            CompletableFuture<ObjectStore> home = CompletableFuture.supplyAsync(() -> Stores.openWhenSilent(
                    Stores.settings(server.url(), "went").set(StoreOption.LEASE, Duration.ofSeconds(70))));
            Stores.openWhenSilent(Stores.settings(server.url(), "went").adopting())
                    .close();
            home.get(120, TimeUnit.SECONDS).close();
            proxy.freeze(false);
            Stores.closeFailed(dead);
        }
    }

    @Test
    void aProcessThatStopsWhileItLooksForABatchDoesNotHoldTheLogForEver() throws Exception {
        try (CuttingProxy proxy = new CuttingProxy(server.port())) {
            ObjectStore stopped =
                    Stores.open(Stores.settings(PostgresServer.urlOf("127.0.0.1:" + proxy.port()), "stopped")
                            .set(StoreOption.PATIENCE, Duration.ofSeconds(6)));
            stopped.write(Stores.key(1), Stores.state("acknowledged"), Durability.FORCED);
            proxy.freezeAfter("SELECT 1 FROM tallystick_fence");
            proxy.cutAll();
            CompletableFuture<Void> looking = stopped.writeAsync(Stores.key(2), Stores.state("looked for"))
                    .toCompletableFuture();
            proxy.awaitFrozen();
            try (ObjectStore next = Stores.takeOver(server.url(), "stopped")) {
                assertThat(next.read(Stores.key(1))).contains(Stores.state("acknowledged"));
            }
            proxy.freeze(false);
            assertThatThrownBy(() -> looking.get(60, TimeUnit.SECONDS)).hasCauseInstanceOf(StoreException.class);
            Stores.closeFailed(stopped);
        }
    }

    /** The server has locked the fence for the batch, and the rest of the request does not come. */
    @Test
    void aProcessThatStopsWithinARequestDoesNotHoldTheLogForEver() throws Exception {
        try (CuttingProxy proxy = new CuttingProxy(server.port())) {
            ObjectStore stopped =
                    Stores.open(Stores.settings(PostgresServer.urlOf("127.0.0.1:" + proxy.port()), "halfway")
                            .set(StoreOption.PATIENCE, Duration.ofSeconds(9)));
            proxy.freezeWithin("INSERT INTO tallystick_batch", SYNC);
            CompletableFuture<Void> half =
                    stopped.writeAsync(Stores.key(1), Stores.state("half sent")).toCompletableFuture();
            proxy.awaitFrozen();
            endTheSessionWhereTheServerDoesNot();
            try (ObjectStore next = Stores.open(Stores.settings(server.url(), "halfway")
                    .set(StoreOption.TAKEOVER, Takeover.AT_ONCE)
                    .set(StoreOption.PATIENCE, Duration.ofMinutes(1)))) {
                assertThat(next.read(Stores.key(1))).isEmpty();
                proxy.freeze(false);
                assertThatThrownBy(() -> half.get(60, TimeUnit.SECONDS)).hasCauseInstanceOf(StoreException.class);
                assertThat(batchesOf("halfway", 1)).isEqualTo("0");
            }
            Stores.closeFailed(stopped);
        }
    }

    @Test
    void aWriteWhoseSessionTheServerEndsWithinItsRequestIsThereOnce() throws Exception {
        try (CuttingProxy proxy = new CuttingProxy(server.port());
                ObjectStore store =
                        Stores.open(Stores.settings(PostgresServer.urlOf("127.0.0.1:" + proxy.port()), "ended")
                                .set(StoreOption.PATIENCE, Duration.ofSeconds(9))
                                .set(StoreOption.LEASE, Duration.ofMinutes(10)))) {
            proxy.freezeWithin("INSERT INTO tallystick_batch", SYNC);
            CompletableFuture<Void> half =
                    store.writeAsync(Stores.key(1), Stores.state("once")).toCompletableFuture();
            proxy.awaitFrozen();
            endTheSessionWhereTheServerDoesNot();
            try (Connection next = server.begin("SET lock_timeout = '30s'; SELECT 1 FROM tallystick.tallystick_fence f"
                    + " JOIN tallystick.tallystick_log USING (log_id) WHERE node_id = 'ended' FOR UPDATE OF f")) {
                next.rollback();
            }
            proxy.freeze(false);
            half.get(60, TimeUnit.SECONDS);
            assertThat(batchesOf("ended", 1)).isEqualTo("1");
        }
    }

    /** A server before version 17 has no transaction_timeout: a person ends the session, as the page says. */
    private static void endTheSessionWhereTheServerDoesNot() throws SQLException {
        if (server.version() < 17) {
            assertThat(server.one("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                            + " WHERE query LIKE '%INSERT INTO tallystick_batch%' AND state = 'active'"
                            + " AND pid <> pg_backend_pid()"))
                    .isEqualTo("1");
        }
    }

    @Test
    void aSilentOwnerIsReplacedAfterALease() throws Exception {
        try (CuttingProxy proxy = new CuttingProxy(server.port());
                ObjectStore owner =
                        Stores.open(Stores.settings(PostgresServer.urlOf("127.0.0.1:" + proxy.port()), "silent"))) {
            owner.write(Stores.key(1), Stores.state("acknowledged"), Durability.FORCED);
            proxy.freeze(true);
            long begun = System.nanoTime();
            try (ObjectStore next = Stores.openWhenSilent(Stores.settings(server.url(), "silent"))) {
                assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThan(Duration.ofSeconds(2));
                assertThat(next.read(Stores.key(1))).contains(Stores.state("acknowledged"));
                proxy.freeze(false);
                assertThatThrownBy(() -> owner.write(Stores.key(2), Stores.state("late"), Durability.FORCED))
                        .isInstanceOf(StoreFencedException.class);
                assertThat(next.read(Stores.key(2))).isEmpty();
            }
            Stores.closeFailed(owner);
        }
    }

    @Test
    void neverMeansNever() throws Exception {
        try (CuttingProxy proxy = new CuttingProxy(server.port());
                ObjectStore owner =
                        Stores.open(Stores.settings(PostgresServer.urlOf("127.0.0.1:" + proxy.port()), "never"))) {
            assertThat(owner.failure()).isEmpty();
            proxy.freeze(true);
            assertThatThrownBy(() -> Stores.open(
                            Stores.settings(server.url(), "never").set(StoreOption.TAKEOVER, Takeover.NEVER)))
                    .isInstanceOf(StoreLockedException.class)
                    .hasMessageContaining("tallystick.takeover");
            proxy.freeze(false);
        }
    }

    /** As in the note of a directory's owner; a variable of the shell need not be there. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void theOwnerIsNamedWithTheHostNameOfTheKernel() throws Exception {
        Stores.open(Stores.settings(server.url(), "named")).close();
        assertThat(server.one("SELECT owner FROM tallystick.tallystick_log WHERE node_id = 'named'"))
                .contains(" host="
                        + Files.readString(Path.of("/proc/sys/kernel/hostname")).strip() + " ");
    }

    @Test
    void aLogThatWasClosedIsTakenWithoutWaiting() {
        Stores.open(Stores.settings(server.url(), "closed").set(StoreOption.LEASE, LONG_LEASE))
                .close();
        long begun = System.nanoTime();
        Stores.open(Stores.settings(server.url(), "closed")
                        .set(StoreOption.LEASE, LONG_LEASE)
                        .set(StoreOption.TAKEOVER, Takeover.NEVER))
                .close();
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(LONG_LEASE);
    }

    @Test
    void theNodeTakesItsLogFromALivingAdopterAtOnce() throws Exception {
        Stores.open(Stores.settings(server.url(), "adopted")).close();
        ObjectStore adopter =
                Stores.open(Stores.settings(server.url(), "adopted").adopting());
        adopter.write(Stores.key(1), Stores.state("recovered"), Durability.FORCED);
        assertThat(roleOf("adopted")).isEqualTo("adopter");
        try (ObjectStore home = Stores.open(Stores.settings(server.url(), "adopted")
                .set(StoreOption.TAKEOVER, Takeover.NEVER)
                .set(StoreOption.LEASE, Duration.ofMinutes(10)))) {
            assertThat(roleOf("adopted")).isEqualTo("home");
            assertThat(home.read(Stores.key(1))).contains(Stores.state("recovered"));
            assertThatThrownBy(() -> adopter.write(Stores.key(2), Stores.state("late"), Durability.FORCED))
                    .isInstanceOf(StoreFencedException.class);
        }
        Stores.closeFailed(adopter);
    }

    @Test
    void anAdopterTakesNothingFromALivingNodeNorFromALivingAdopter() throws Exception {
        StoreConfiguration.Builder adopting = Stores.settings(server.url(), "kept")
                .set(StoreOption.TAKEOVER, Takeover.AT_ONCE)
                .adopting();
        try (ObjectStore home = Stores.open(Stores.settings(server.url(), "kept"))) {
            assertThatThrownBy(() -> Stores.open(adopting))
                    .isInstanceOf(StoreLockedException.class)
                    .hasMessageContaining("role=home");
            home.write(Stores.key(1), Stores.state("goes on"), Durability.FORCED);
        }
        try (ObjectStore adopter = Stores.open(adopting)) {
            assertThatThrownBy(() -> Stores.open(adopting))
                    .isInstanceOf(StoreLockedException.class)
                    .hasMessageContaining("role=adopter");
            adopter.write(Stores.key(1), Stores.state("goes on too"), Durability.FORCED);
        }
    }

    @Tag("long")
    @Test
    void theNodeThatWaitsForALeaseDoesNotWaitForAnAdopterThatWasFaster() throws Exception {
        try (CuttingProxy proxy = new CuttingProxy(server.port());
                ObjectStore dead =
                        Stores.open(Stores.settings(PostgresServer.urlOf("127.0.0.1:" + proxy.port()), "faster"))) {
            proxy.freeze(true);
            long begun = System.nanoTime();
            CompletableFuture<ObjectStore> home = CompletableFuture.supplyAsync(() -> Stores.openWhenSilent(
                    Stores.settings(server.url(), "faster").set(StoreOption.LEASE, LONG_LEASE)));
            ObjectStore adopter = Stores.openWhenSilent(
                    Stores.settings(server.url(), "faster").adopting());
            home.get(60, TimeUnit.SECONDS).close();
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(LONG_LEASE);
            assertThatThrownBy(() -> adopter.write(Stores.key(1), Stores.state("late"), Durability.FORCED))
                    .isInstanceOf(StoreFencedException.class);
            Stores.closeFailed(adopter);
            proxy.freeze(false);
            Stores.closeFailed(dead);
        }
    }

    @Tag("long")
    @Test
    void theOwnersLeaseCountsWhereItIsLonger() {
        try (ObjectStore owner =
                Stores.open(Stores.settings(server.url(), "longer").set(StoreOption.LEASE, Duration.ofSeconds(20)))) {
            assertThatThrownBy(() ->
                            Stores.open(Stores.settings(server.url(), "longer").adopting()))
                    .isInstanceOf(StoreLockedException.class)
                    .hasMessageContaining("lives");
            assertThat(owner.failure()).isEmpty();
        }
    }

    @Test
    void anAdopterMakesNoLog() {
        assertThatThrownBy(() ->
                        Stores.open(Stores.settings(server.url(), "nowhere").adopting()))
                .hasMessageContaining("there is no log of node nowhere")
                .hasMessageContaining("an adopter makes none");
    }

    private static String roleOf(String node) throws SQLException {
        return server.one("SELECT role FROM tallystick.tallystick_log WHERE node_id = '" + node + "'");
    }
}
