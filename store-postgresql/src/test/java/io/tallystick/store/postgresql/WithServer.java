package io.tallystick.store.postgresql;

import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;

/** A server for the tests of a class. */
@Timeout(180)
abstract class WithServer {
    static PostgresServer server;

    @BeforeAll
    static void startServer() throws IOException {
        PostgresServer.obstacle().ifPresent(why -> Assumptions.abort("skipped: " + why));
        server = PostgresServer.start();
    }

    @AfterAll
    static void stopServer() {
        if (server != null) {
            server.close();
            server = null;
        }
    }
}
