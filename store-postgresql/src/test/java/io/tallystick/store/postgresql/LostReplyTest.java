package io.tallystick.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.StoreOption.Replication;
import io.tallystick.testkit.Threads;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A connection that ends at any request: before the server has it, or before its answer is here. */
class LostReplyTest extends WithServer {
    // Each connection ends at one of nine requests.
    private static final int PLACES = 9;
    private static final int REQUESTS = 2 * PLACES;
    private static final int MANY_REQUESTS = 5 * PLACES;

    @ParameterizedTest
    @EnumSource
    void everyWriteIsResolvedWhereverTheConnectionEnds(CuttingProxy.Cut cut) throws IOException {
        loseReplies("lost-" + cut, cut, REQUESTS);
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource
    void everyWriteIsResolvedHoweverOftenTheConnectionEnds(CuttingProxy.Cut cut) throws IOException {
        loseReplies("often-lost-" + cut, cut, MANY_REQUESTS);
    }

    private static void loseReplies(String node, CuttingProxy.Cut cut, int requests) throws IOException {
        try (CuttingProxy proxy = new CuttingProxy(server.port())) {
            String url = PostgresServer.urlOf("127.0.0.1:" + proxy.port());
            try (ObjectStore store = Stores.open(Stores.settings(url, node))) {
                for (int k = 0; k < requests; k++) {
                    proxy.cutAfter(k % PLACES, cut);
                    int round = k;
                    while (proxy.isArmed()) {
                        Threads.run(
                                4,
                                thread -> store.write(
                                        Stores.key(thread), Stores.state(round + "/" + thread), Durability.FORCED));
                    }
                    assertThat(store.read(Stores.key(3))).contains(Stores.state(round + "/3"));
                }
                assertThat(store.failure()).isEmpty();
            }
        }
        try (ObjectStore reopened = Stores.open(Stores.settings(server.url(), node))) {
            for (int thread = 0; thread < 4; thread++) {
                assertThat(reopened.read(Stores.key(thread))).contains(Stores.state((requests - 1) + "/" + thread));
            }
        }
    }

    /** A later request is refused, and a look finds nothing. The first one is on its way nevertheless. */
    @Test
    void aWriteIsNotSaidToBeUnwrittenWhileItsFirstRequestMayStillCome() throws Exception {
        writeWhoseFirstRequestComesLate(server, "late", false);
    }

    static void writeWhoseFirstRequestComesLate(PostgresServer server, String node, boolean isReplicated)
            throws Exception {
        server.sql("CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS"
                + " 'BEGIN RAISE EXCEPTION ''the disk is full'' USING ERRCODE = ''53100''; END'");
        try (CuttingProxy proxy = new CuttingProxy(server.port())) {
            ObjectStore store = Stores.open(Stores.settings(PostgresServer.urlOf("127.0.0.1:" + proxy.port()), node)
                    .set(StoreOption.REQUIRE_REPLICATION, isReplicated ? Replication.STANDBY : Replication.NONE)
                    .set(StoreOption.LEASE, Duration.ofMinutes(10))
                    .set(StoreOption.PATIENCE, Duration.ofSeconds(4)));
            server.sql("CREATE TRIGGER refuses BEFORE INSERT ON tallystick.tallystick_batch"
                    + " FOR EACH ROW EXECUTE FUNCTION public.refuse()");
            try {
                proxy.delay("INSERT INTO tallystick_batch");
                assertThatThrownBy(() -> store.write(Stores.key(1), Stores.state("late"), Durability.FORCED))
                        .isInstanceOf(OutcomeUnknownException.class)
                        .hasMessageContaining("the disk is full");
            } finally {
                server.sql("DROP TRIGGER refuses ON tallystick.tallystick_batch");
            }
            proxy.deliver();
            await().atMost(Duration.ofSeconds(60)).until(() -> server.one("SELECT count(*)"
                            + " FROM tallystick.tallystick_batch b JOIN tallystick.tallystick_log USING (log_id)"
                            + " WHERE node_id = '" + node + "'")
                    .equals("1"));
            Stores.closeFailed(store);
        }
        try (ObjectStore next = Stores.takeOver(server.url(), node)) {
            assertThat(next.read(Stores.key(1))).contains(Stores.state("late"));
        }
    }

    @Test
    void aWriteEndsThoughTheServerStandsStillAndTakesNoBytes() throws Exception {
        ObjectStore store = Stores.open(Stores.settings(server.url(), "still")
                .set(StoreOption.MAX_STATE_SIZE, 64 * StoreOption.MIB)
                .set(StoreOption.MAX_LIVE_SIZE, 256 * StoreOption.MIB)
                .set(StoreOption.PATIENCE, Duration.ofSeconds(3)));
        store.write(Stores.key(1), Stores.state("small"), Durability.FORCED);
        server.signal("STOP");
        try {
            assertThatThrownBy(() -> store.writeAsync(Stores.key(2), new byte[64 << 20])
                            .toCompletableFuture()
                            .get(30, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(OutcomeUnknownException.class);
        } finally {
            server.signal("CONT");
        }
        Stores.closeFailed(store);
    }

    @Test
    void aStoreWhoseConnectionsHaveEndedTellsTheNextOwnerThatItLeaves() throws Exception {
        try (CuttingProxy proxy = new CuttingProxy(server.port())) {
            ObjectStore store = Stores.open(Stores.settings(PostgresServer.urlOf("127.0.0.1:" + proxy.port()), "leaves")
                    .set(StoreOption.LEASE, Duration.ofMinutes(10)));
            store.write(Stores.key(1), Stores.state("written"), Durability.FORCED);
            proxy.cutAll();
            store.close();
        }
        assertThat(server.one("SELECT clean FROM tallystick.tallystick_log WHERE node_id = 'leaves'"))
                .isEqualTo("t");
    }
}
