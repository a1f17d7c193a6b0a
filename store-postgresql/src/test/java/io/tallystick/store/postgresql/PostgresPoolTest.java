package io.tallystick.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.spi.NodePool;
import io.tallystick.store.spi.NodePool.Member;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a look at a pool finds, in the order in which a process that starts tries it. */
class PostgresPoolTest extends WithServer {
    private static int number;
    private String name;

    @BeforeEach
    void namePool() {
        number++;
        name = "pool" + number;
    }

    @Test
    void aPoolThatNobodyHasUsedHasNewNodesUpToItsBound() {
        NodePool pool = pool(3);

        assertThat(nodes(pool)).containsExactly("1 NEW", "2 NEW", "3 NEW");
        assertThat(pool.isWithinBound(name + "-3")).isTrue();
        assertThat(pool.isWithinBound(name + "-4")).isFalse();
    }

    /** The order of a start: gone for the longest time, gone, clean, new; what lives comes last. */
    @Test
    void nodesComeInTheOrderInWhichAStartTriesThem() throws SQLException {
        NodePool pool = pool(6);
        for (int each = 1; each <= 5; each++) {
            use(pool, each);
        }
        loseOwner(4);
        pool.look(); // notes that 4 has no owner
        loseOwner(2);
        pool.look();

        try (ObjectStore living = Stores.open(settings(1))) {
            assertThat(living.failure()).isEmpty();
            assertThat(nodes(pool)).containsExactly("4 GONE", "2 GONE", "3 CLEAN", "5 CLEAN", "6 NEW", "1 LIVING");
        }
        assertThat(nodes(pool)).containsExactly("4 GONE", "2 GONE", "1 CLEAN", "3 CLEAN", "5 CLEAN", "6 NEW");
    }

    @Test
    void aNodeWhoseLogAnotherProcessIsTakingComesAfterThoseThatAreFree() throws SQLException {
        NodePool pool = pool(3);
        use(pool, 1);
        loseOwner(1);
        try (Connection taking = DriverManager.getConnection(
                server.url() + "&ApplicationName=" + "tallystick opening ".replace(" ", "%20") + name + "-1")) {
            assertThat(taking.isValid(5)).isTrue();
            assertThat(nodes(pool)).containsExactly("2 NEW", "3 NEW", "1 BEING_TAKEN");
            // One that waits asks again and again: the machine of this one may be dead.
            await().untilAsserted(() -> assertThat(nodes(pool)).containsExactly("1 GONE", "2 NEW", "3 NEW"));
        }
        await().untilAsserted(() -> assertThat(nodes(pool)).containsExactly("1 GONE", "2 NEW", "3 NEW"));
    }

    @Test
    void aNodeThatAnAdopterHasComesAfterThoseThatAreFree() {
        NodePool pool = pool(2);
        use(pool, 1);
        try (ObjectStore adopter = Stores.open(settings(1).adopting())) {
            assertThat(adopter.failure()).isEmpty();
            assertThat(nodes(pool)).containsExactly("2 NEW", "1 ADOPTED");
        }
    }

    /** The note is of one owner: one that comes back, or the next one, is not told to be gone for so long. */
    @Test
    void theTimeWithoutAnOwnerBeginsAnewWithEachOwner() throws SQLException {
        NodePool pool = pool(1);
        use(pool, 1);
        pool.look();
        server.sql("UPDATE tallystick.tallystick_pool SET ownerless_since = ownerless_since - interval '1 hour'"
                + " WHERE node_id = '" + name + "-1'");
        assertThat(first(pool).ownerless())
                .hasValueSatisfying(time -> assertThat(time).isGreaterThan(Duration.ofMinutes(59)));

        Stores.open(settings(1)).close();

        assertThat(first(pool).ownerless())
                .hasValueSatisfying(time -> assertThat(time).isLessThan(Duration.ofMinutes(1)));
    }

    /** Until then it may have branches that were prepared, and not decided. */
    @Test
    void aClosedLogIsFinishedOnceARecoveryHasSaidSoAndUntilItHasAnotherOwner() {
        NodePool pool = pool(2);
        use(pool, 1);
        use(pool, 2);
        Member closed = first(pool);
        assertThat(closed.isFinished()).isFalse();
        pool.noteFinished(closed);
        assertThat(first(pool).isFinished()).as("nobody has recovered it").isFalse();

        Stores.open(settings(1).adopting()).close();
        pool.noteFinished(closed);
        assertThat(nodes(pool)).containsExactly("2 CLEAN", "1 CLEAN");
        assertThat(pool.look().members()).extracting(Member::isFinished).containsExactly(false, true);

        Stores.open(settings(1)).close();
        assertThat(nodes(pool)).containsExactly("1 CLEAN", "2 CLEAN");
        pool.noteFinished(closed);
        assertThat(first(pool).isFinished()).as("another owner was there since").isFalse();
    }

    @Test
    void oneProcessAtATimeIsToldToRecoverANode() {
        NodePool pool = pool(1);
        use(pool, 1);
        Member clean = first(pool);

        assertThat(pool.claimRecovery(clean, Duration.ofHours(1))).isTrue();
        assertThat(pool.claimRecovery(clean, Duration.ofHours(1))).isFalse();
        assertThat(pool.claimRecovery(clean, Duration.ZERO)).isTrue();

        Stores.open(settings(1)).close();
        assertThat(pool.claimRecovery(clean, Duration.ZERO))
                .as("another owner was there since")
                .isFalse();
    }

    @Test
    void aLogThatThePoolHasNotMadeIsForeign() {
        NodePool pool = pool(3);
        Stores.open(settings(2)).close();

        assertThat(pool.look().foreign()).hasValueSatisfying(why -> assertThat(why)
                .contains(name + "-2", "was not made by the pool " + name, "pid="));
    }

    @Test
    void aLogWhoseNameOnlyBeginsLikeThePoolIsNoneOfItsNodes() {
        NodePool pool = pool(1);
        for (String other : List.of(name + "-a", name + "-01", name + "-1-1", name + "-1000", name + "1")) {
            Stores.open(Stores.settings(server.url(), other)).close();
        }

        assertThat(pool.look().foreign()).isEmpty();
        assertThat(nodes(pool)).containsExactly("1 NEW");
    }

    @Test
    void aPoolOfAnotherApplicationIsForeign() {
        NodePool orders = PostgresPool.of(
                poolSettings(2).set(StoreOption.NODE_POOL_APPLICATION, "orders").build());
        NodePool billing = PostgresPool.of(poolSettings(2)
                .set(StoreOption.NODE_POOL_APPLICATION, "billing")
                .build());
        orders.look();
        assertThat(orders.reserve(name + "-1")).isTrue();

        assertThat(billing.reserve(name + "-1")).isFalse();
        assertThat(billing.look().foreign())
                .hasValueSatisfying(why -> assertThat(why).contains("'orders'", "'billing'", "node-pool-application"));
        assertThat(orders.look().foreign()).isEmpty();
        assertThat(orders.reserve(name + "-1")).isTrue();
    }

    @Test
    void aMissingTableIsToldWithWhatMakesIt() throws SQLException {
        StoreConfiguration other =
                poolSettings(1).set(StoreOption.POSTGRESQL_SCHEMA, "nopools").build();
        PostgresPool.of(other).look();
        server.sql("DROP TABLE nopools.tallystick_pool");

        assertThatThrownBy(() -> PostgresPool.of(other.toBuilder()
                                .set(StoreOption.POSTGRESQL_CREATE_TABLES, false)
                                .build())
                        .look())
                .isInstanceOf(StoreIoException.class)
                .hasMessageContaining("the table nopools.tallystick_pool is missing")
                .hasMessageContaining("'tallystick postgresql ddl --role USER'");
        assertThat(PostgresPool.of(other).look().members()).hasSize(1);
    }

    @Test
    void aStoreThatIsOpenedWithoutATransactionManagerNeedsANode() {
        assertThatThrownBy(() -> PostgresOptions.from(StoreConfiguration.builder()
                        .set(StoreOption.POSTGRESQL_URL, server.url())
                        .set(StoreOption.NODE_POOL, "orders")
                        .build()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tallystick.node-pool=orders", "tallystick.node-id");
    }

    private NodePool pool(int size) {
        return PostgresPool.of(poolSettings(size).build());
    }

    private StoreConfiguration.Builder poolSettings(int size) {
        return Stores.settings(server.url(), name + "-1")
                .set(StoreOption.NODE_POOL, name)
                .set(StoreOption.NODE_POOL_SIZE, size);
    }

    private StoreConfiguration.Builder settings(int each) {
        return Stores.settings(server.url(), name + '-' + each);
    }

    private void use(NodePool pool, int each) {
        pool.look();
        assertThat(pool.reserve(name + '-' + each)).isTrue();
        Stores.open(settings(each)).close();
    }

    /** As a process leaves its log that was killed: no connection, and no closing. */
    private void loseOwner(int each) throws SQLException {
        server.sql(
                "WITH taken AS (UPDATE tallystick.tallystick_log SET clean = false, epoch = epoch + 1 WHERE node_id = '"
                        + name + '-' + each + "' RETURNING log_id, epoch) UPDATE tallystick.tallystick_fence f"
                        + " SET epoch = taken.epoch FROM taken WHERE f.log_id = taken.log_id");
    }

    private Member first(NodePool pool) {
        return pool.look().members().get(0);
    }

    private List<String> nodes(NodePool pool) {
        return pool.look().members().stream()
                .map(member -> member.node().substring(name.length() + 1) + " " + member.state())
                .toList();
    }
}
