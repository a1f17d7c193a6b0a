package io.tallystick.store.postgresql;

import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.testkit.contract.ObjectStoreContract;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;

/** The contract of every store, asked of a log on a real server. */
class PostgresContractTest extends ObjectStoreContract {
    private static PostgresServer server;

    @BeforeAll
    static void startServer() throws IOException {
        PostgresServer.obstacle().ifPresent(why -> Assumptions.abort("skipped: " + why));
        server = PostgresServer.start();
    }

    @AfterAll
    static void stopServer() {
        if (server != null) {
            server.close();
        }
    }

    @Override
    protected ObjectStore open(Path directory) {
        return ObjectStores.open(StoreConfiguration.builder()
                .store("postgresql")
                .set(StoreOption.POSTGRESQL_URL, server.url())
                .set(StoreOption.POSTGRESQL_CREATE_TABLES, true)
                .set(StoreOption.REQUIRE_REPLICATION, StoreOption.Replication.NONE)
                .set(StoreOption.NODE_ID, nodeOf(directory))
                .set(StoreOption.LEASE, java.time.Duration.ofSeconds(2))
                .build());
    }

    private static String nodeOf(Path directory) {
        return UUID.nameUUIDFromBytes(
                        directory.toAbsolutePath().normalize().toString().getBytes(StandardCharsets.UTF_8))
                .toString()
                .substring(0, 28);
    }

    @Override
    protected boolean hasDirectory() {
        return false;
    }
}
