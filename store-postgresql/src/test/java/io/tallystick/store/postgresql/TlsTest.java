package io.tallystick.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreOption;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Connections over TLS, where the end of a connection takes more than closing a socket. */
class TlsTest extends WithServer {
    private static final int MANY = 40;

    @BeforeAll
    static void offerTls() throws Exception {
        server.offerTls();
    }

    @Test
    void theDriversSocketIsFound() throws Exception {
        try (Connection connection = new Connections(
                        PostgresOptions.from(Stores.settings(server.url() + "&sslmode=require", "found")
                                .build()))
                .open("test")) {
            assertThat(TlsClose.waitForNobody(connection)).isTrue();
        }
    }

    @Test
    void writesEndThoughAServerOverTlsStandsStillAndTakesNoBytes() throws Exception {
        ObjectStore store = Stores.open(Stores.settings(server.url() + "&sslmode=require", "still")
                .set(StoreOption.MAX_STATE_SIZE, 64 * StoreOption.MIB)
                .set(StoreOption.MAX_LIVE_SIZE, 256 * StoreOption.MIB)
                .set(StoreOption.PATIENCE, Duration.ofSeconds(3)));
        store.write(Stores.key(1), Stores.state("small"), Durability.FORCED);
        assertThat(server.one("SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)"
                        + " WHERE application_name ~ '^tallystick [0-9a-f-]{36} '"))
                .isEqualTo("t");
        server.signal("STOP");
        List<CompletionStage<Void>> writes = new ArrayList<>();
        try {
            writes.add(store.writeAsync(Stores.key(2), new byte[64 << 20]));
            for (int i = 0; i < MANY; i++) { // batches of 1 MiB: those of the other lane
                writes.add(store.writeAsync(Stores.key(3 + i), new byte[1 << 20]));
            }
            assertThatThrownBy(() -> writes.get(0).toCompletableFuture().get(30, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(OutcomeUnknownException.class);
            for (CompletionStage<Void> write : writes) {
                assertThatThrownBy(() -> write.toCompletableFuture().get(30, TimeUnit.SECONDS))
                        .hasCauseInstanceOf(StoreException.class);
            }
        } finally {
            server.signal("CONT");
        }
        Stores.closeFailed(store);
    }
}
