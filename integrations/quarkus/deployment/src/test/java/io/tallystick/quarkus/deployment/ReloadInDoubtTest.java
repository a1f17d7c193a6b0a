package io.tallystick.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.QuarkusDevModeTest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A transaction stays in doubt over three reloads of the development mode, and is finished once in the last life. */
class ReloadInDoubtTest {
    private static final int PORT = freePort();
    private static final Path DIRECTORY =
            Path.of("target", "reload-in-doubt-" + PORT).toAbsolutePath();
    private static final long PATIENCE_NANOS = 120_000_000_000L;
    private static final String PROPERTIES = String.join(
            "\n",
            "quarkus.http.port=" + PORT,
            "quarkus.transaction-manager.enable-recovery=true",
            "quarkus.transaction-manager.node-name=reloads",
            "quarkus.transaction-manager.object-store.directory=" + DIRECTORY,
            "quarkus.log.category.\"com.arjuna.ats.arjuna\".level=DEBUG",
            "silent.directory=" + DIRECTORY,
            "quarkus.datasource.first.db-kind=h2",
            "quarkus.datasource.first.jdbc.transactions=xa",
            "quarkus.datasource.first.jdbc.url=jdbc:h2:file:" + DIRECTORY.resolve("first")
                    + ";INIT=create table if not exists booking (id int primary key)");

    @RegisterExtension
    static final QuarkusDevModeTest APPLICATION = new QuarkusDevModeTest()
            .withApplicationRoot(root -> root.addClasses(DoubtResource.class, SilentResource.class)
                    .addAsResource(new StringAsset(PROPERTIES), "application.properties"))
            .setLogRecordPredicate(record -> record.getLoggerName().startsWith("com.arjuna")
                    || record.getLoggerName().startsWith("io.tallystick"));

    /** Narayana of the application reads these of the process. */
    @BeforeAll
    static void letRecoveryLookEverySecond() {
        System.setProperty("RecoveryEnvironmentBean.periodicRecoveryPeriod", "1");
        System.setProperty("RecoveryEnvironmentBean.recoveryBackoffPeriod", "1");
    }

    @AfterAll
    static void restoreTheDefaults() {
        System.clearProperty("RecoveryEnvironmentBean.periodicRecoveryPeriod");
        System.clearProperty("RecoveryEnvironmentBean.recoveryBackoffPeriod");
    }

    @Test
    void aTransactionInDoubtIsFinishedOnceAfterThreeReloads() throws Exception {
        send(request().POST(HttpRequest.BodyPublishers.noBody()));
        assertThat(inDoubt()).isEqualTo("0 1");
        recoveryAsksAgain();

        for (int life = 1; life <= 3; life++) {
            String former = "LIFE = " + (life - 1);
            String next = "LIFE = " + life;
            APPLICATION.modifySourceFile(DoubtResource.class, source -> source.replace(former, next));
            assertThat(inDoubt()).isEqualTo(life + " 1");
            recoveryAsksAgain();
        }
        Files.createFile(DIRECTORY.resolve("answers"));
        await(() -> inDoubt().equals("3 0"));

        assertThat(lines("committed")).isEqualTo(lines("prepared")).hasSize(1);
        assertThat(DIRECTORY.resolve("rolled-back")).doesNotExist();
        everyLifeScannedForExpiredEntries();
        assertThat(APPLICATION.getLogRecords())
                .filteredOn(record -> record.getLevel().intValue() >= Level.WARNING.intValue())
                .extracting(LogRecord::getMessage)
                .allMatch(message -> message.startsWith("ARJUNA016036") // the resource does not answer
                        || message.startsWith("TALLY0422")); // so the transaction is in doubt
    }

    /** Narayana makes the scanner once, with the log of the first life, and uses it in all lives. */
    private static void everyLifeScannedForExpiredEntries() {
        List<Integer> scansOfLives = new ArrayList<>();
        for (LogRecord line : APPLICATION.getLogRecords()) {
            if (line.getMessage().startsWith("TALLY0001")) {
                scansOfLives.add(0);
            } else if (line.getMessage().startsWith("ExpiredTransactionStatusManagerScanner - scanning")) {
                scansOfLives.set(scansOfLives.size() - 1, scansOfLives.get(scansOfLives.size() - 1) + 1);
            }
        }
        assertThat(scansOfLives).hasSize(4).allMatch(scans -> scans > 0);
    }

    private static void recoveryAsksAgain() throws Exception {
        int asked = lines("asked").size();
        await(() -> lines("asked").size() >= asked + 2);
    }

    private static String inDoubt() throws Exception {
        return send(request());
    }

    private static HttpRequest.Builder request() {
        return HttpRequest.newBuilder(URI.create("http://localhost:" + PORT + "/doubt"));
    }

    private static String send(HttpRequest.Builder request) throws Exception {
        return HttpClient.newHttpClient()
                .send(request.build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }

    private static List<String> lines(String file) throws IOException {
        return Files.readAllLines(DIRECTORY.resolve(file));
    }

    private static void await(Condition condition) throws Exception {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.holds()) {
            assertThat(System.nanoTime()).as("waited for long enough").isLessThan(end);
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException none) {
            throw new UncheckedIOException(none);
        }
    }

    private interface Condition {
        boolean holds() throws Exception;
    }
}
