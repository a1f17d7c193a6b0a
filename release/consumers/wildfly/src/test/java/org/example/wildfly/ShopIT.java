package org.example.wildfly;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A WildFly as people download it, with the zip unpacked over it and its script run. The server ends between the
 * commits of two databases, and the next one finishes the transaction.
 */
class ShopIT {
    private static final Path HOME = Path.of(System.getProperty("wildfly.home"));
    private static final String LOG_STORE = "/subsystem=transactions/log-store=log-store";
    private static final List<String> LOOK = List.of(
            LOG_STORE + ":probe",
            LOG_STORE + ":read-children-names(child-type=transactions)",
            "/subsystem=tallystick:read-attribute(name=health)");
    private static final Duration AT_MOST = Duration.ofSeconds(60);
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @TempDir
    Path directory;

    private final int offset = freeOffset();
    private Path log;
    private Process server;

    @BeforeEach
    void install() throws Exception {
        Path driver = HOME.resolve("modules/org/example/halting/main");
        Path classes = Files.createDirectories(driver.resolve("classes/org/example/wildfly"));
        Path type = Path.of("target/classes/org/example/wildfly/HaltingXADataSource.class");
        Files.copy(type, classes.resolve(type.getFileName()));
        // The server loads both classes of a driver with one loader.
        String h2 = "h2-" + System.getProperty("h2.version") + ".jar";
        Files.copy(HOME.resolve("modules/system/layers/base/com/h2database/h2/main").resolve(h2), driver.resolve(h2));
        Files.writeString(driver.resolve("module.xml"), """
                <module name="org.example.halting" xmlns="urn:jboss:module:1.9">
                  <resources>
                    <resource-root path="classes"/>
                    <resource-root path="%s"/>
                  </resources>
                  <dependencies>
                    <module name="java.se"/>
                  </dependencies>
                </module>
                """.formatted(h2));
        client("--file=bin/tallystick-install.cli");
        client("--file=" + Path.of("src/test/server/databases.cli").toAbsolutePath());
        Files.copy(Path.of("target/shop.war"), HOME.resolve("standalone/deployments/shop.war"));
    }

    @Test
    void aTransactionIsRecovered() throws Exception {
        start("-Dhalt.at=20");
        for (int sale = 1; sale < 20; sale++) {
            assertEquals("orders=" + sale + " stock=" + sale, get("/buy"));
        }
        assertThrows(IOException.class, () -> get("/buy"), "the server answers after its end");
        assertTrue(server.waitFor(30, TimeUnit.SECONDS), printed());
        assertEquals(137, server.exitValue(), printed());

        start();
        assertTrue(printed().matches("(?s).*TALLY0001 store opened: journal[^\n]*, records recovered: [1-9].*"), printed());
        await("the recovery of the twentieth sale", () -> get("/state").equals("orders=20 stock=20"));
        await("an empty log", () -> client(
                        "--connect", "--controller=127.0.0.1:" + (9990 + offset), "--commands=" + String.join(",", LOOK))
                .matches("(?s).*\"result\" => \\[\\].*state=OPEN.*inDoubt=0.*"));
        assertEquals("orders=21 stock=21", get("/buy"));
        assertTrue(Files.exists(HOME.resolve("standalone/data/tallystick/segment-000001.seg")));
        // Narayana makes this directory when it uses a store of its own.
        assertFalse(Files.exists(HOME.resolve("standalone/data/tx-object-store")));
    }

    @AfterEach
    void stop() throws InterruptedException {
        if (server != null) {
            List<ProcessHandle> all = new ArrayList<>(server.descendants().toList());
            all.add(server.toHandle());
            all.forEach(ProcessHandle::destroyForcibly);
            server.waitFor();
        }
    }

    private void start(String... properties) throws Exception {
        List<String> options = new ArrayList<>(List.of(
                "-Djboss.socket.binding.port-offset=" + offset,
                "-DRecoveryEnvironmentBean.periodicRecoveryPeriod=2",
                "-DRecoveryEnvironmentBean.recoveryBackoffPeriod=1"));
        options.addAll(List.of(properties));
        log = Files.createTempFile(directory, "server", ".log");
        server = begin("bin/standalone.sh", options, log);
        await("a boot of the server", () -> printed().contains("WFLYSRV0025") || !server.isAlive());
        assertTrue(server.isAlive(), printed());
    }

    /** What the server has printed since its last start. */
    private String printed() throws IOException {
        return Files.readString(log);
    }

    private String get(String path) throws IOException, InterruptedException {
        HttpResponse<String> response = HTTP.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + (8080 + offset) + "/shop" + path))
                        .timeout(AT_MOST)
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        return response.body();
    }

    private String client(String... options) throws Exception {
        Path output = Files.createTempFile(directory, "client", ".log");
        Process client = begin("bin/jboss-cli.sh", List.of(options), output);
        boolean hasEnded = client.waitFor(AT_MOST.toSeconds(), TimeUnit.SECONDS);
        client.destroyForcibly();
        String answer = Files.readString(output);
        assertTrue(hasEnded, answer);
        assertEquals(0, client.exitValue(), answer);
        return answer;
    }

    private static Process begin(String script, List<String> options, Path output) throws IOException {
        List<String> command = new ArrayList<>(List.of(HOME.resolve(script).toString()));
        command.addAll(options);
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(HOME.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().remove("JBOSS_HOME");
        return builder.start();
    }

    private interface Condition {
        boolean holds() throws Exception;
    }

    private static void await(String subject, Condition condition) throws Exception {
        long end = System.nanoTime() + AT_MOST.toNanos();
        while (!condition.holds()) {
            assertTrue(System.nanoTime() < end, () -> "waited in vain for " + subject);
            Thread.sleep(200);
        }
    }

    // The server's ports are fixed distances apart, so that one number moves them all.
    private static int freeOffset() {
        return IntStream.iterate(13_000, offset -> offset + 100)
                .limit(200)
                .filter(offset -> isFree(8080 + offset) && isFree(8443 + offset) && isFree(9990 + offset))
                .findFirst()
                .orElseThrow();
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port)) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }
}
