package io.tallystick.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A forgotten transaction keeps dead rows from being removed, and the table keeps the size that they gave it. */
class TableSizeTest extends WithServer {
    private static final int STATE_BYTES = 100_000;
    private static final int WRITES = 400;

    @Test
    void aTableThatALongTransactionHasGrownIsBroughtBackByVacuumFullWhileItsOwnerWrites() throws Exception {
        try (ObjectStore store =
                Stores.open(Stores.settings(server.url(), "grown").set(StoreOption.POSTGRESQL_SCHEMA, "grown"))) {
            write(store);
            try (Connection forgotten = server.begin("SELECT txid_current()")) {
                write(store);
                server.sql("VACUUM grown.tallystick_batch");
                assertThat(forgotten.isValid(60)).isTrue();
                forgotten.rollback();
            }
            long grown = size();
            server.sql("VACUUM grown.tallystick_batch");
            assertThat(size())
                    .as("plain VACUUM makes room in the table, and gives little back")
                    .isGreaterThan(grown / 2);

            AtomicBoolean isOver = new AtomicBoolean();
            CompletableFuture<Void> writing = CompletableFuture.runAsync(
                    () -> {
                        while (!isOver.get()) {
                            store.write(Stores.key(1), Stores.state("small"), Durability.FORCED);
                        }
                    },
                    Stores.OWN_THREAD);
            server.sql("VACUUM FULL grown.tallystick_batch");
            isOver.set(true);
            writing.get(60, TimeUnit.SECONDS);
            assertThat(size()).isLessThan(grown - WRITES * (long) STATE_BYTES / 2);
            assertThat(store.failure()).isEmpty();
            store.write(Stores.key(2), Stores.state("goes on"), Durability.FORCED);
        }
    }

    /** Pages that are written whole after a checkpoint are left out: one goes before. */
    @Test
    void aBatchOfOneSmallRecordWritesLessThanTwoKibibytesOfWal() throws Exception {
        try (ObjectStore store =
                Stores.open(Stores.settings(server.url(), "wal").set(StoreOption.POSTGRESQL_SCHEMA, "wal"))) {
            store.write(Stores.key(1), new byte[300], Durability.FORCED);
            server.sql("CHECKPOINT");
            for (int i = 0; i < WRITES; i++) {
                store.write(Stores.key(1), new byte[300], Durability.FORCED);
            }
            String before = server.one("SELECT pg_current_wal_insert_lsn()");
            for (int i = 0; i < WRITES; i++) {
                store.write(Stores.key(1), new byte[300], Durability.FORCED);
            }
            long bytes = Long.parseLong(server.one("SELECT pg_current_wal_insert_lsn() - '" + before + "'"));
            assertThat(bytes / WRITES).as("bytes for each batch").isLessThan(2048);
        }
    }

    private static void write(ObjectStore store) {
        for (int i = 0; i < WRITES; i++) {
            store.write(Stores.key(1), new byte[STATE_BYTES], Durability.FORCED);
        }
    }

    private static long size() throws SQLException {
        return Long.parseLong(server.one("SELECT pg_total_relation_size('grown.tallystick_batch')"));
    }
}
