package io.tallystick.quarkus.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.narayana.night.NightBook;
import io.tallystick.narayana.night.NightShift;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A transaction of each kind that docs/three-in-the-morning.md knows, seen and settled as the page says. */
class NightTest {
    private static final int LEFT = 8;

    @TempDir
    private Path directory;

    @Test
    void eachKindIsSeenAuditedAndSettled() throws Exception {
        Path log = directory.resolve("log/TallystickObjectStore");
        NightShift shift = new NightShift(
                new NightBook(directory.resolve(NightResource.RESOURCES)),
                "bookings",
                classPath(),
                Map.of(
                        "tallystick.store", "journal",
                        "tallystick.directory", log.toString(),
                        "JTAEnvironmentBean.orphanSafetyInterval", "1000",
                        "RecoveryEnvironmentBean.recoveryBackoffPeriod", "1"),
                NightShift.Tool.on(log, System.getProperty("java.class.path")));
        try (Application node = Application.start(directory, "-DJTAEnvironmentBean.orphanSafetyInterval=600000")) {
            String left = node.postForText("night");
            shift.begin(left.lines().toList());
            node.await(
                    "readiness to count them", () -> node.get("q/health/ready").contains("\"inDoubt\": " + LEFT));
            shift.checkSeenByTool();
            shift.audit();
            assertThat(node.postForText("night/imported")).isEqualTo("committed");
            assertThat(node.stop()).isEqualTo(143);
        }
        shift.settleNotRetried();
        for (String label : List.of(
                "heuristic-rollback",
                "heuristic-commit",
                "heuristic-mixed",
                "heuristic-hazard",
                "not-retried",
                "lost-resource")) {
            shift.forget(label);
        }
        shift.recover();
        shift.checkSettled();
    }

    /** All jars of the application, as docs/recover-node.md says. */
    private static String classPath() throws IOException {
        StringJoiner classPath = new StringJoiner(File.pathSeparator);
        for (String place : List.of("app", "lib/boot", "lib/main")) {
            try (Stream<Path> jars = Files.list(Path.of("target", "quarkus-app", place))) {
                jars.map(Path::toString).forEach(classPath::add);
            }
        }
        return classPath.toString();
    }
}
