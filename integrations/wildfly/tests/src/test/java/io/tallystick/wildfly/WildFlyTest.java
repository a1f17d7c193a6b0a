package io.tallystick.wildfly;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.narayana.night.NightBook;
import io.tallystick.narayana.night.NightShift;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** Our store in a WildFly as people download it, with its own management client. */
class WildFlyTest {
    private static final Path WORK = Path.of(System.getProperty("work"), "jta");
    private static final String SUBSYSTEM = "/subsystem=tallystick";
    private static final String LOG_STORE = "/subsystem=transactions/log-store=log-store";

    // standalone.xml with the two databases, without and with our subsystem.
    private static String configurationWithoutUs;
    private static String configuration;

    private Path place;
    private Shop shop;

    @BeforeAll
    static void unpackOurZipAndRunOurScript() throws IOException {
        Distribution distribution = Distribution.with(WORK, "standalone.xml");
        configurationWithoutUs = distribution.xml();
        for (int run = 1; run <= 2; run++) {
            distribution.install();
        }
        assertThat(distribution.xml())
                .containsOnlyOnce("<extension module=\"io.tallystick.wildfly\"/>")
                .containsOnlyOnce("<subsystem xmlns=\"urn:tallystick:1.0\"/>");
        distribution.apply("""
                /subsystem=tallystick:write-attribute(name=directory,value="${log.directory:tallystick}")
                /subsystem=tallystick:map-put(name=options,key=tallystick.journal.segment-size,value=4MiB)
                """);
        configuration = distribution.xml();
    }

    @BeforeEach
    void makeAPlace(TestInfo test) throws IOException {
        place = WORK.resolve(test.getTestMethod().orElseThrow().getName());
        shop = new Shop(place);
    }

    @Test
    void aServerThatIsKilledBetweenTheTwoCommitsRecoversThreeTimesAndAfterAReload() throws Exception {
        try (Server server = shop.server("server", configuration).start()) {
            for (int life = 1; life <= 3; life++) {
                shop.killBetweenTheTwoCommits(server);
                server.start();
                Shop.waitUntilBothDatabasesAgree(server);
            }
            server.reload();
            assertThat(shop.buy(server)).isEqualTo("200 bought");
            shop.killBetweenTheTwoCommits(server);
            server.start();
            server.reload();
            Shop.waitUntilBothDatabasesAgree(server);
            assertThat(shop.buy(server)).isEqualTo("200 bought");
            assertThat(server.cli("/subsystem=tallystick:read-attribute(name=health)"))
                    .contains("state=OPEN", "inDoubt=0", "journal");

            // Narayana makes this directory when it uses a store of its own, for whatever role.
            assertThat(server.base().resolve("data/tx-object-store")).doesNotExist();
            assertThat(server.base().resolve("data/tallystick/segment-000001.seg"))
                    .hasSize(4 << 20);
        }
    }

    @Test
    void theLogStoreOfTheServersManagementProbesRecoversAndDeletes() throws Exception {
        try (Server server = shop.server("server", configuration).start()) {
            shop.begin("heuristic");
            assertThat(shop.buy(server)).contains("500", "Heuristic");
            assertThat(shop.buy(server)).contains("500", "Heuristic");
            shop.end("heuristic");

            String found =
                    server.cli(LOG_STORE + ":probe", LOG_STORE + ":read-resource(recursive=true,include-runtime=true)");
            List<String> transactions = Pattern.compile("\"(0:[0-9a-f:-]+)\" => \\{")
                    .matcher(found)
                    .results()
                    .map((MatchResult match) -> match.group(1))
                    .toList();
            assertThat(transactions).as(found).hasSize(2);
            assertThat(found).contains("\"status\" => \"HEURISTIC_HAZARD\"", "java:jboss/datasources/StockDS");

            String recovered = transaction(transactions.get(0));
            String deleted = transaction(transactions.get(1));
            String stock = "/participants=java\\:jboss\\/datasources\\/StockDS";
            assertThat(server.cli(recovered + stock + ":recover", recovered + stock + ":refresh"))
                    .contains("success")
                    .doesNotContain("failed");
            assertThat(server.cli(deleted + ":delete")).contains("success");
            Awaitility.await().atMost(Shop.PATIENCE).untilAsserted(() -> assertThat(server.cli(
                            LOG_STORE + ":probe", LOG_STORE + ":read-children-names(child-type=transactions)"))
                    .contains("\"result\" => []"));
            assertThat(server.get("/state")).isEqualTo("200 rows=2 prepared=0 differing=[]");
        }
    }

    @Test
    void theResourceOfTheSubsystemShowsWhatIsInDoubtWithTheNamesOfTheModel() throws Exception {
        try (Server server = shop.server("server", configuration).start()) {
            shop.begin("away");
            assertThat(shop.buy(server)).isEqualTo("200 bought");
            String listed = Awaitility.await()
                    .atMost(Shop.PATIENCE)
                    .until(() -> server.cli(SUBSYSTEM + ":list-in-doubt(limit=5)"), found -> found.contains("uid"));

            assertThat(listed).contains("\"state\" => \"in-doubt\"", "\"decision\" => \"commit\"");
            Set<String> known = documentedNames(); // a few are not of this transaction, or not yet
            known.removeAll(Set.of("parent", "remark", "lastError", "nextTrySeconds"));
            assertThat(namesIn(listed)).containsAll(known).isSubsetOf(documentedNames());
            String attributes = server.cli(SUBSYSTEM + ":read-resource(include-runtime=true)");
            assertThat(attributes)
                    .contains("\"in-doubt-count\" => {\"in-doubt\" => 1}", "\"in-doubt-unseen\" => 0L")
                    .containsPattern("\"in-doubt-oldest-seconds\" => \\d+L");

            String uid = Pattern.compile("\"uid\" => \"([^\"]+)\"")
                    .matcher(listed)
                    .results()
                    .map((MatchResult match) -> match.group(1))
                    .findFirst()
                    .orElseThrow();
            assertThat(namesIn(server.cli(SUBSYSTEM + ":show-in-doubt(uid=\"" + uid + "\")")))
                    .as("the second try is known by now, or not")
                    .containsAll(namesIn(listed));
            assertThat(server.cli(SUBSYSTEM + ":show-in-doubt(uid=\"0:1:2:3:4\")"))
                    .contains("failed", "0:1:2:3:4", "list-in-doubt names those");
            assertThat(server.cli(SUBSYSTEM + ":list-in-doubt(limit=0)")).contains("failed", "limit");
            assertThat(server.cli(SUBSYSTEM + ":read-operation-description(name=list-in-doubt)"))
                    .contains("the oldest first", "\"read-only\" => true", "\"runtime-only\" => true");

            shop.end("away");
            Awaitility.await().atMost(Shop.PATIENCE).untilAsserted(() -> assertThat(
                            server.cli(SUBSYSTEM + ":read-attribute(name=in-doubt-count)"))
                    .contains("\"result\" => {}"));
        }
    }

    /** The steps of docs/three-in-the-morning.md. */
    @Test
    void eachKindOfABadNightIsSeenAuditedAndSettled() throws Exception {
        NightBook book = new NightBook(
                Files.createDirectories(place.resolve("resources")).toRealPath());
        Server server = shop.server("server", configuration).with("-DJTAEnvironmentBean.orphanSafetyInterval=600000");
        Path log = server.base().resolve("data/tallystick");
        NightShift shift = new NightShift(
                book,
                "shop-1",
                NightServer.classPath(),
                NightServer.settings(log),
                NightShift.Tool.on(log, NightServer.toolClassPath()));
        NightServer.deployOn(server);
        try (server) {
            server.start();
            String left = server.getOf("/night", "/fall?in=" + book.directory());
            assertThat(left).startsWith("200 ");
            shift.begin(left.substring("200 ".length()).lines().toList());
            shift.checkSeen(Awaitility.await()
                    .atMost(Shop.PATIENCE)
                    .until(
                            () -> server.cli(SUBSYSTEM + ":list-in-doubt"),
                            shown -> shown.contains(shift.uid("imported"))));
            shift.audit();
            assertThat(server.getOf("/night", "/imported?in=" + book.directory()))
                    .isEqualTo("200 committed");
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

    @Test
    void aDirectoryThatCannotBeUsedKeepsTransactionsFromStartingAndTheMessageSaysWhatToDo() throws Exception {
        try (Server server = shop.server("server", configuration)) {
            Path blocked = server.base().resolve("data/tallystick");
            Files.createDirectories(blocked.getParent());
            Files.createFile(blocked);
            server.start();

            assertThat(server.log()).contains("WFLYSRV0026", "TALLY0708", blocked.toString(), "and reload");
            assertThat(shop.buy(server)).startsWith("404");
            assertThat(server.cli("/subsystem=tallystick:read-attribute(name=health)"))
                    .contains("NOT_OPEN");
            assertThat(server.cli(SUBSYSTEM + ":list-in-doubt"))
                    .contains("failed", "cannot be listed: NOT_OPEN", blocked.toString());
            assertThat(server.cli(SUBSYSTEM + ":read-attribute(name=in-doubt-count)"))
                    .contains("success")
                    .doesNotContain("result");

            Files.delete(blocked);
            server.reload();
            assertThat(shop.buy(server)).isEqualTo("200 bought");
        }
    }

    @Test
    void anOldLogOfTheServersOwnStoreIsRefusedAndTheServersOwnStoreStillFinishesIt() throws Exception {
        try (Server server = shop.server("server", configurationWithoutUs).start()) {
            shop.killBetweenTheTwoCommits(server);
            Path old = server.base().resolve("data/tx-object-store");
            assertThat(old).isNotEmptyDirectory();

            server.configure(configuration).start();
            assertThat(server.log())
                    .contains("WFLYSRV0026", "TALLY0708", "TALLY0412", "tallystick migrate", old.toString());
            assertThat(shop.buy(server)).startsWith("404");
            server.stop();

            server.configure(configurationWithoutUs).start();
            Shop.waitUntilBothDatabasesAgree(server);
            server.stop();

            server.configure(configuration).start();
            assertThat(shop.buy(server)).isEqualTo("200 bought");
        }
    }

    @Test
    void aSecondServerOnTheDirectoryIsRefusedAndTheFirstOneGoesOn() throws Exception {
        try (Server first = shop.server("first", configuration).start();
                Server second = shop.server("second", configuration)
                        .with("-Dlog.directory=" + first.base().resolve("data/tallystick"))
                        .start()) {
            assertThat(second.log()).contains("WFLYSRV0026", "TALLY0708", "TALLY0015");
            assertThat(second.get("/state")).startsWith("404");
            assertThat(shop.buy(first)).isEqualTo("200 bought");
        }
    }

    @Test
    void aServerThatIsSuspendedAndShutDownKeepsTheTransactionInDoubtForTheNextStart() throws Exception {
        try (Server server = shop.server("server", configuration).start()) {
            shop.begin("away");
            assertThat(shop.buy(server)).isEqualTo("200 bought");

            assertThat(server.cli(":suspend(suspend-timeout=60)", "/subsystem=tallystick:read-attribute(name=health)"))
                    .contains("success", "inDoubt=1")
                    .doesNotContain("failed");
            shop.end("away");
            assertThat(server.cli(":shutdown")).doesNotContain("failed");
            server.awaitEnd();
            assertThat(server.log()).contains("WFLYSRV0050").doesNotContain("ERROR");

            server.start();
            Shop.waitUntilBothDatabasesAgree(server);
            assertThat(server.get("/state")).contains("rows=1");
        }
    }

    @Test
    void settingsThatTheStoreWouldRefuseAreRefusedByTheManagementClientAndTwoStoresByTheStart() throws Exception {
        try (Server server = shop.server("server", configuration).start()) {
            assertThat(server.cli("/subsystem=tallystick:map-put(name=options,key=tallystick.jornal.io,value=auto)"))
                    .contains("failed", "tallystick.journal.io");
            for (String key : List.of("tallystick.journal.io", "tallystick.journal.engine")) {
                assertThat(server.cli("/subsystem=tallystick:map-put(name=options,key=" + key + ",value=quick)"))
                        .contains("failed", key, "legal values are");
            }
            assertThat(server.cli("/subsystem=tallystick:write-attribute(name=node-id,value=\"a b\")"))
                    .contains("failed", "tallystick.node-id");
            for (String store : List.of("jornal", "\"${shop.store:postgresql}\"")) {
                assertThat(server.cli("/subsystem=tallystick:write-attribute(name=store,value=" + store + ")"))
                        .contains("failed", "legal values are", "journal", "file", "inmemory");
            }
            assertThat(server.cli("/subsystem=tallystick:write-attribute(name=store,value=Journal)"))
                    .contains("success");
            assertThat(server.cli("/subsystem=transactions:write-attribute(name=use-journal-store,value=true)"))
                    .contains("success");
            server.reload();
            assertThat(server.log()).contains("TALLY0708", "TALLY0709", "use-journal-store");
        }
    }

    private static Set<String> namesIn(String answer) {
        return Pattern.compile("\"([a-zA-Z]+)\" => ")
                .matcher(answer)
                .results()
                .map((MatchResult match) -> match.group(1))
                .filter(name -> !name.equals("outcome") && !name.equals("result"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Those of a transaction and of a participant, in the table of the model. */
    private static Set<String> documentedNames() throws IOException {
        return Files.readAllLines(Path.of("../../../docs/in-doubt.md")).stream()
                .dropWhile(line -> !line.startsWith("| name |"))
                .takeWhile(line -> !line.isEmpty())
                .flatMap(row -> Pattern.compile("`([a-zA-Z]+)`")
                        .matcher(row.startsWith("| `participants`") ? row : row.split("\\|")[1])
                        .results())
                .map((MatchResult match) -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String transaction(String id) {
        return LOG_STORE + "/transactions=" + id.replace(":", "\\:");
    }
}
