package io.tallystick.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.quarkus.devui.tests.DevUIJsonRPCTest;
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
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The card of the extension in the Dev UI, and what its page asks. */
public class InDoubtCardTest extends DevUIJsonRPCTest {
    private static final String EXTENSION = "tallystick-quarkus";
    private static final String PAGE = "qwc-tallystick-in-doubt.js";
    private static final int PORT = freePort();
    private static final Path DIRECTORY = Path.of("target", "card-" + PORT).toAbsolutePath();
    private static final String PASSWORD = "not-for-the-card";
    private static final String PROPERTIES = String.join(
            "\n",
            "quarkus.http.port=" + PORT,
            "quarkus.transaction-manager.node-name=cards",
            "quarkus.transaction-manager.object-store.directory=" + DIRECTORY,
            "silent.directory=" + DIRECTORY,
            "quarkus.datasource.first.db-kind=h2",
            "quarkus.datasource.first.username=sa",
            "quarkus.datasource.first.password=" + PASSWORD,
            "quarkus.datasource.first.jdbc.transactions=xa",
            "quarkus.datasource.first.jdbc.url=jdbc:h2:file:" + DIRECTORY.resolve("first")
                    + ";INIT=create table if not exists booking (id int primary key)");

    @RegisterExtension
    static final QuarkusDevModeTest APPLICATION = new QuarkusDevModeTest()
            .withApplicationRoot(root -> root.addClasses(DoubtResource.class, SilentResource.class)
                    .addAsResource(new StringAsset(PROPERTIES), "application.properties"));

    /** The namespace of the card is the artifact of the extension. */
    public InDoubtCardTest() {
        super(EXTENSION, uri("").toString());
    }

    @Test
    void thePageShowsTheTransactionInDoubtWithTheNamesOfTheModel() throws Exception {
        assertThat(executeJsonRPCMethod("count").asText()).isEqualTo("0");
        JsonNode before = executeJsonRPCMethod("inDoubt");
        assertThat(before.get("listed").asBoolean()).isTrue();
        assertThat(before.get("transactions")).isEmpty();

        leaveOneInDoubt();

        JsonNode answer = untilOneIsSeen();
        assertThat(answer.get("countByState").get("in-doubt").asInt()).isEqualTo(1);
        JsonNode transaction = answer.get("transactions").get(0);
        assertThat(namesOf(transaction))
                .as("the names of docs/in-doubt.md, without those that this transaction does not have")
                .isEqualTo(documented(1, "parent", "nextTrySeconds", "remark"));
        assertThat(transaction.get("state").asText()).isEqualTo("in-doubt");
        assertThat(transaction.get("decision").asText()).isEqualTo("commit");
        assertThat(transaction.get("node").asText()).isEqualTo("cards");
        Set<String> names = new TreeSet<>();
        transaction.get("participants").forEach(participant -> names.addAll(namesOf(participant)));
        assertThat(names).isNotEmpty().isSubsetOf(documented(2));
        assertThat(answer.toString()).doesNotContain(PASSWORD);
        assertThat(executeJsonRPCMethod("count").asText()).isEqualTo("1");
    }

    @Test
    void theCardIsInTheDevUiAndItsPageIsServed() throws Exception {
        String index = get("/q/dev-ui/extensions");
        Matcher data = Pattern.compile("\"devui-data\"\\s*:\\s*\"([^\"]+)\"").matcher(index);
        assertThat(data.find()).as(index).isTrue();

        assertThat(get(data.group(1))).contains(EXTENSION, PAGE);
        assertThat(get("/q/dev-ui/" + EXTENSION + "/" + PAGE))
                .contains("customElements.define('qwc-tallystick-in-doubt'");
    }

    private static void leaveOneInDoubt() throws IOException, InterruptedException {
        Files.createDirectories(DIRECTORY);
        HttpRequest request = HttpRequest.newBuilder(uri("/doubt"))
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        assertThat(HttpClient.newHttpClient()
                        .send(request, HttpResponse.BodyHandlers.discarding())
                        .statusCode())
                .isLessThan(300);
    }

    /** A look is kept for five seconds. */
    private JsonNode untilOneIsSeen() throws Exception {
        long end = System.nanoTime() + 60_000_000_000L;
        JsonNode answer = executeJsonRPCMethod("inDoubt");
        while (answer.get("transactions").isEmpty() && System.nanoTime() < end) {
            answer = executeJsonRPCMethod("inDoubt");
        }
        return answer;
    }

    private static Set<String> namesOf(JsonNode object) {
        Set<String> names = new TreeSet<>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }

    /** The names in a column of the table of the model. */
    private static Set<String> documented(int column, String... without) throws IOException {
        Set<String> names = new TreeSet<>();
        Files.readAllLines(Path.of("../../../docs/in-doubt.md")).stream()
                .dropWhile(line -> !line.startsWith("| name |"))
                .takeWhile(line -> !line.isEmpty())
                .filter(row -> column == 1 || row.startsWith("| `participants`"))
                .flatMap(row -> Pattern.compile("`([a-zA-Z]+)`")
                        .matcher(row.split("\\|")[column])
                        .results()
                        .map((MatchResult match) -> match.group(1)))
                .forEach(names::add);
        names.removeAll(List.of(without));
        return names;
    }

    private static String get(String path) throws IOException, InterruptedException {
        HttpResponse<String> answer = HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri(path)).build(), HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(path).isEqualTo(200);
        return answer.body();
    }

    private static URI uri(String path) {
        return URI.create("http://localhost:" + PORT + path);
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException none) {
            throw new UncheckedIOException(none);
        }
    }
}
