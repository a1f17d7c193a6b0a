package io.tallystick.quarkus.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The application is killed under load, between the commits in its two databases, and started again. */
class CrashRecoveryTest {
    private static final int CLIENTS = 4;

    @TempDir
    private Path directory;

    @Test
    void bothDatabasesAgreeAfterAKillBetweenTheTwoCommits() throws Exception {
        Set<Integer> acknowledged = ConcurrentHashMap.newKeySet();
        try (Application killed = Application.start(directory)) {
            assertThat(killed.get("store")).isEqualTo("io.tallystick.narayana.TallystickObjectStore");
            killUnderLoad(killed, acknowledged);
        }

        try (Application recovering = Application.start(directory)) {
            assertThat(recovering.get("q/health/ready")).contains("\"tallystick\"", "\"state\": \"OPEN\"");
            assertThat(recovering.get("q/health/live")).contains("\"tallystickLiveness\"", "\"status\": \"UP\"");
            assertThat(recovering.get("q/metrics").lines())
                    .anyMatch(line -> line.startsWith("tallystick_store_serving{") && line.endsWith(" 1.0"));
            recovering.await(
                    "both databases to agree", () -> recovering.get("orders").equals(recovering.get("payments")));

            assertThat(recovering.get("orders").split(",")).contains(texts(acknowledged));
            // Those that waited had committed in orders: the decision was on disk, so payments must follow.
            assertThat(recovering.get("orders").split(",")).hasSizeGreaterThan(acknowledged.size());
            assertThat(recovering.post("book/1000000")).isEqualTo(204);
            assertThat(recovering.stop()).isIn(0, 143);
            // On a busy machine a scan may come before the resources: then the transaction is told as one in doubt.
            assertThat(recovering.lines())
                    .filteredOn(line -> !line.contains("TALLY0422"))
                    .noneMatch(line -> line.contains("TALLY04"));
        }
    }

    @Test
    void recoveryRunsThoughNobodyCallsTheApplication() throws Exception {
        try (Application killed = Application.start(directory, "-Dpayments.hold=true")) {
            Thread client =
                    new Thread(() -> bookUntilItDies(killed, new AtomicInteger(), ConcurrentHashMap.newKeySet()));
            client.start();
            killed.awaitOutput(HoldingDataSource.HELD::equals);
            killed.kill();
            client.join();
        }
        try (Application next = Application.start(directory, "-Dpayments.hold=true")) {
            next.awaitOutput(HoldingDataSource.HELD::equals); // recovery's commit, and no other
        }
    }

    private static void killUnderLoad(Application application, Set<Integer> acknowledged) throws InterruptedException {
        AtomicInteger next = new AtomicInteger();
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
        try {
            for (int client = 0; client < CLIENTS; client++) {
                clients.execute(() -> bookUntilItDies(application, next, acknowledged));
            }
            application.await("some bookings", () -> acknowledged.size() >= 50);
            application.post("hold");
            application.awaitOutput(HoldingDataSource.HELD::equals);
            application.kill();
        } finally {
            clients.shutdown();
            assertThat(clients.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static void bookUntilItDies(Application application, AtomicInteger next, Set<Integer> acknowledged) {
        try {
            while (true) {
                int id = next.incrementAndGet();
                if (application.post("book/" + id) == 204) {
                    acknowledged.add(id);
                }
            }
        } catch (UncheckedIOException killed) {
            // The end of this client: the application is gone.
        }
    }

    private static String[] texts(Set<Integer> ids) {
        return ids.stream().map(String::valueOf).toArray(String[]::new);
    }
}
