package io.tallystick.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

class ReplayTest {
    @Test
    void theCauseIsToldThatEndedTheConnectionAndNotThatItIsClosed() {
        PostgresOptions options = PostgresOptions.from(StoreConfiguration.builder()
                .store("postgresql")
                .set("tallystick.node-id", "n1")
                .set("tallystick.postgresql.url", "jdbc:postgresql://db/tx")
                .build());
        Replay replay = new Replay(options, new byte[16], new ConcurrentHashMap<>(), 1 << 20);

        assertThatThrownBy(() -> replay.read(ended("terminating connection due to administrator command"), 1, null))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("administrator command");
    }

    /** A connection that ends when a statement is made, and then refuses everything. */
    private static Connection ended(String why) {
        return (Connection) Proxy.newProxyInstance(
                ReplayTest.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                    if (method.getName().equals("setAutoCommit") && arguments[0].equals(false)) {
                        return null;
                    }
                    throw new SQLException(
                            method.getName().contains("Statement") ? why : "This connection has been closed.");
                });
    }

    /** Rows of 256 MiB, 32 at a time, would take 8 GiB of heap to open a log. */
    @Test
    void aLogWithLargeStatesIsFetchedInFewRows() {
        assertThat(rowsAtATime(StoreOption.MIB)).isEqualTo(32);
        assertThat(rowsAtATime(8 * StoreOption.MIB)).isEqualTo(4);
        assertThat(rowsAtATime(256 * StoreOption.MIB)).isEqualTo(1);
        assertThat(rowsAtATime(StoreOption.KIB)).isEqualTo(32);
    }

    private static int rowsAtATime(long maxStateSize) {
        return PostgresOptions.from(Stores.settings("jdbc:postgresql://a/tx", "n")
                        .set(StoreOption.MAX_STATE_SIZE, maxStateSize)
                        .set(StoreOption.MAX_LIVE_SIZE, StoreOption.GIB)
                        .build())
                .rowsAtATime();
    }
}
