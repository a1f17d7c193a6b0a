package io.tallystick.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tallystick.store.Durability;
import io.tallystick.store.LossMarking;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreClosedException;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreFailedException;
import io.tallystick.store.StoreFencedException;
import io.tallystick.store.StoreHealth.State;
import io.tallystick.store.StoreOption;
import io.tallystick.store.StoreOption.OnUnknownOutcome;
import io.tallystick.store.log.ReopeningStore;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Outages that are longer than the patience. */
class ServesAgainTest extends WithServer {
    private static final String BATCH = "INSERT INTO tallystick_batch";
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @Test
    void aStoreServesAgainAfterEachOutage() throws Exception {
        try (ToldLines told = new ToldLines(ReopeningStore.class);
                ObjectStore store = Stores.open(impatient("again"))) {
            store.write(Stores.key(0), Stores.state("0"), Durability.FORCED);
            long threads = 0;
            for (int outage = 1; outage <= 3; outage++) {
                server.stop("immediate");
                int number = outage;
                assertThatThrownBy(() -> store.write(Stores.key(100 + number), Stores.state("lost"), Durability.FORCED))
                        .isInstanceOf(StoreException.class)
                        .hasMessageContaining("tallystick.patience=2s");
                awaitState(store, State.RECOVERING);
                refusesAtOnce(store);
                assertThat(store.health().isServing()).isFalse();
                assertThat(store.read(Stores.key(outage - 1))).contains(Stores.state("" + (outage - 1)));
                assertThatThrownBy(store::proveOwned).isInstanceOf(StoreException.class);
                server.run();
                awaitState(store, State.OPEN);
                assertThat(store.failure()).isEmpty();
                store.proveOwned();
                store.write(Stores.key(outage), Stores.state("" + outage), Durability.FORCED);
                assertThat(store.keys(Stores.TYPE)).hasSize(outage + 1);
                threads = outage == 1 ? threads() : threads;
            }
            assertThat(told.count("TALLY0340")).isEqualTo(3);
            assertThat(told.count("TALLY0341")).isEqualTo(3);
            assertThat(told.count("TALLY0342")).isZero();
            assertThat(store.statistics().records()).isEqualTo(4);
            long most = threads;
            await().atMost(MINUTE).until(() -> threads() <= most);
        }
        try (ObjectStore next = Stores.open(impatient("again"))) {
            assertThat(next.keys(Stores.TYPE)).hasSize(4);
        }
    }

    @Test
    void whatWasWrittenAlthoughItsCallerHeardUnknownIsSetAsideUntilTheProcessEnds() throws Exception {
        try (CuttingProxy proxy = new CuttingProxy(server.port());
                ToldLines told = new ToldLines(ReopeningStore.class)) {
            try (ObjectStore store = Stores.open(behind(proxy, "aside"))) {
                store.write(Stores.key(1), Stores.state("before"), Durability.FORCED);
                CompletableFuture<Void> update = writeAndFreeze(proxy, store, 2);

                assertThatThrownBy(() -> update.get(60, TimeUnit.SECONDS))
                        .hasRootCauseInstanceOf(java.io.IOException.class)
                        .cause()
                        .isInstanceOf(OutcomeUnknownException.class);
                thaw(proxy);
                awaitState(store, State.OPEN);

                assertThat(told.count("TALLY0342")).isEqualTo(1);
                assertThat(store.statusOf(Stores.key(2))).isEqualTo(StateStatus.ABSENT);
                assertThat(store.read(Stores.key(2))).isEmpty();
                assertThat(store.keys(Stores.TYPE)).containsExactly(Stores.key(1));
                assertThat(store.countByType()).containsEntry(Stores.TYPE, 2);
            }
            try (ObjectStore next = Stores.open(impatient("aside"))) {
                assertThat(next.read(Stores.key(2))).contains(Stores.state("in flight"));
            }
        }
    }

    @Test
    void aStateThatWasSetAsideComesBackWhenACallerChangesIt() throws Exception {
        try (CuttingProxy proxy = new CuttingProxy(server.port());
                ObjectStore store = Stores.open(behind(proxy, "back"))) {
            store.write(Stores.key(1), Stores.state("before"), Durability.FORCED);
            CompletableFuture<Void> first = writeAndFreeze(proxy, store, 2);
            assertThatThrownBy(() -> first.get(60, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
            thaw(proxy);
            awaitState(store, State.OPEN);
            assertThat(store.remove(Stores.key(2), Durability.FORCED)).isTrue();
            assertThat(store.countByType()).containsEntry(Stores.TYPE, 1);
            store.write(Stores.key(2), Stores.state("anew"), Durability.FORCED);
            assertThat(store.read(Stores.key(2))).contains(Stores.state("anew"));
        }
    }

    /** A state that was there is never taken away: its transaction may be decided. */
    @Test
    void anUpdateThatWasWrittenIsShown() throws Exception {
        try (CuttingProxy proxy = new CuttingProxy(server.port());
                ObjectStore store = Stores.open(behind(proxy, "update"))) {
            store.write(Stores.key(2), Stores.state("before"), Durability.FORCED);
            CompletableFuture<Void> update = writeAndFreeze(proxy, store, 2);
            assertThatThrownBy(() -> update.get(60, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
            assertThat(store.read(Stores.key(2))).contains(Stores.state("before"));
            thaw(proxy);
            awaitState(store, State.OPEN);
            assertThat(store.read(Stores.key(2))).contains(Stores.state("in flight"));
        }
    }

    @Test
    void whereTheProcessWouldHaltACallerWaitsAndHearsThatItsWriteIsThere() throws Exception {
        try (CuttingProxy proxy = new CuttingProxy(server.port());
                ObjectStore store =
                        Stores.open(behind(proxy, "held").set(StoreOption.ON_UNKNOWN_OUTCOME, OnUnknownOutcome.HALT))) {
            store.write(Stores.key(1), Stores.state("before"), Durability.FORCED);
            CompletableFuture<Void> held = writeAndFreeze(proxy, store, 2);
            awaitState(store, State.RECOVERING);
            refusesAtOnce(store);
            assertThat(held).isNotDone();
            thaw(proxy);
            held.get(60, TimeUnit.SECONDS);
            assertThat(store.read(Stores.key(2))).contains(Stores.state("in flight"));
        }
    }

    @Test
    void whereTheProcessWouldHaltACallerWaitsAndHearsThatNothingWasWritten() throws Exception {
        try (ObjectStore store =
                Stores.open(impatient("none").set(StoreOption.ON_UNKNOWN_OUTCOME, OnUnknownOutcome.HALT))) {
            store.write(Stores.key(1), Stores.state("before"), Durability.FORCED);
            server.stop("immediate");
            CompletableFuture<Void> held = CompletableFuture.runAsync(
                    () -> store.write(Stores.key(2), Stores.state("lost"), Durability.FORCED), Stores.OWN_THREAD);
            awaitState(store, State.RECOVERING);
            assertThat(held).isNotDone();
            server.run();
            assertThatThrownBy(() -> held.get(60, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOf(StoreFailedException.class)
                    .hasMessageContaining("it is proven that nothing was written");
            awaitState(store, State.OPEN);
            assertThat(store.read(Stores.key(2))).isEmpty();
        }
    }

    @Test
    void aLogThatAnotherOwnerHasTakenMeanwhileIsLeftForEver() throws Exception {
        try (CuttingProxy proxy = new CuttingProxy(server.port())) {
            ObjectStore store = Stores.open(behind(proxy, "taken"));
            store.write(Stores.key(1), Stores.state("before"), Durability.FORCED);
            CompletableFuture<Void> unknown = writeAndFreeze(proxy, store, 2);
            assertThatThrownBy(() -> unknown.get(60, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
            awaitState(store, State.RECOVERING);
            try (ObjectStore next = Stores.takeOver(server.url(), "taken")) {
                next.write(Stores.key(3), Stores.state("next"), Durability.FORCED);
                thaw(proxy);
                awaitState(store, State.FAILED);
                assertThat(store.failure()).get().isInstanceOf(StoreFencedException.class);
                assertThatThrownBy(() -> store.statusOf(Stores.key(9))).isInstanceOf(StoreException.class);
                assertThatThrownBy(() -> store.write(Stores.key(4), new byte[1], Durability.FORCED))
                        .isInstanceOf(StoreFencedException.class);
                next.write(Stores.key(3), Stores.state("goes on"), Durability.FORCED);
                assertThat(store.lossMarking()).isEqualTo(LossMarking.NOT_NEEDED);
            }
            Stores.closeFailed(store);
        }
    }

    /** New connections are refused, and the one of the beat lives. */
    @Test
    void aTakeoverIsKnownAtOnceWhereOnlyTheBeatHasAConnection() throws Exception {
        try (CuttingProxy proxy = new CuttingProxy(server.port())) {
            ObjectStore store = Stores.open(behind(proxy, "beat"));
            store.write(Stores.key(1), Stores.state("before"), Durability.FORCED);
            proxy.delay(BATCH);
            CompletableFuture<Void> late = CompletableFuture.runAsync(
                    () -> store.write(Stores.key(2), Stores.state("late"), Durability.FORCED), Stores.OWN_THREAD);
            await().atMost(MINUTE).until(proxy::isHolding);
            proxy.refuse(true);
            assertThatThrownBy(() -> late.get(60, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
            await().atMost(MINUTE)
                    .until(() -> store.failure().orElseThrow().getMessage().contains("the last try ended with"));
            server.sql("UPDATE tallystick.tallystick_log SET epoch = epoch + 1, owner = 'another'"
                    + " WHERE node_id = 'beat'");
            awaitState(store, State.FAILED);
            assertThat(store.failure()).get().isInstanceOf(StoreFencedException.class);
            assertThatThrownBy(() -> store.statusOf(Stores.key(9))).isInstanceOf(StoreFencedException.class);
            proxy.deliver();
            Stores.closeFailed(store);
        }
    }

    /** The row has a later epoch then, of this very opening. */
    @Test
    void aLogThatWasTakenAnewWithoutAnAnswerIsLeftCleanByTheClose() throws Exception {
        try (CuttingProxy proxy = new CuttingProxy(server.port())) {
            ObjectStore store = Stores.open(behind(proxy, "left"));
            store.write(Stores.key(1), Stores.state("before"), Durability.FORCED);
            proxy.refuse(true);
            proxy.cutAll();
            assertThatThrownBy(() -> store.write(Stores.key(2), Stores.state("lost"), Durability.FORCED))
                    .isInstanceOf(StoreException.class);
            awaitState(store, State.RECOVERING);
            proxy.freezeAfter("UPDATE tallystick_log SET epoch", "COMMIT");
            proxy.refuse(false);
            proxy.awaitFrozen();
            CompletableFuture<Void> closing =
                    CompletableFuture.runAsync(() -> Stores.closeFailed(store), Stores.OWN_THREAD);
            await().atMost(MINUTE).until(() -> isClosed(store));
            thaw(proxy);
            closing.get(60, TimeUnit.SECONDS);
            assertThat(server.one(
                            "SELECT (epoch > 1) || ' ' || clean FROM tallystick.tallystick_log WHERE node_id = 'left'"))
                    .isEqualTo("true true");
        }
    }

    private static boolean isClosed(ObjectStore store) {
        try {
            store.read(Stores.key(1));
            return false;
        } catch (StoreClosedException closed) {
            return true;
        }
    }

    @Test
    void aDatabaseThatLacksWhatWasAcknowledgedIsMarkedAndNotServedFrom() throws Exception {
        try (PostgresServer own = PostgresServer.start()) {
            ObjectStore store = Stores.open(impatient(own.url(), "gone"));
            store.write(Stores.key(1), Stores.state("before"), Durability.FORCED);
            own.backUp();
            store.write(Stores.key(2), Stores.state("acknowledged"), Durability.FORCED);
            own.stop("immediate");
            assertThatThrownBy(() -> store.write(Stores.key(3), new byte[1], Durability.FORCED))
                    .isInstanceOf(StoreException.class);
            awaitState(store, State.RECOVERING);
            own.restoreBackup();
            awaitState(store, State.FAILED);
            await().atMost(MINUTE).until(() -> store.lossMarking() == LossMarking.MARKED);
            assertThatThrownBy(() -> store.statusOf(Stores.key(9))).isInstanceOf(StoreException.class);
            Stores.closeFailed(store);
            assertThatThrownBy(() -> Stores.open(impatient(own.url(), "gone")))
                    .extracting(refused -> ((StoreException) refused).messageId())
                    .isEqualTo("TALLY0021");
        }
    }

    /** The server reads it when the log has a later epoch. */
    @Test
    void aRequestThatComesAfterTheSettlementWritesNothing() throws Exception {
        try (CuttingProxy proxy = new CuttingProxy(server.port());
                ObjectStore store = Stores.open(behind(proxy, "late"))) {
            store.write(Stores.key(1), Stores.state("before"), Durability.FORCED);
            proxy.delay(BATCH);
            CompletableFuture<Void> late = CompletableFuture.runAsync(
                    () -> store.write(Stores.key(2), Stores.state("late"), Durability.FORCED), Stores.OWN_THREAD);
            await().atMost(MINUTE).until(proxy::isHolding);
            proxy.refuse(true);
            assertThatThrownBy(() -> late.get(60, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
            awaitState(store, State.RECOVERING);
            proxy.refuse(false);
            awaitState(store, State.OPEN);
            String epoch = server.one("SELECT epoch FROM tallystick.tallystick_log WHERE node_id = 'late'");
            proxy.deliver();
            store.write(Stores.key(3), Stores.state("next"), Durability.FORCED);
            assertThat(Long.parseLong(epoch)).isGreaterThan(1);
            assertThat(server.one("SELECT count(*) FROM tallystick.tallystick_batch JOIN tallystick.tallystick_log l"
                            + " USING (log_id) WHERE node_id = 'late' AND tallystick_batch.epoch = 1"))
                    .isEqualTo("1");
        }
        try (ObjectStore next = Stores.open(impatient("late"))) {
            assertThat(next.read(Stores.key(2))).isEmpty();
            assertThat(next.read(Stores.key(3))).contains(Stores.state("next"));
        }
    }

    @Test
    void whatReadersHaveSeenOfDeferredChangesStays() throws Exception {
        try (ObjectStore store = Stores.open(impatient("deferred"))) {
            for (int key = 1; key <= 3; key++) {
                store.write(Stores.key(key), Stores.state("" + key), Durability.FORCED);
            }
            server.stop("immediate");
            store.remove(Stores.key(1), Durability.DEFERRED);
            store.write(Stores.key(2), Stores.state("deferred"), Durability.DEFERRED);
            store.write(Stores.key(4), Stores.state("deferred"), Durability.DEFERRED);
            awaitState(store, State.RECOVERING);
            server.run();
            awaitState(store, State.OPEN);
            store.force();
            assertThat(store.read(Stores.key(1))).isEmpty();
            assertThat(store.read(Stores.key(2))).contains(Stores.state("deferred"));
        }
        try (ObjectStore next = Stores.open(impatient("deferred"))) {
            assertThat(next.read(Stores.key(1))).isEmpty();
            assertThat(next.read(Stores.key(2))).contains(Stores.state("deferred"));
            assertThat(next.read(Stores.key(3))).contains(Stores.state("3"));
            assertThat(next.read(Stores.key(4))).contains(Stores.state("deferred"));
        }
    }

    @Test
    void aStoreThatIsRecoveringCloses() throws Exception {
        ObjectStore store = Stores.open(impatient("closes"));
        server.stop("immediate");
        try {
            CompletableFuture<Void> refused = CompletableFuture.runAsync(
                    () -> store.write(Stores.key(2), Stores.state("lost"), Durability.FORCED), Stores.OWN_THREAD);
            assertThatThrownBy(() -> refused.get(60, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
            awaitState(store, State.RECOVERING);
            assertThatThrownBy(store::close).isInstanceOf(StoreException.class);
            assertThat(store.health().state()).isEqualTo(State.CLOSED);
            store.close();
        } finally {
            server.run();
        }
        Stores.open(impatient("closes")).close();
    }

    private static void refusesAtOnce(ObjectStore store) {
        long begun = System.nanoTime();
        assertThatThrownBy(() -> store.write(Stores.key(50), Stores.state("refused"), Durability.FORCED))
                .isInstanceOf(StoreFailedException.class)
                .hasMessageContaining("is recovering")
                .hasMessageContaining("nothing was written");
        assertThatThrownBy(store::force).isInstanceOf(StoreFailedException.class);
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(1));
    }

    /** Begins a write that the server gets, and that nobody hears of before the proxy is thawed. */
    private static CompletableFuture<Void> writeAndFreeze(CuttingProxy proxy, ObjectStore store, int key) {
        proxy.freezeAfter(BATCH);
        return CompletableFuture.runAsync(
                () -> store.write(Stores.key(key), Stores.state("in flight"), Durability.FORCED), Stores.OWN_THREAD);
    }

    private static void thaw(CuttingProxy proxy) throws IOException {
        proxy.cutAll();
        proxy.freeze(false);
    }

    private static void awaitState(ObjectStore store, State state) {
        await().atMost(MINUTE).until(() -> store.health().state() == state);
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("tallystick-"))
                .count();
    }

    private static StoreConfiguration.Builder behind(CuttingProxy proxy, String node) {
        return impatient(PostgresServer.urlOf("127.0.0.1:" + proxy.port()), node);
    }

    private static StoreConfiguration.Builder impatient(String node) {
        return impatient(server.url(), node);
    }

    private static StoreConfiguration.Builder impatient(String url, String node) {
        return Stores.settings(url, node).set(StoreOption.PATIENCE, Duration.ofSeconds(2));
    }
}
