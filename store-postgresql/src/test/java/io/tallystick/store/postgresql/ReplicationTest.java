package io.tallystick.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFailedException;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.StoreOption.Takeover;
import io.tallystick.store.StoreStatistics;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two machines: what is acknowledged is on both, and outlives either. */
@Tag("long")
@Timeout(180)
class ReplicationTest {
    private static final String NODE = "replicated";
    private static final Duration SHORT = Duration.ofSeconds(9);

    private PostgresServer primary;
    private PostgresServer standby;

    @BeforeEach
    void startServers() throws Exception {
        PostgresServer.obstacle().ifPresent(why -> Assumptions.abort("skipped: " + why));
        primary = PostgresServer.start();
        standby = primary.startStandby();
        primary.waitForStandby(true);
    }

    @AfterEach
    void stopServers() {
        for (PostgresServer server : new PostgresServer[] {standby, primary}) {
            if (server != null) {
                server.close();
            }
        }
    }

    @Test
    void whatWasAcknowledgedOutlivesThePrimaryAndTheOwnerGoesOn() throws Exception {
        Map<Long, Long> acknowledged = new ConcurrentHashMap<>();
        AtomicBoolean isOver = new AtomicBoolean();
        try (ObjectStore store = open(both())) {
            List<Thread> writers = new ArrayList<>();
            List<Throwable> failures = new ArrayList<>();
            for (long key = 0; key < 8; key++) {
                writers.add(writer(store, key, acknowledged, isOver, failures));
            }
            awaitMoreThan(acknowledged, 20);
            primary.stop("immediate");
            standby.promote();
            Map<Long, Long> before = Map.copyOf(acknowledged);
            // One copy is left; the names are empty on the new primary, whose administrator sets them with a new
            // standby.
            awaitProgress(acknowledged, before);
            isOver.set(true);
            for (Thread writer : writers) {
                writer.join();
            }
            assertThat(failures).isEmpty();
            assertThat(store.failure()).isEmpty();
        }
        try (ObjectStore next = open(standby.url())) {
            acknowledged.forEach(
                    (key, value) -> assertThat(next.read(Stores.key(key))).contains(Stores.state("" + value)));
        }
    }

    @Test
    void anOwnerStopsWhenThePromotedStandbyLacksWhatWasAcknowledged() throws Exception {
        primary.waitForStandby(false);
        ObjectStore store = open(both());
        store.write(Stores.key(1), Stores.state("on both"), Durability.FORCED);
        standby.stop("fast");
        for (int i = 2; i < 20; i++) {
            store.write(Stores.key(i), Stores.state("on the primary alone"), Durability.FORCED);
        }
        primary.stop("immediate");
        standby.run();
        standby.promote();
        // The beat may find the loss first: then this write is refused, and its outcome is known.
        assertThatThrownBy(() -> store.write(Stores.key(30), Stores.state("late"), Durability.FORCED))
                .isInstanceOfAny(OutcomeUnknownException.class, StoreFailedException.class)
                .hasMessageContaining("has lost batches that it had acknowledged");
        assertThatThrownBy(() -> store.write(Stores.key(31), Stores.state("later"), Durability.FORCED))
                .isInstanceOf(StoreException.class);
        Stores.closeFailed(store);
    }

    @Test
    void withoutAStandbyNothingIsAcknowledged() throws Exception {
        try (ObjectStore store = open(required(primary.url()))) {
            store.write(Stores.key(1), Stores.state("on both"), Durability.FORCED);
            standby.signal("STOP");
            CompletableFuture<Void> waiting =
                    store.writeAsync(Stores.key(2), Stores.state("waits")).toCompletableFuture();
            assertThatThrownBy(() -> waiting.get(1, TimeUnit.SECONDS))
                    .isInstanceOf(java.util.concurrent.TimeoutException.class);
            // An administrator loses patience: the server says that the commit stands here, and perhaps not there.
            primary.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
            assertThatThrownBy(() -> waiting.get(1, TimeUnit.SECONDS))
                    .isInstanceOf(java.util.concurrent.TimeoutException.class);
            primary.sql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
            assertThatThrownBy(() -> waiting.get(1, TimeUnit.SECONDS))
                    .isInstanceOf(java.util.concurrent.TimeoutException.class);
            standby.signal("CONT");
            waiting.get(60, TimeUnit.SECONDS);
            assertThat(store.read(Stores.key(2))).contains(Stores.state("waits"));
        }
    }

    @Test
    void aCommitThatWaitsForAStandbyIsToldWithTheNameOfTheStandby() throws Exception {
        ObjectStore store = open(required(primary.url()).set(StoreOption.PATIENCE, Duration.ofSeconds(6)));
        try (ToldLines told = new ToldLines(StandbyWait.class)) {
            standby.signal("STOP");
            CompletableFuture<Void> waiting =
                    store.writeAsync(Stores.key(1), Stores.state("waits")).toCompletableFuture();
            await().atMost(Duration.ofSeconds(60)).until(() -> !told.all().isEmpty());
            assertThat(told.all().get(0)).contains("TALLY0333", "synchronous_standby_names='", "s1 (");
            assertThatThrownBy(() -> waiting.get(60, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(OutcomeUnknownException.class)
                    .hasMessageContaining("for a synchronous standby")
                    .hasMessageContaining("s1 (");
        } finally {
            standby.signal("CONT");
            Stores.closeFailed(store);
        }
    }

    @Test
    void aMissingStandbyIsInTheLastMessageAndCommitsThatWaitForItAreCounted() throws Exception {
        ObjectStore store = open(required(primary.url()).set(StoreOption.PATIENCE, SHORT));
        store.write(Stores.key(1), Stores.state("on both"), Durability.FORCED);
        standby.stop("immediate");
        CompletableFuture<Void> waiting =
                store.writeAsync(Stores.key(2), Stores.state("waits")).toCompletableFuture();
        await().atMost(SHORT).until(() -> figures(store).waitingCommits() > 0);
        await().atMost(SHORT).until(() -> figures(store).longestWait().compareTo(Duration.ofSeconds(1)) > 0);
        assertThatThrownBy(() -> waiting.get(60, TimeUnit.SECONDS))
                .hasCauseInstanceOf(OutcomeUnknownException.class)
                .hasMessageContaining("no synchronous standby is connected");
        Stores.closeFailed(store);
    }

    private static StoreStatistics.Remote figures(ObjectStore store) {
        return store.statistics().remote().orElseThrow();
    }

    @Test
    void aRightThatIsRevokedUnderLoadIsNotUnknown() throws Exception {
        open(required(primary.url())).close();
        primary.sql("CREATE ROLE app LOGIN");
        for (String grant : Schema.grants("tallystick", "app")) {
            primary.sql(grant);
        }
        ObjectStore store = open(required(primary.url().replace("user=postgres", "user=app"))
                .set(StoreOption.PATIENCE, Duration.ofSeconds(3)));
        store.write(Stores.key(1), Stores.state("on both"), Durability.FORCED);
        primary.sql("REVOKE INSERT ON tallystick.tallystick_batch FROM app");

        assertThatThrownBy(() -> store.write(Stores.key(2), Stores.state("refused"), Durability.FORCED))
                .isInstanceOf(StoreFailedException.class)
                .hasMessageContaining("permission denied for table tallystick_batch (SQLSTATE 42501)")
                .hasMessageContaining("nothing was written");
        Stores.closeFailed(store);
    }

    /** Its machine is gone without a word. With the time-outs of a lane the owner would be silent for minutes. */
    @Test
    void anIdleOwnerWhosePrimarysMachineIsGoneIsNotTakenForDeadOnTheNextPrimary() throws Exception {
        primary.waitForStandby(false);
        Duration lease = Duration.ofSeconds(6);
        try (CuttingProxy machine = new CuttingProxy(primary.port())) {
            String hosts = PostgresServer.urlOf("127.0.0.1:" + machine.port() + ",127.0.0.1:" + standby.port());
            try (ObjectStore owner = open(Stores.settings(hosts, NODE)
                    .set(StoreOption.LEASE, lease)
                    .set(StoreOption.PATIENCE, Duration.ofMinutes(2)))) {
                owner.write(Stores.key(1), Stores.state("on both"), Durability.FORCED);
                primary.awaitStandby();
                machine.freeze(true);
                standby.promote();

                assertThatThrownBy(
                                () -> open(Stores.settings(standby.url(), NODE).set(StoreOption.LEASE, lease)))
                        .isInstanceOf(StoreLockedException.class)
                        .hasMessageContaining("has an owner that lives");
                assertThat(owner.failure()).isEmpty();
            }
        }
    }

    /** The driver makes a list of them, of which the first one answers. */
    @Test
    void thePrimaryIsFoundWhereTheHostsAreParameters() throws Exception {
        String url = "jdbc:postgresql:postgres?host=127.0.0.1,127.0.0.1&port=" + standby.port() + "," + primary.port()
                + "&user=postgres";
        try (ObjectStore store = open(required(url))) {
            store.write(Stores.key(1), Stores.state("on both"), Durability.FORCED);
        }
    }

    @Test
    void aWriteThatWaitsIsNotAcknowledgedWhenTheListOfStandbysIsEmptied() throws Exception {
        try (ObjectStore store = open(required(primary.url()))) {
            store.write(Stores.key(1), Stores.state("on both"), Durability.FORCED);
            standby.signal("STOP");
            CompletableFuture<Void> waiting =
                    store.writeAsync(Stores.key(2), Stores.state("waits")).toCompletableFuture();
            awaitWaiting("SyncRep");
            // The server lets the statement go without a warning.
            primary.waitForStandby(false);
            assertThatThrownBy(() -> waiting.get(2, TimeUnit.SECONDS))
                    .isInstanceOf(java.util.concurrent.TimeoutException.class);
            standby.signal("CONT");
            primary.waitForStandby(true);
            waiting.get(60, TimeUnit.SECONDS);
            assertThat(store.read(Stores.key(2))).contains(Stores.state("waits"));
        }
    }

    @Test
    void aWriteIsNotAcknowledgedWhereTheServerDoesNotYetWaitForTheStandbyThatIsNamed() throws Exception {
        primary.waitForStandby(false);
        primary.signalProcess(
                "checkpointer", "STOP"); // as when it is busy: it does not bring the new setting to the others
        try {
            primary.waitForStandby(true);
            try (ObjectStore store = open(required(primary.url()))) {
                store.write(Stores.key(1), Stores.state("on both"), Durability.FORCED);
                standby.signal("STOP");
                CompletableFuture<Void> waiting =
                        store.writeAsync(Stores.key(2), Stores.state("waits")).toCompletableFuture();
                assertThatThrownBy(() -> waiting.get(2, TimeUnit.SECONDS))
                        .isInstanceOf(java.util.concurrent.TimeoutException.class);
                standby.signal("CONT");
                waiting.get(60, TimeUnit.SECONDS);
            }
        } finally {
            primary.signalProcess("checkpointer", "CONT");
        }
    }

    @Test
    void aWriteIsNotAcknowledgedBeforeItIsOnAsManyStandbysAsTheSettingDemands() throws Exception {
        primary.waitForStandby(false);
        try (PostgresServer second = primary.startStandby("s2")) {
            for (String names : List.of("FIRST 2 (s1, s2)", "any 2(s1,s2)", "2 (s1, s2)")) {
                primary.waitForStandbys("", 0);
                primary.signalProcess(
                        "checkpointer", "STOP"); // the proof alone counts: the server itself waits for nothing
                try {
                    primary.waitForStandbys(names, 2);
                    try (ObjectStore store = open(required(primary.url()))) {
                        store.write(Stores.key(1), Stores.state("on three"), Durability.FORCED);
                        second.signal("STOP");
                        CompletableFuture<Void> waiting;
                        try {
                            waiting = store.writeAsync(Stores.key(2), Stores.state("waits"))
                                    .toCompletableFuture();
                            assertThatThrownBy(() -> waiting.get(2, TimeUnit.SECONDS))
                                    .as(names)
                                    .isInstanceOf(java.util.concurrent.TimeoutException.class);
                        } finally {
                            second.signal("CONT");
                        }
                        waiting.get(60, TimeUnit.SECONDS);
                    }
                } finally {
                    primary.signalProcess("checkpointer", "CONT");
                }
            }
        }
    }

    @Test
    void aWriteThatWaitsForTheStandbyDoesNotHoldTheFence() throws Exception {
        try (ObjectStore store = open(required(primary.url()))) {
            store.write(Stores.key(1), Stores.state("on both"), Durability.FORCED);
            standby.signal("STOP");
            CompletableFuture<Void> waiting;
            try {
                waiting = store.writeAsync(Stores.key(2), Stores.state("waits")).toCompletableFuture();
                awaitWaiting("SyncRep");
                try (Connection taker =
                        primary.begin("SELECT 1 FROM tallystick.tallystick_fence FOR NO KEY UPDATE NOWAIT")) {
                    assertThat(waiting).isNotDone();
                    taker.rollback();
                }
            } finally {
                standby.signal("CONT"); // a process that is stopped cannot be ended
            }
            waiting.get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void aLookThatWaitsForTheStandbyHoldsNoFence() throws Exception {
        try (ObjectStore store = open(required(primary.url()))) {
            store.write(Stores.key(1), Stores.state("on both"), Durability.FORCED);
            standby.signal("STOP");
            CompletableFuture<Void> waiting;
            try {
                waiting = store.writeAsync(Stores.key(2), Stores.state("waits")).toCompletableFuture();
                awaitWaiting("SyncRep");
                String writing = primary.one("SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
                primary.sql("SELECT pg_terminate_backend(" + writing + ")");
                // The lane connects again, and looks for its batch.
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> primary.one("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
                                        + " AND pid <> " + writing)
                                .equals("1"));
                try (Connection taker =
                        primary.begin("SELECT 1 FROM tallystick.tallystick_fence FOR NO KEY UPDATE NOWAIT")) {
                    assertThat(waiting).isNotDone();
                    taker.rollback();
                }
            } finally {
                standby.signal("CONT"); // a process that is stopped cannot be ended
            }
            waiting.get(60, TimeUnit.SECONDS);
            assertThat(store.read(Stores.key(2))).contains(Stores.state("waits"));
        }
    }

    @Test
    void aProcessThatStopsBeforeTheFirstCommitOfARequestDoesNotHoldTheLogForEver() throws Exception {
        try (CuttingProxy proxy = new CuttingProxy(primary.port())) {
            ObjectStore stopped = open(
                    required(PostgresServer.urlOf("127.0.0.1:" + proxy.port())).set(StoreOption.PATIENCE, SHORT));
            proxy.freezeWithin("INSERT INTO tallystick_batch", "COMMIT AND CHAIN");
            CompletableFuture<Void> half =
                    stopped.writeAsync(Stores.key(1), Stores.state("half sent")).toCompletableFuture();
            proxy.awaitFrozen();
            try (ObjectStore next = open(required(primary.url())
                    .set(StoreOption.TAKEOVER, Takeover.AT_ONCE)
                    .set(StoreOption.PATIENCE, Duration.ofMinutes(1)))) {
                assertThat(next.read(Stores.key(1))).isEmpty();
                proxy.freeze(false);
                assertThatThrownBy(() -> half.get(60, TimeUnit.SECONDS)).hasCauseInstanceOf(StoreException.class);
            }
            Stores.closeFailed(stopped);
        }
    }

    @Test
    void aWriteThatIsCancelledBetweenItsTwoCommitsIsNotSaidToBeUnwrittenWhenTheLogWasTaken() throws Exception {
        holdRequestsBetweenTheirTwoCommits();
        ObjectStore store = open(required(primary.url()).set(StoreOption.LEASE, Duration.ofMinutes(10)));
        CompletableFuture<Void> held;
        try (Connection lock = primary.begin("SELECT pg_advisory_lock(1)")) {
            held = store.writeAsync(Stores.key(1), Stores.state("acted on")).toCompletableFuture();
            awaitWaiting("advisory");
            primary.sql("UPDATE tallystick.tallystick_fence SET epoch = epoch + 1");
            primary.sql("UPDATE tallystick.tallystick_log SET epoch = epoch + 1");
            disturbHeldRequest("pg_cancel_backend");
            assertThat(lock.isValid(60)).isTrue();
        }
        assertThatThrownBy(() -> held.get(60, TimeUnit.SECONDS)).hasCauseInstanceOf(OutcomeUnknownException.class);
        Stores.closeFailed(store);
    }

    /** Whoever deleted it has read it, and acts on it. */
    @Test
    void aWriteThatIsCancelledBetweenItsTwoCommitsIsNotSaidToBeUnwrittenWhenTheNewOwnerHasDeletedIt() throws Exception {
        holdRequestsBetweenTheirTwoCommits();
        ObjectStore store = open(required(primary.url()).set(StoreOption.LEASE, Duration.ofMinutes(10)));
        CompletableFuture<Void> held;
        try (Connection lock = primary.begin("SELECT pg_advisory_lock(1)")) {
            held = store.writeAsync(Stores.key(1), Stores.state("acted on, then deleted"))
                    .toCompletableFuture();
            awaitWaiting("advisory");
            primary.sql("UPDATE tallystick.tallystick_fence SET epoch = epoch + 1");
            primary.sql("UPDATE tallystick.tallystick_log SET epoch = epoch + 1");
            primary.sql(
                    "INSERT INTO tallystick.tallystick_batch SELECT log_id, seq + 1, lane, epoch + 1, durable, seq + 1,"
                            + " body FROM tallystick.tallystick_batch");
            primary.sql("DELETE FROM tallystick.tallystick_batch WHERE epoch < (SELECT max(epoch)"
                    + " FROM tallystick.tallystick_batch)");
            assertThat(primary.one("SELECT count(*) FROM tallystick.tallystick_batch"))
                    .isEqualTo("1");
            disturbHeldRequest("pg_cancel_backend");
            assertThat(lock.isValid(60)).isTrue();
        }
        assertThatThrownBy(() -> held.get(60, TimeUnit.SECONDS)).hasCauseInstanceOf(OutcomeUnknownException.class);
        Stores.closeFailed(store);
    }

    @Test
    void aWriteThatIsCancelledBetweenItsTwoCommitsIsFoundAndNotSentAgain() throws Exception {
        isFoundAndNotSentAgainAfter("pg_cancel_backend");
    }

    @Test
    void aWriteWhoseConnectionEndsBetweenItsTwoCommitsIsFoundAndNotSentAgain() throws Exception {
        isFoundAndNotSentAgainAfter("pg_terminate_backend");
    }

    private void isFoundAndNotSentAgainAfter(String disturbance) throws Exception {
        holdRequestsBetweenTheirTwoCommits();
        try (ObjectStore store = open(required(primary.url()))) {
            countInserts("BEFORE INSERT ON tallystick.tallystick_batch FOR EACH ROW", "");
            try (Connection lock = primary.begin("SELECT pg_advisory_lock(1)")) {
                CompletableFuture<Void> held =
                        store.writeAsync(Stores.key(1), Stores.state("once")).toCompletableFuture();
                awaitWaiting("advisory");
                disturbHeldRequest(disturbance);
                held.get(60, TimeUnit.SECONDS);
                lock.rollback();
            }
            assertThat(primary.one("SELECT last_value FROM inserts")).isEqualTo("1");
            assertThat(primary.one("SELECT count(*) FROM tallystick.tallystick_batch"))
                    .isEqualTo("1");
        }
    }

    /** Nobody but the look brings the first commit to a disk. */
    @Test
    void aBatchThatALookFindsIsOnTheStandby() throws Exception {
        holdRequestsBetweenTheirTwoCommits();
        ObjectStore store = open(required(primary.url()));
        primary.signalProcess("walwriter", "STOP");
        try (Connection lock = primary.begin("SELECT pg_advisory_lock(1)")) {
            CompletableFuture<Void> held =
                    store.writeAsync(Stores.key(1), Stores.state("found")).toCompletableFuture();
            awaitWaiting("advisory");
            disturbHeldRequest("pg_terminate_backend");
            held.get(60, TimeUnit.SECONDS);
            assertThat(lock.isValid(60)).isTrue();
            primary.stop("immediate");
        }
        standby.promote();
        assertThat(standby.one("SELECT count(*) FROM tallystick.tallystick_batch"))
                .isEqualTo("1");
        Stores.closeFailed(store);
    }

    /** The first commit was on no disk yet: whether the batch is there afterwards is left to chance. */
    @Test
    void aWriteWhoseServerRestartsBetweenItsTwoCommitsIsThereOnce() throws Exception {
        holdRequestsBetweenTheirTwoCommits();
        try (ObjectStore store = open(required(primary.url()))) {
            Connection lock = primary.begin("SELECT pg_advisory_lock(1)");
            CompletableFuture<Void> held =
                    store.writeAsync(Stores.key(1), Stores.state("once")).toCompletableFuture();
            awaitWaiting("advisory");
            primary.stop("immediate");
            lock.close();
            assertThat(held).isNotDone();
            primary.run();
            held.get(60, TimeUnit.SECONDS);
            assertThat(primary.one("SELECT count(*) FROM tallystick.tallystick_batch"))
                    .isEqualTo("1");
        }
    }

    @Test
    void aWriteWhoseFirstCommitFailsIsSentAgainByTheSameConnection() throws Exception {
        try (ObjectStore store = open(required(primary.url()))) {
            store.write(Stores.key(1), Stores.state("on both"), Durability.FORCED);
            String lanes = lanes();
            countInserts(
                    "AFTER INSERT ON tallystick.tallystick_batch DEFERRABLE INITIALLY DEFERRED FOR EACH ROW",
                    "IF count = 1 THEN RAISE EXCEPTION SQLSTATE ''53100''; END IF;");
            store.write(Stores.key(2), Stores.state("at the second try"), Durability.FORCED);
            assertThat(primary.one("SELECT last_value FROM inserts")).isEqualTo("2");
            assertThat(primary.one("SELECT count(*) FROM tallystick.tallystick_batch"))
                    .isEqualTo("2");
            assertThat(lanes()).isEqualTo(lanes);
        }
    }

    /** Counts all rows that are inserted from now on, also in transactions that are rolled back. */
    private void countInserts(String when, String then) throws SQLException {
        primary.sql("CREATE SEQUENCE public.inserts");
        primary.sql("CREATE FUNCTION public.count_insert() RETURNS trigger LANGUAGE plpgsql AS 'DECLARE count bigint;"
                + " BEGIN count := nextval(''public.inserts''); " + then + " RETURN NEW; END'");
        primary.sql("CREATE " + (when.startsWith("AFTER") ? "CONSTRAINT " : "") + "TRIGGER counts " + when
                + " EXECUTE FUNCTION public.count_insert()");
    }

    @Test
    void aWriteIsNotSaidToBeUnwrittenWhileItsFirstRequestMayStillCome() throws Exception {
        LostReplyTest.writeWhoseFirstRequestComesLate(primary, NODE, true);
    }

    @Test
    void aWriteThatIsCancelledBeforeItsCommitGoesOnWithItsConnection() throws Exception {
        try (ObjectStore store = open(required(primary.url()))) {
            store.write(Stores.key(1), Stores.state("on both"), Durability.FORCED);
            String lanes = lanes();
            CompletableFuture<Void> cancelled;
            try (Connection lock = primary.begin("SELECT 1 FROM tallystick.tallystick_fence FOR UPDATE")) {
                cancelled = store.writeAsync(Stores.key(2), Stores.state("cancelled, then written"))
                        .toCompletableFuture();
                primary.awaitLockWait();
                primary.sql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
                lock.rollback();
            }
            cancelled.get(60, TimeUnit.SECONDS);
            assertThat(lanes()).isEqualTo(lanes);
        }
    }

    @Test
    void aWriteThatIsCancelledBeforeItsCommitForTheWholePatienceIsSaidToBeUnwritten() throws Exception {
        ObjectStore store = open(required(primary.url()).set(StoreOption.PATIENCE, Duration.ofSeconds(3)));
        try (Connection lock = primary.begin("SELECT 1 FROM tallystick.tallystick_fence FOR UPDATE")) {
            CompletableFuture<Void> cancelled =
                    store.writeAsync(Stores.key(1), Stores.state("never")).toCompletableFuture();
            while (!cancelled.isDone()) {
                primary.sql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
            }
            assertThatThrownBy(cancelled::get)
                    .hasCauseInstanceOf(StoreFailedException.class)
                    .hasMessageContaining("nothing was written");
            lock.rollback();
        }
        assertThat(primary.one("SELECT count(*) FROM tallystick.tallystick_batch"))
                .isEqualTo("0");
        Stores.closeFailed(store);
    }

    /** The first commit of a batch is done, and its request then waits for a lock that a test may hold. */
    private void holdRequestsBetweenTheirTwoCommits() throws SQLException {
        primary.sql("ALTER FUNCTION pg_catalog.pg_current_wal_insert_lsn() RENAME TO insert_lsn_of_the_server");
        primary.sql("CREATE FUNCTION pg_catalog.pg_current_wal_insert_lsn() RETURNS pg_lsn LANGUAGE plpgsql AS"
                + " 'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN insert_lsn_of_the_server(); END'");
    }

    /** Returns when the request has ended. A test that then lets go of the lock does not hold what follows. */
    private void disturbHeldRequest(String function) throws SQLException {
        String held = " FROM pg_stat_activity WHERE wait_event = 'advisory'";
        String began = primary.one("SELECT max(query_start)" + held);
        primary.sql("SELECT " + function + "(pid)" + held);
        await().atMost(Duration.ofSeconds(60))
                .until(() -> primary.one("SELECT count(*)" + held + " AND query_start = '" + began + "'")
                        .equals("0"));
    }

    /** The processes of the server that serve the connections of owners. */
    private String lanes() throws SQLException {
        return primary.one("SELECT string_agg(pid::text, ' ' ORDER BY pid) FROM pg_stat_activity"
                + " WHERE application_name ~ '^tallystick [0-9a-f-]{36} '");
    }

    /** Nobody has rewound it. It names its own position, and for moments the new primary lists it as synchronous. */
    @Test
    void anOldPrimaryThatFollowsWithAnotherPastProvesNothing() throws Exception {
        primary.waitForStandby(false);
        primary.awaitStandby();
        standby.stop("fast");
        primary.sql("CREATE TABLE only_there AS SELECT repeat('x', 1000) FROM generate_series(1, 2000)");
        primary.stop("immediate");
        standby.run();
        standby.promote();
        primary.beStandbyOf(standby, "s1", "wal_retrieve_retry_interval = 1ms\n");
        primary.run();
        standby.sql("ALTER SYSTEM SET synchronous_standby_names = 'FIRST 1 (s1)'");
        standby.sql("SELECT pg_reload_conf()");
        try (Connection connection = DriverManager.getConnection(standby.url());
                Statement statement = connection.createStatement()) {
            connection.setNetworkTimeout(Runnable::run, 20_000);
            statement.execute("SET synchronous_commit = local");
            statement.execute("CREATE TABLE only_here ()");
            assertThatThrownBy(() -> Confirmation.confirmSynchronous(connection))
                    .isInstanceOf(Transaction.UnconfirmedException.class);
        }
    }

    @Test
    void anOpeningReadsNoOtherServerThanTheOneWhereItTookTheLog() throws Exception {
        primary.waitForStandby(false);
        open(both()).close();
        primary.awaitStandby();
        primary.stop("immediate");
        standby.promote();
        try (ObjectStore store = open(standby.url())) {
            store.write(Stores.key(1), Stores.state("after the failover"), Durability.FORCED);
        }
        try (CuttingProxy toNew = new CuttingProxy(standby.port())) {
            toNew.freezeAfter("UPDATE tallystick_log SET epoch");
            String url = PostgresServer.urlOf("127.0.0.1:" + primary.port() + ",127.0.0.1:" + toNew.port());
            CompletableFuture<ObjectStore> opening = CompletableFuture.supplyAsync(
                    () -> open(Stores.settings(url, NODE).set(StoreOption.PATIENCE, Duration.ofMinutes(2))));
            toNew.awaitFrozen();
            primary.run(); // it does not know that another one was promoted
            toNew.freeze(false);
            assertThatThrownBy(() -> opening.get(60, TimeUnit.SECONDS).close())
                    .hasCauseInstanceOf(StoreIoException.class)
                    .hasMessageContaining("went back in time");
        }
    }

    @Test
    void anOwnerStopsWhenThePromotedStandbyLacksTheLastBatchOfTheOtherLane() throws Exception {
        primary.waitForStandby(false);
        ObjectStore store = open(both());
        CompletableFuture<Void> first;
        try (Connection lock = primary.begin("SELECT 1 FROM tallystick.tallystick_fence WHERE lane = 0 FOR UPDATE")) {
            first = store.writeAsync(Stores.key(1), Stores.state("waits for the lock of its lane"))
                    .toCompletableFuture();
            primary.awaitLockWait();
            store.write(Stores.key(2), Stores.state("on both"), Durability.FORCED);
            primary.awaitStandby();
            standby.stop("fast");
            assertThat(first).isNotDone();
            lock.rollback();
        }
        first.get(60, TimeUnit.SECONDS);
        primary.stop("immediate");
        standby.run();
        standby.promote();
        await().atMost(Duration.ofSeconds(60)).until(() -> store.failure().isPresent());
        assertThat(store.failure().get()).hasMessageContaining("has lost batches that it had acknowledged");
        Stores.closeFailed(store);
    }

    /** As after a pause of the old primary, whose manager has not stopped it yet. */
    @Test
    void aBeatThatIsStillConnectedToTheOldPrimaryFindsNoLossThere() throws Exception {
        primary.waitForStandby(false);
        String newFirst = PostgresServer.urlOf("127.0.0.1:" + standby.port() + ",127.0.0.1:" + primary.port());
        try (ObjectStore store = open(newFirst)) {
            writeByEachLane(store);
            primary.awaitStandby();
            standby.promote();
            primary.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'WITH mine%'");
            writeByEachLane(store);

            awaitBeats(primary, 5);
            assertThat(store.failure()).isEmpty();
        }
    }

    @Test
    void anOwnerThatIsIdleAfterAFailoverNoticesThatItsBatchesAreTruncated() throws Exception {
        primary.waitForStandby(false);
        ObjectStore store = open(both());
        writeByEachLane(store);
        primary.awaitStandby();
        primary.stop("immediate");
        standby.promote();
        awaitBeats(standby, 5);

        standby.sql("TRUNCATE tallystick.tallystick_batch");

        await().atMost(SHORT).until(() -> store.failure().isPresent());
        assertThat(store.failure().get()).hasMessageContaining("has lost batches that it had acknowledged");
        Stores.closeFailed(store);
    }

    /** Waits until the only connection of the owner, or the latest, has asked this server so many times more. */
    private static void awaitBeats(PostgresServer server, int beats) throws SQLException {
        String latest =
                "SELECT max(query_start) FROM pg_stat_activity WHERE application_name ~ '^tallystick [0-9a-f-]{36} '";
        for (int i = 0; i < beats; i++) {
            String last = server.one(latest);
            await().atMost(SHORT).until(() -> !server.one(latest).equals(last));
        }
    }

    private static void writeByEachLane(ObjectStore store) {
        for (int i = 0; i < 4; i++) {
            store.write(Stores.key(i), Stores.state("written"), Durability.FORCED);
        }
    }

    /** Both owners begin with the same sequence, too: each would take the other's batch for its own. */
    @Test
    void anOwnerWhoseTakeoverThePromotedStandbyLacksDoesNotShareItsEpochWithTheNextOne() throws Exception {
        primary.waitForStandby(false);
        open(both()).close();
        primary.awaitStandby();
        standby.stop("fast");
        ObjectStore store = open(Stores.settings(both(), NODE).set(StoreOption.LEASE, Duration.ofMinutes(10)));
        store.write(Stores.key(1), Stores.state("on the primary alone"), Durability.FORCED);
        primary.stop("immediate");
        standby.run();
        standby.promote();
        try (ObjectStore next = open(standby.url())) {
            next.write(Stores.key(2), Stores.state("the next owner's"), Durability.FORCED);
            assertThatThrownBy(() -> store.write(Stores.key(3), Stores.state("late"), Durability.FORCED))
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasMessageContaining("went back in time");
            next.write(Stores.key(4), Stores.state("goes on"), Durability.FORCED);
        }
        Stores.closeFailed(store);
    }

    @Test
    void anOwnerWhoseTakeoverThePromotedStandbyLacksIsToldThatTheDatabaseWentBack() throws Exception {
        primary.waitForStandby(false);
        open(both()).close();
        primary.awaitStandby();
        standby.stop("fast");
        ObjectStore store = open(both());
        store.write(Stores.key(1), Stores.state("on the primary alone"), Durability.FORCED);
        primary.stop("immediate");
        standby.run();
        standby.promote();
        assertThatThrownBy(() -> store.write(Stores.key(2), Stores.state("late"), Durability.FORCED))
                .isInstanceOf(OutcomeUnknownException.class)
                .hasMessageContaining("went back in time")
                .hasMessageContaining("epoch 1")
                .hasMessageNotContaining("taken over");
        Stores.closeFailed(store);
    }

    @Test
    void aWriteIsNotSaidToBeUnwrittenWhenTheLookForItIsCancelled() throws Exception {
        ObjectStore store = open(required(primary.url()).set(StoreOption.PATIENCE, Duration.ofSeconds(3)));
        store.write(Stores.key(1), Stores.state("on both"), Durability.FORCED);
        standby.signal("STOP");
        try {
            CompletableFuture<Void> written =
                    store.writeAsync(Stores.key(2), Stores.state("lands")).toCompletableFuture();
            awaitWaiting("SyncRep");
            int cancelled = 0;
            try (Connection lock = primary.begin("SELECT 1 FROM tallystick.tallystick_fence FOR NO KEY UPDATE")) {
                while (!written.isDone()) {
                    cancelled += Integer.parseInt(primary.one("SELECT count(pg_cancel_backend(pid))"
                            + " FROM pg_stat_activity WHERE wait_event_type = 'Lock'"));
                }
                lock.rollback();
            }
            assertThat(cancelled).isPositive();
            assertThatThrownBy(written::get).hasCauseInstanceOf(OutcomeUnknownException.class);
        } finally {
            standby.signal("CONT"); // a process that is stopped cannot be ended
        }
        Stores.closeFailed(store);
        try (ObjectStore next = open(required(primary.url()).set(StoreOption.TAKEOVER, Takeover.AT_ONCE))) {
            assertThat(next.read(Stores.key(2))).contains(Stores.state("lands"));
        }
    }

    private void awaitWaiting(String event) {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> !primary.one("SELECT count(*) FROM pg_stat_activity WHERE wait_event = '" + event + "'")
                        .equals("0"));
    }

    @Test
    void aLaneThatTheServerRefusesDoesNotSayThatItGotNoAnswer() throws Exception {
        ObjectStore store = open(required(primary.url()).set(StoreOption.PATIENCE, Duration.ofSeconds(3)));
        primary.waitForStandby(false);
        assertThatThrownBy(() -> {
                    while (true) { // sessions learn of it one after the other
                        store.write(Stores.key(2), Stores.state("once more"), Durability.FORCED);
                    }
                })
                .hasMessageContaining("refused to write for tallystick.patience=3s")
                .hasMessageNotContaining("no answer");
        Stores.closeFailed(store);
    }

    @Test
    void anEmptiedListOfStandbysStopsTheStore() throws Exception {
        ObjectStore store = open(required(primary.url()).set(StoreOption.PATIENCE, Duration.ofSeconds(3)));
        store.write(Stores.key(1), Stores.state("on both"), Durability.FORCED);
        primary.waitForStandby(false);
        assertThatThrownBy(() -> {
                    while (true) { // sessions learn of it one after the other
                        store.write(Stores.key(2), Stores.state("once more"), Durability.FORCED);
                    }
                })
                .isInstanceOf(StoreFailedException.class)
                .hasMessageContaining("synchronous_standby_names")
                .hasMessageContaining("nothing was written");
        Stores.closeFailed(store);
    }

    @Test
    void aListOfStandbysThatIsEmptyForAMomentDelaysWrites() throws Exception {
        try (ObjectStore store = open(required(primary.url()))) {
            store.write(Stores.key(1), Stores.state("on both"), Durability.FORCED);
            primary.waitForStandby(false);
            CompletableFuture<Void> waiting =
                    store.writeAsync(Stores.key(2), Stores.state("waits")).toCompletableFuture();
            primary.waitForStandby(true);
            waiting.get(60, TimeUnit.SECONDS);
            assertThat(store.read(Stores.key(2))).contains(Stores.state("waits"));
        }
    }

    @Test
    void aServerWithOneCopyIsRefused() throws SQLException, IOException {
        primary.waitForStandby(false);
        assertThatThrownBy(() -> open(required(primary.url())))
                .isInstanceOf(StoreIoException.class)
                .hasMessageContaining("synchronous_standby_names is empty")
                .hasMessageContaining("tallystick.require-replication=none");
        primary.waitForStandby(true);
        standby.stop("immediate");
        await().atMost(Duration.ofSeconds(60)).until(() -> primary.one("SELECT count(*) FROM pg_stat_replication")
                .equals("0"));
        assertThatThrownBy(() -> open(required(primary.url())))
                .isInstanceOf(StoreIoException.class)
                .hasMessageContaining("no synchronous standby is connected");
    }

    @Test
    void aStandbyAloneIsRefused() {
        assertThatThrownBy(() ->
                        open(Stores.settings(standby.url(), NODE).set(StoreOption.PATIENCE, Duration.ofSeconds(3))))
                .isInstanceOf(StoreIoException.class)
                .hasMessageContaining("primary");
    }

    private String both() {
        return PostgresServer.urlOf("127.0.0.1:" + primary.port() + ",127.0.0.1:" + standby.port());
    }

    private static ObjectStore open(String url) {
        return open(Stores.settings(url, NODE).set(StoreOption.TAKEOVER, Takeover.AT_ONCE));
    }

    private static ObjectStore open(StoreConfiguration.Builder settings) {
        return Stores.open(settings);
    }

    private static StoreConfiguration.Builder required(String url) {
        return Stores.settings(url, NODE).set(StoreOption.REQUIRE_REPLICATION, StoreOption.Replication.STANDBY);
    }

    private static Thread writer(
            ObjectStore store, long key, Map<Long, Long> acknowledged, AtomicBoolean isOver, List<Throwable> failures) {
        AtomicLong value = new AtomicLong();
        Thread thread = new Thread(() -> {
            try {
                while (!isOver.get()) {
                    long next = value.incrementAndGet();
                    store.write(Stores.key(key), Stores.state("" + next), Durability.FORCED);
                    acknowledged.put(key, next);
                }
            } catch (RuntimeException failed) {
                synchronized (failures) {
                    failures.add(failed);
                }
            }
        });
        thread.start();
        return thread;
    }

    private static void awaitMoreThan(Map<Long, Long> acknowledged, long least) {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> acknowledged.values().stream()
                                .mapToLong(Long::longValue)
                                .sum()
                        >= least);
    }

    private static void awaitProgress(Map<Long, Long> acknowledged, Map<Long, Long> before)
            throws InterruptedException {
        awaitMoreThan(
                acknowledged,
                50 + before.values().stream().mapToLong(Long::longValue).sum());
    }
}
