package io.tallystick.spring.boot.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The application is killed between the commits of its two databases, under load, and started again. */
class SpringCrashTest {
    @TempDir
    Path directory;

    @Test
    void aProcessThatIsKilledBetweenTwoCommitsIsFinishedByTheNextOne() throws Exception {
        try (BankProcess killed = BankProcess.start(
                directory, "-Dbank.stop-at=200", "--bank.threads=4", "--narayana.node-identifier=a")) {
            killed.await(CommitGate.AT_THE_GATE);
            killed.kill();
        }
        Set<Long> orders = BankDatabase.rows(directory, "orders");
        Set<Long> stock = BankDatabase.rows(directory, "stock");
        assertThat(stock).as("killed between the commits").isNotEqualTo(orders).hasSizeGreaterThan(100);

        try (BankProcess next =
                BankProcess.start(directory, "--narayana.node-identifier=a").awaitReady()) {
            // H2 may go on listing a branch that recovery has rolled back: the rollback of a connection that did not
            // list the branch itself has no effect there, and the starter's helper connects anew for each call.
            Awaitility.await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                assertThat(next.get("/balance").body()).contains("\"different\":0");
                assertThat(next.get("/actuator/tallystick").body()).contains("\"inDoubt\":0");
            });
            next.post("/transfer");
            assertThat(next.get("/balance").body()).contains("\"different\":0");

            assertThat(next.get("/actuator/health").body())
                    .contains("\"tallystick\":{", "\"state\":\"OPEN\"", "usableBytes", "\"inDoubt\":0");
            assertThat(next.get("/actuator/tallystick").body())
                    .contains("\"kind\":\"journal\"", "\"nodeId\":\"a\"", "\"serving\":true", "\"accepting\":true");
            assertThat(next.get("/actuator/metrics/tallystick.store.writes").statusCode())
                    .isEqualTo(200);
            assertThat(next.get("/actuator/metrics/tallystick.indoubt.oldest.age")
                            .statusCode())
                    .isEqualTo(200);
            Awaitility.await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(
                            next.get("/actuator/tallystickInDoubt").body())
                    .contains("\"listed\":true", "\"unseen\":0", "\"transactions\":[]"));
            assertThat(next.terminate()).isEqualTo(143);
            assertThat(next.output())
                    .contains("TALLY0001 store opened: journal")
                    .doesNotContain("TALLY0402");
        }
        assertThat(BankDatabase.rows(directory, "orders"))
                .containsAll(orders)
                .isEqualTo(BankDatabase.rows(directory, "stock"));
    }

    /** A migrated record has the name that Narayana's starter gives all data sources. TALLY0412 tells this setting. */
    @Test
    void aRecordWithTheNamesOfNarayanasStarterIsFinishedWhileResourcesAreNotNamed() throws Exception {
        try (BankProcess killed = BankProcess.start(
                directory, "-Dbank.stop-at=1", "--bank.threads=1", "--tallystick.name-resources=false")) {
            killed.await(CommitGate.AT_THE_GATE);
        }

        try (BankProcess next = BankProcess.start(directory, "--tallystick.name-resources=false")
                .awaitReady()) {
            Awaitility.await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                assertThat(next.get("/balance").body()).contains("\"different\":0", "\"orders\":1");
                assertThat(next.get("/actuator/tallystick").body()).contains("\"inDoubt\":0");
            });
        }
    }

    /** Without the actuator, whose contributors would make the data sources at once. */
    @Test
    void recoveryRunsUnderLazyInitializationThoughNobodyCallsTheApplication() throws Exception {
        try (BankProcess killed =
                BankProcess.start(directory, "-Dbank.stop-at=1", "--bank.threads=1", "--narayana.node-identifier=a")) {
            killed.await(CommitGate.AT_THE_GATE);
            killed.kill();
        }
        try (BankProcess next = BankProcess.start(
                        directory,
                        entry -> !entry.contains("actuator"),
                        "-Dbank.stop-at=1",
                        "--narayana.node-identifier=a",
                        "--spring.main.lazy-initialization=true")
                .awaitReady()) {
            next.await(CommitGate.AT_THE_GATE); // recovery's commit, and no other
        }
    }

    @Test
    void probesSayWhetherTransactionsCanBeLogged() throws Exception {
        try (BankProcess bank = BankProcess.start(directory).awaitReady()) {
            assertThat(bank.get("/actuator/health/readiness").statusCode()).isEqualTo(200);
            assertThat(bank.get("/actuator/health/liveness").statusCode()).isEqualTo(200);

            bank.post("/drain");
            assertThat(bank.get("/actuator/health/readiness").statusCode()).isEqualTo(503);
            assertThat(bank.get("/actuator/health/liveness").statusCode()).isEqualTo(200);
            assertThat(bank.get("/actuator/health").body()).contains("\"state\":\"DRAINING\"");
            assertThat(bank.post("/transfer").statusCode()).isEqualTo(500);

            bank.post("/resume");
            assertThat(bank.get("/actuator/health/readiness").statusCode()).isEqualTo(200);
            assertThat(bank.post("/transfer").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void aGroupOfHealthWhoseMembersTheApplicationNamesIsLeftAsItIs() throws Exception {
        try (BankProcess bank = BankProcess.start(
                        directory, "--management.endpoint.health.group.readiness.include=readinessState")
                .awaitReady()) {
            bank.post("/drain");

            assertThat(bank.get("/actuator/health/readiness").statusCode()).isEqualTo(200);
            assertThat(bank.get("/actuator/health").statusCode()).isEqualTo(503);
        }
    }

    @Test
    void theLogIsDrainedOnShutdown() throws Exception {
        try (BankProcess bank = BankProcess.start(
                        directory,
                        "--tallystick.drain.on-shutdown=true",
                        "--tallystick.drain.timeout=60s",
                        "--narayana.node-identifier=a")
                .awaitReady()) {
            assertThat(bank.post("/transfer").statusCode()).isEqualTo(200);

            assertThat(bank.terminate()).isEqualTo(143);
            assertThat(bank.output()).contains("TALLY0705 the drain before shutdown has ended: drained ");
        }
    }
}
