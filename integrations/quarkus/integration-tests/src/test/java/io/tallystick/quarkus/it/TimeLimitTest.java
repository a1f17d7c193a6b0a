package io.tallystick.quarkus.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Our reaper keeps the time limits of an application on Quarkus: fifty calls exceed theirs at once. */
class TimeLimitTest {
    private static final int CALLS = 50;
    private static final List<String> WAYS = List.of("return", "fail", "commit");
    private static final String[] OUR_REAPER = {
        "-DJTAEnvironmentBean.transactionManagerClassName=io.tallystick.narayana.TallystickTransactionManager",
        "-DJTAEnvironmentBean.userTransactionClassName=io.tallystick.narayana.TallystickUserTransaction",
        // A rollback that takes this long is stuck, however slow the machine is.
        "-Dtallystick.reaper.wedged-after=30s",
        // The pool interrupts a connection that is being opened after five seconds, and an interrupt closes H2.
        "-Dquarkus.datasource.orders.jdbc.acquisition-timeout=60",
        "-Dquarkus.datasource.payments.jdbc.acquisition-timeout=60"
    };

    @TempDir
    private Path directory;

    @Test
    void lateCallsAreRolledBackAndTheirWorkerThreadsGoOn() throws Exception {
        try (Application application = Application.start(directory, OUR_REAPER)) {
            lateCallsAreRolledBack(application, "platform", "executor-thread-");
        }
    }

    /** On a JDK before 21 Quarkus gives these calls worker threads. */
    @Test
    void lateCallsAreRolledBackAndTheirVirtualThreadsGoOn() throws Exception {
        try (Application application = Application.startOnLaterJdk(directory, OUR_REAPER)) {
            lateCallsAreRolledBack(
                    application,
                    "virtual",
                    Application.laterJdk() < 21 ? "executor-thread-" : "quarkus-virtual-thread-");
        }
    }

    private static void lateCallsAreRolledBack(Application application, String kind, String threads) throws Exception {
        for (String answer : callAtOnce(application, kind)) {
            String[] parts = answer.split(Pattern.quote(LimitResource.SEPARATOR));
            assertThat(parts).as(answer).hasSize(4);
            assertThat(parts[0]).startsWith(threads);
            assertThat(parts[1]).isNotEqualTo(LimitResource.WELL);
            assertThat(parts[2]).isEqualTo(LimitResource.WELL);
            assertThat(parts[3]).isEqualTo(LimitResource.WELL);
        }
        String next =
                IntStream.range(CALLS, 2 * CALLS).mapToObj(String::valueOf).collect(Collectors.joining(","));
        assertThat(application.get("orders")).isEqualTo(next);
        assertThat(application.get("payments")).isEqualTo(next);

        application.await(
                "a line for each expiry", () -> reaperLines(application).size() >= CALLS);
        assertThat(application.stop()).isIn(0, 143);
        assertThat(reaperLines(application))
                .hasSize(CALLS)
                .allMatch(line -> line.contains("TALLY0601") && line.endsWith("timeout=1s outcome=CANCELLED"));
    }

    /** The late bookings are 0 to 49; the next ones, 50 to 99, have no limit. */
    private static List<String> callAtOnce(Application application, String kind) throws Exception {
        ExecutorService clients = Executors.newFixedThreadPool(CALLS);
        try {
            List<Future<String>> calls = new ArrayList<>();
            for (int id = 0; id < CALLS; id++) {
                String path = "limit/" + kind + "/" + WAYS.get(id % WAYS.size()) + "/" + id + "/" + (CALLS + id);
                calls.add(clients.submit(() -> application.postForText(path)));
            }
            List<String> answers = new ArrayList<>();
            for (Future<String> call : calls) {
                answers.add(call.get());
            }
            return answers;
        } finally {
            clients.shutdownNow();
        }
    }

    private static List<String> reaperLines(Application application) {
        return application.lines().stream()
                .filter(line -> line.contains("TALLY06"))
                .toList();
    }
}
