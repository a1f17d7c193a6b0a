package io.tallystick.quarkus.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Records whose work is done stay in the log, because the pool gives Narayana no names of its resources. {@code
 * xaAssumeRecoveryComplete} clears them. It also drops the decision for a database that cannot be reached.
 */
class FinishedRecordsTest {
    private static final String ASSUME = "-DJTAEnvironmentBean.xaAssumeRecoveryComplete=true";
    private static final String UNREACHABLE =
            "-Dquarkus.datasource.payments.jdbc.url=jdbc:h2:tcp://127.0.0.1:1/nowhere";
    private static final Pattern IN_DOUBT = Pattern.compile("\"inDoubt\": (\\d+)");

    @TempDir
    private Path directory;

    /** Leaves one booking that is committed in orders and prepared in payments. */
    @BeforeEach
    void killBetweenTheTwoCommits() throws Exception {
        ExecutorService client = Executors.newSingleThreadExecutor();
        try (Application killed = Application.start(directory)) {
            killed.post("hold");
            Future<Integer> answer = client.submit(() -> killed.post("book/1"));
            killed.awaitOutput(HoldingDataSource.HELD::equals);
            killed.kill();
            assertThat(answer).failsWithin(java.time.Duration.ofSeconds(30));
        } finally {
            client.shutdown();
        }
    }

    @Test
    void theDecisionIsKeptWhileADatabaseCannotBeReached() throws Exception {
        try (Application without = Application.start(directory, UNREACHABLE)) {
            awaitTwoLooks(without);
            assertThat(inDoubt(without)).isEqualTo(1);
        }
        try (Application with = Application.start(directory)) {
            with.await(
                    "payments to have the booking", () -> with.get("payments").equals("1"));
            assertThat(with.get("orders")).isEqualTo("1");
        }
    }

    @Test
    void assumingCompletionLosesTheDecisionForADatabaseThatCannotBeReached() throws Exception {
        try (Application without = Application.start(directory, UNREACHABLE, ASSUME)) {
            without.await("the record to go", () -> inDoubt(without) == 0);
        }
        try (Application with = Application.start(directory)) {
            with.awaitOutput(line -> line.contains("ARJUNA016013"));
            assertThat(with.get("orders")).isEqualTo("1");
            assertThat(with.get("payments")).isEmpty();
        }
    }

    @Test
    void aFinishedRecordStaysUntilOneStartThatAssumesCompletion() throws Exception {
        try (Application recovering = Application.start(directory)) {
            recovering.await(
                    "payments to have the booking",
                    () -> recovering.get("payments").equals("1"));
            awaitTwoLooks(recovering);
            assertThat(inDoubt(recovering)).isEqualTo(1);
        }
        try (Application clearing = Application.start(directory, ASSUME)) {
            clearing.await("the record to go", () -> inDoubt(clearing) == 0);
            assertThat(clearing.get("orders")).isEqualTo("1");
            assertThat(clearing.get("payments")).isEqualTo("1");
        }
    }

    private static void awaitTwoLooks(Application application) throws InterruptedException {
        application.await(
                "two looks of recovery",
                () -> application.lines().stream()
                                .filter(line -> line.contains("ARJUNA016037"))
                                .count()
                        >= 2);
    }

    private static long inDoubt(Application application) {
        Matcher matcher = IN_DOUBT.matcher(application.get("q/health/ready"));
        assertThat(matcher.find()).as(application.get("q/health/ready")).isTrue();
        return Long.parseLong(matcher.group(1));
    }
}
