package io.tallystick.spring.boot.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.arjuna.ats.arjuna.common.arjPropertyManager;
import com.arjuna.ats.arjuna.coordinator.TxControl;
import com.arjuna.ats.jta.common.jtaPropertyManager;
import io.tallystick.narayana.NarayanaStores;
import io.tallystick.store.postgresql.PostgresServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** An application without a name of its own: the pool gives it a node, and Narayana has it. */
class SpringPoolTest {
    private static PostgresServer server;

    @TempDir
    Path directory;

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

    @Test
    void theContextHasANodeOfThePoolAndGivesItBack() {
        for (int life = 1; life <= 2; life++) {
            try (ConfigurableApplicationContext context = start()) {
                assertThat(arjPropertyManager.getCoreEnvironmentBean().getNodeIdentifier())
                        .isEqualTo("bank-1");
                assertThat(jtaPropertyManager.getJTAEnvironmentBean().getXaRecoveryNodes())
                        .isEqualTo(List.of("bank-1"));
                assertThat(TxControl.getXANodeName()).isEqualTo("bank-1");
                context.getBean(Bank.class).transfer();
                assertThat(context.getBean(Bank.class).balance()).containsEntry("orders", life);
            }
        }
    }

    @Test
    void aSecondContextOfTheProcessSharesTheNode() {
        try (ConfigurableApplicationContext first = start();
                ConfigurableApplicationContext second = start()) {
            assertThat(second.getBean(NarayanaStores.class).store())
                    .isSameAs(first.getBean(NarayanaStores.class).store());
            assertThat(TxControl.getXANodeName()).isEqualTo("bank-1");
        }
    }

    @Test
    void aNodeIdentifierBesideAPoolIsRefusedWithItsProperty() {
        assertThatThrownBy(() -> start("--narayana.node-identifier=orders"))
                .hasStackTraceContaining("Narayana's node identifier was set to 'orders'; leave it out")
                .hasStackTraceContaining("narayana.node-identifier");
    }

    private ConfigurableApplicationContext start(String... more) {
        return new SpringApplicationBuilder(BankApplication.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "bank.directory=" + directory,
                        "narayana.log-dir=" + directory.resolve("log"),
                        "tallystick.store=postgresql",
                        "tallystick.node-pool=bank",
                        "tallystick.lease=2s",
                        "tallystick.postgresql.url=" + server.url(),
                        "tallystick.postgresql.create-tables=true",
                        "tallystick.require-replication=none",
                        "spring.autoconfigure.exclude="
                                + "org.springframework.boot.artemis.autoconfigure.ArtemisAutoConfiguration",
                        "narayana.periodic-recovery-period=1",
                        "narayana.recovery-backoff-period=1")
                .run(more);
    }
}
