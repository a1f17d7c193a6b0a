package io.tallystick.wildfly;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Our store below JTS, Narayana's transaction service over the ORB of the server. */
class WildFlyJtsTest {
    private static final Path WORK = Path.of(System.getProperty("work"), "jts");

    private static String configuration;

    @BeforeAll
    static void switchJtsOn() throws IOException {
        Distribution distribution = Distribution.with(
                WORK,
                "standalone-full.xml",
                "/subsystem=transactions:write-attribute(name=jts,value=true)",
                "/subsystem=iiop-openjdk:write-attribute(name=transactions,value=full)",
                "/subsystem=messaging-activemq:remove",
                "/subsystem=ee/service=default-bindings:undefine-attribute(name=jms-connection-factory)");
        distribution.install();
        configuration = distribution.xml();
    }

    @Test
    void aServerWithJtsThatIsKilledBetweenTheTwoCommitsRecoversThreeTimes() throws Exception {
        Shop shop = new Shop(WORK.resolve("kills"));
        try (Server server = shop.server("server", configuration)
                .with(
                        "-DJTAEnvironmentBean.orphanSafetyInterval=5000",
                        "-DJTSEnvironmentBean.commitedTransactionRetryLimit=1000")
                .start()) {
            Path log = server.base().resolve("data/tallystick/segment-000001.seg");
            for (int life = 1; life <= 3; life++) {
                shop.killBetweenTheTwoCommits(server);
                assertThat(Files.readString(log, StandardCharsets.ISO_8859_1))
                        .as("the type under which JTS logs a transaction")
                        .contains("ArjunaTransactionImple");
                server.start();
                // The server names no orphan filter for branches of JTS: those without a record stay prepared.
                Shop.waitUntilBothDatabasesHaveTheSameRows(server);
            }
            server.reload();
            assertThat(shop.buy(server)).isEqualTo("200 bought");
            assertThat(server.cli("/subsystem=tallystick:read-attribute(name=health)"))
                    .contains("state=OPEN");
            assertThat(server.base().resolve("data/tx-object-store")).doesNotExist();
        }
    }
}
