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
import java.nio.file.Path;
import java.util.logging.LogRecord;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The development mode reloads an application; each life of it opens the store of the one before. */
class ReloadTest {
    private static final int PORT = freePort();
    private static final Path DIRECTORY = Path.of("target", "reload-" + PORT).toAbsolutePath();
    private static final String PROPERTIES = String.join(
            "\n",
            "quarkus.http.port=" + PORT,
            "quarkus.transaction-manager.enable-recovery=true",
            "quarkus.transaction-manager.node-name=reloads",
            "quarkus.transaction-manager.object-store.directory=" + DIRECTORY,
            database("first"),
            database("second"));

    @RegisterExtension
    static final QuarkusDevModeTest APPLICATION = new QuarkusDevModeTest()
            .withApplicationRoot(root -> root.addClass(StoreResource.class)
                    .addAsResource(new StringAsset(PROPERTIES), "application.properties"))
            .setLogRecordPredicate(record -> record.getLoggerName().startsWith("io.tallystick"));

    @Test
    void eachOfThreeLivesCommitsThroughTheStore() throws Exception {
        assertThat(commit()).isEqualTo("0 TallystickObjectStore 1");

        for (int life = 1; life <= 2; life++) {
            String former = "LIFE = " + (life - 1);
            String next = "LIFE = " + life;
            APPLICATION.modifySourceFile(StoreResource.class, source -> source.replace(former, next));

            assertThat(commit()).isEqualTo(life + " TallystickObjectStore 1");
        }
        assertThat(APPLICATION.getLogRecords().stream().map(LogRecord::getMessage))
                .filteredOn(message -> message.startsWith("TALLY"))
                .hasSize(3)
                .allMatch(message -> message.startsWith("TALLY0001"));
    }

    private static String database(String name) {
        String prefix = "quarkus.datasource." + name;
        return String.join(
                "\n",
                prefix + ".db-kind=h2",
                prefix + ".jdbc.transactions=xa",
                prefix + ".jdbc.url=jdbc:h2:file:" + DIRECTORY.resolve(name)
                        + ";INIT=create table if not exists booking (id int primary key)");
    }

    private static String commit() throws IOException, InterruptedException {
        URI uri = URI.create("http://localhost:" + PORT + "/commit");
        HttpRequest request = HttpRequest.newBuilder(uri)
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException none) {
            throw new UncheckedIOException(none);
        }
    }
}
