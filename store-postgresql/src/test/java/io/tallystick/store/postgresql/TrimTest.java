package io.tallystick.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.testkit.Threads;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The log stays short, whatever lives long in it, and loses nothing by that. */
class TrimTest extends WithServer {
    /** As by a program that ends all threads, while its transactions go on. */
    @Test
    void anInterruptEndsNoCarrying() throws SQLException {
        try (ObjectStore store = Stores.openWithSmallRanges(Stores.settings(server.url(), "interrupted"))) {
            store.write(Stores.key(1), Stores.state("lives long"), Durability.FORCED);
            String first = lowest("interrupted");
            Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().equals("tallystick-postgresql-carrier"))
                    .forEach(Thread::interrupt);

            await().atMost(Duration.ofSeconds(60)).until(() -> {
                for (int i = 0; i < 20; i++) {
                    store.write(Stores.key(2), Stores.state("x".repeat(1000)), Durability.FORCED);
                }
                return !lowest("interrupted").equals(first);
            });
            assertThat(store.read(Stores.key(1))).contains(Stores.state("lives long"));
        }
    }

    @Tag("long")
    @Test
    void theLogStaysShortAndWhatLivesLongIsCarriedAlong() throws SQLException {
        Map<StateKey, String> expected = new ConcurrentHashMap<>();
        try (ObjectStore store = Stores.openWithSmallRanges(Stores.settings(server.url(), "trim"))) {
            for (int old = 0; old < 5; old++) {
                write(store, expected, 1_000_000 + old, "lives long " + old);
            }
            Threads.run(8, thread -> {
                for (int i = 0; i < 400; i++) {
                    StateKey key = write(store, expected, thread * 1000L + i, "x".repeat(500));
                    if (i % 50 != 0) {
                        store.remove(key, Durability.DEFERRED);
                        expected.remove(key);
                    }
                }
            });
            store.force();
        }
        long bytes = Long.parseLong(server.one("SELECT sum(length(body)) FROM tallystick.tallystick_batch b"
                + " JOIN tallystick.tallystick_log USING (log_id) WHERE node_id = 'trim'"));
        assertThat(bytes).as("bytes that are left, of 1.7 MB that were written").isLessThan(400_000);
        for (int life = 0; life < 3; life++) {
            try (ObjectStore store = Stores.openWithSmallRanges(Stores.settings(server.url(), "trim"))) {
                assertThat(store.keys(Stores.TYPE)).containsExactlyInAnyOrderElementsOf(expected.keySet());
                assertThat(store.keys(Stores.TYPE).stream()
                                .collect(Collectors.toMap(
                                        key -> key,
                                        key -> new String(store.read(key).orElseThrow()))))
                        .isEqualTo(expected);
                for (int i = 0; i < 100; i++) {
                    StateKey key = write(store, expected, 5_000_000 + i, "y".repeat(500));
                    store.remove(key, Durability.FORCED);
                    expected.remove(key);
                }
            }
        }
    }

    @Tag("long")
    @Test
    void aBatchThatComesAgainAfterItWasDeletedBringsNothingBack() throws SQLException {
        try (ObjectStore store = Stores.openWithSmallRanges(Stores.settings(server.url(), "again"))) {
            StateKey key = Stores.key(1);
            store.write(key, Stores.state("removed long ago"), Durability.FORCED);
            server.sql("CREATE TABLE early AS SELECT b.* FROM tallystick.tallystick_batch b"
                    + " JOIN tallystick.tallystick_log USING (log_id) WHERE node_id = 'again'");
            store.remove(key, Durability.FORCED);
            for (int i = 0; i < 200; i++) {
                store.write(Stores.key(2), Stores.state("x".repeat(1000)), Durability.FORCED);
            }
        }
        // As when the server goes on with a statement whose connection had ended long before.
        server.sql("INSERT INTO tallystick.tallystick_batch SELECT * FROM early");
        for (int life = 0; life < 2; life++) {
            try (ObjectStore store = Stores.openWithSmallRanges(Stores.settings(server.url(), "again"))) {
                assertThat(store.keys(Stores.TYPE)).containsExactly(Stores.key(2));
                for (int i = 0; i < 100; i++) {
                    store.write(Stores.key(2), Stores.state("y".repeat(1000)), Durability.FORCED);
                }
            }
        }
        assertThat(server.one("SELECT count(*) FROM tallystick.tallystick_batch b JOIN early USING (log_id, seq)"))
                .as("rows that came again")
                .isEqualTo("0");
    }

    private static String lowest(String node) throws SQLException {
        return server.one("SELECT min(seq) FROM tallystick.tallystick_batch"
                + " JOIN tallystick.tallystick_log USING (log_id) WHERE node_id = '" + node + "'");
    }

    private static StateKey write(ObjectStore store, Map<StateKey, String> expected, long number, String value) {
        StateKey key = Stores.key(number);
        store.write(key, Stores.state(value), Durability.FORCED);
        expected.put(key, value);
        return key;
    }
}
