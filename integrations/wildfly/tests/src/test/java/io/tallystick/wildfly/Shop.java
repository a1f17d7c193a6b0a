package io.tallystick.wildfly;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.wildfly.app.ShopServlet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;

/** The application of a test, its servers, and the trouble of its second database. */
final class Shop {
    /** What recovery and the customers are given. */
    static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final int THREADS = 8;

    private final Path place;
    private final Path trouble;
    private final AtomicLong ids = new AtomicLong();

    /** @param place a directory for this test alone */
    Shop(Path place) throws IOException {
        this.place = place;
        this.trouble = Files.createDirectories(place.resolve("trouble"));
    }

    /**
     * A server that has the application.
     *
     * @param standalone the text of its configuration
     */
    Server server(String name, String standalone) throws IOException {
        Path base = place.resolve(name);
        Directories.copy(Distribution.HOME.resolve("standalone/configuration"), base.resolve("configuration"));
        Zip.write(base.resolve("deployments/shop.war"), "WEB-INF/classes/", Zip.classesOf(ShopServlet.class));
        return new Server(Distribution.HOME, base)
                .configure(standalone)
                .with(
                        "-Dtrouble=" + trouble,
                        "-DRecoveryEnvironmentBean.periodicRecoveryPeriod=2",
                        "-DRecoveryEnvironmentBean.recoveryBackoffPeriod=1");
    }

    /** One more purchase, and the answer. */
    String buy(Server server) throws Exception {
        return server.get("/buy?id=" + ids.incrementAndGet());
    }

    /** Has trouble at each commit of the second database from now on. */
    void begin(String what) throws IOException {
        Files.createFile(trouble.resolve(what));
    }

    /** Ends the trouble. */
    void end(String what) throws IOException {
        Files.delete(trouble.resolve(what));
    }

    /** Kills the server while customers buy, each commit of theirs between the first database and the second. */
    void killBetweenTheTwoCommits(Server server) throws Exception {
        ExecutorService customers = Executors.newFixedThreadPool(THREADS);
        try {
            long before = ids.get();
            for (int customer = 0; customer < THREADS; customer++) {
                customers.submit(() -> {
                    while (buy(server).equals("200 bought")) {
                        // And again, until the server is gone.
                    }
                    return null;
                });
            }
            Awaitility.await().atMost(PATIENCE).until(() -> ids.get() > before + 50);
            begin("pause");
            Awaitility.await().atMost(PATIENCE).until(() -> Files.exists(trouble.resolve("paused")));
            server.kill();
        } finally {
            customers.shutdownNow();
            assertThat(customers.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
        }
        end("pause");
        end("paused");
    }

    /** Without recovery the orders have rows that the stock has prepared only. */
    static void waitUntilBothDatabasesAgree(Server server) {
        waitUntil(server, "prepared=0 differing=[]");
    }

    /** The same, where branches may stay prepared in both databases. */
    static void waitUntilBothDatabasesHaveTheSameRows(Server server) {
        waitUntil(server, "differing=[]");
    }

    private static void waitUntil(Server server, String state) {
        Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(500)).untilAsserted(() -> assertThat(
                        server.get("/state"))
                .contains(state));
    }
}
