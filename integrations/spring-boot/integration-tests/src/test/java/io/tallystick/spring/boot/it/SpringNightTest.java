package io.tallystick.spring.boot.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.narayana.night.NightBook;
import io.tallystick.narayana.night.NightShift;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A transaction of each kind that docs/three-in-the-morning.md knows, seen and settled as the page says. */
class SpringNightTest {
    private static final String NODE = "orders-2";
    private static final String SEEN = "/actuator/tallystickInDoubt";
    private static final String SETTLE = "/actuator/tallystickSettle";
    private static final String FORGET = "{\"branchesEnded\":true,\"reason\":\"T-4711\",\"who\":\"Jane Doe\"}";

    @TempDir
    Path directory;

    @Test
    void eachKindIsSeenAuditedAndSettled() throws Exception {
        Path log = directory.resolve("log/TallystickObjectStore");
        String classPath = System.getProperty("java.class.path");
        NightShift shift = new NightShift(
                new NightBook(directory.resolve(NightApplication.RESOURCES)),
                NODE,
                classPath,
                Map.of(
                        "tallystick.store", "journal",
                        "tallystick.directory", log.toString(),
                        "JTAEnvironmentBean.orphanSafetyInterval", "1000",
                        "RecoveryEnvironmentBean.recoveryBackoffPeriod", "1"),
                NightShift.Tool.on(log, classPath));
        try (BankProcess node = BankProcess.start(
                        NightApplication.class,
                        directory,
                        entry -> true,
                        "-DJTAEnvironmentBean.orphanSafetyInterval=600000",
                        "--narayana.node-identifier=" + NODE,
                        "--tallystick.indoubt.settle=true",
                        "--management.endpoints.web.exposure.include=tallystickInDoubt,tallystickSettle")
                .awaitReady()) {
            HttpResponse<String> left = node.post("/night");
            assertThat(left.statusCode()).as(node.output()).isEqualTo(200);
            shift.begin(left.body().lines().toList());
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> node.get(SEEN).body().contains(shift.uid("imported")));
            shift.checkSeen(node.get(SEEN).body());
            shift.audit();

            for (String label :
                    List.of("heuristic-rollback", "heuristic-commit", "heuristic-mixed", "heuristic-hazard")) {
                HttpResponse<String> forgotten = node.post(SETTLE + "/" + shift.uid(label), FORGET);
                assertThat(forgotten.body()).contains("forgotten uid=" + shift.uid(label));
                shift.isSettledOnline(label);
            }
            assertThat(node.post(SETTLE + "/" + shift.uid("lost-resource"), FORGET)
                            .statusCode())
                    .isEqualTo(409);
            assertThat(node.post("/night/imported").statusCode())
                    .as(node.output())
                    .isEqualTo(200);
            shift.isSettledOnline("imported");
            assertThat(node.terminate()).isEqualTo(143);
        }
        shift.settleNotRetried();
        shift.forget("not-retried");
        shift.forget("lost-resource");
        shift.recover();
        shift.checkSettled();
    }
}
