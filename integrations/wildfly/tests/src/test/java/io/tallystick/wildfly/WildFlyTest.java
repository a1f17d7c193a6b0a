package io.tallystick.wildfly;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.wildfly.app.ShopServlet;
import io.tallystick.wildfly.h2.TroubledXaDataSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/**
 * A WildFly as people download it, with our zip unpacked over it and our script applied by its
 * management client. Two XA data sources are H2 databases in files.
 */
class WildFlyTest {
    private static final Path HOME = Path.of(System.getProperty("server.home"));
    private static final String H2_VERSION = System.getProperty("h2.version");
    private static final Path WORK = Path.of(System.getProperty("work"));
    private static final String LOG_STORE = "/subsystem=transactions/log-store=log-store";
    private static final Duration RECOVERY = Duration.ofMinutes(1);
    private static final int THREADS = 8;

    // What the application does not use, so that the server starts in half the time.
    private static final List<String> NEEDLESS = List.of(
            "batch-jberet",
            "discovery",
            "distributable-ejb",
            "distributable-web",
            "ee-security",
            "ejb3",
            "elytron-oidc-client",
            "health",
            "infinispan",
            "jaxrs",
            "jpa",
            "jsf",
            "mail",
            "metrics",
            "microprofile-config-smallrye",
            "microprofile-jwt-smallrye",
            "pojo",
            "sar",
            "webservices",
            "weld");

    // standalone.xml with the two databases, without and with our subsystem.
    private static String configurationWithoutUs;
    private static String configuration;

    private final AtomicLong ids = new AtomicLong();
    private Path place;
    private Path trouble;

    @BeforeAll
    static void unpackOurZipAndRunOurScript() throws IOException {
        Directories.delete(WORK);
        Zip.unpack(Path.of(System.getProperty("tallystick.zip")), HOME);
        Path module = HOME.resolve("modules/test/h2/main");
        Zip.write(module.resolve("driver.jar"), "", Zip.classesOf(TroubledXaDataSource.class));
        // The server loads both classes of a driver with one loader.
        Path h2 = HOME.resolve("modules/system/layers/base/com/h2database/h2/main/h2-" + H2_VERSION + ".jar");
        Files.copy(h2, module.resolve("h2.jar"), StandardCopyOption.REPLACE_EXISTING);
        Files.writeString(module.resolve("module.xml"), """
                <module name="test.h2" xmlns="urn:jboss:module:1.9">
                  <resources>
                    <resource-root path="driver.jar"/>
                    <resource-root path="h2.jar"/>
                  </resources>
                  <dependencies>
                    <module name="java.se"/>
                  </dependencies>
                </module>
                """);
        Path standalone = HOME.resolve("standalone/configuration/standalone.xml");
        Path asDownloaded = standalone.resolveSibling("standalone.xml.as-downloaded");
        if (!Files.exists(asDownloaded)) {
            Files.copy(standalone, asDownloaded);
        }
        Files.copy(asDownloaded, standalone, StandardCopyOption.REPLACE_EXISTING);
        Path databases = Files.writeString(WORK.resolve("databases.cli"), """
                # H2 keeps a commit in memory for half a second unless it is told not to. And it answers from its memory
                # of the last query although recovery has committed a branch since.
                embed-server
                /subsystem=transactions:write-attribute(name=node-identifier,value=shop-1)
                /subsystem=datasources/jdbc-driver=troubled:add(driver-name=troubled,driver-module-name=test.h2,\
                driver-class-name=org.h2.Driver,\
                driver-xa-datasource-class-name=io.tallystick.wildfly.h2.TroubledXaDataSource)
                xa-data-source add --name=OrdersDS --jndi-name=java:jboss/datasources/OrdersDS --driver-name=h2 \
                --xa-datasource-properties=[{"URL"=>"jdbc:h2:file:${jboss.server.base.dir}/db/orders;\
                WRITE_DELAY=0;OPTIMIZE_REUSE_RESULTS=0"}] \
                --max-pool-size=40 --user-name=sa --password=sa
                xa-data-source add --name=StockDS --jndi-name=java:jboss/datasources/StockDS --driver-name=troubled \
                --xa-datasource-properties=[{"URL"=>"jdbc:h2:file:${jboss.server.base.dir}/db/stock;\
                WRITE_DELAY=0;OPTIMIZE_REUSE_RESULTS=0"}] \
                --max-pool-size=40 --user-name=sa --password=sa
                batch
                %s
                run-batch
                stop-embedded-server
                """.formatted(NEEDLESS.stream()
                .map(subsystem -> "/subsystem=" + subsystem + ":remove")
                .collect(Collectors.joining("\n"))));
        Server offline = new Server(HOME, WORK.resolve("offline"));
        assertThat(offline.script(databases)).doesNotContain("failed");
        configurationWithoutUs = Files.readString(standalone);
        for (int run = 1; run <= 2; run++) {
            assertThat(offline.script(HOME.resolve("bin/tallystick-install.cli")))
                    .doesNotContain("failed");
        }
        assertThat(Files.readString(standalone))
                .containsOnlyOnce("<extension module=\"io.tallystick.wildfly\"/>")
                .containsOnlyOnce("<subsystem xmlns=\"urn:tallystick:1.0\"/>");
        Path option = Files.writeString(WORK.resolve("options.cli"), """
                embed-server
                /subsystem=tallystick:write-attribute(name=directory,value="${log.directory:tallystick}")
                /subsystem=tallystick:map-put(name=options,key=tallystick.journal.segment-size,value=4MiB)
                stop-embedded-server
                """);
        assertThat(offline.script(option)).doesNotContain("failed");
        configuration = Files.readString(standalone);
    }

    @BeforeEach
    void makeAPlace(TestInfo test) throws IOException {
        place = WORK.resolve(test.getTestMethod().orElseThrow().getName());
        trouble = Files.createDirectories(place.resolve("trouble"));
    }

    @Test
    void aServerThatIsKilledBetweenTheTwoCommitsRecoversThreeTimesAndAfterAReload() throws Exception {
        try (Server server = server("server", configuration).start()) {
            for (int life = 1; life <= 3; life++) {
                killBetweenTheTwoCommits(server);
                server.start();
                waitUntilBothDatabasesAgree(server);
            }
            server.reload();
            assertThat(buy(server)).isEqualTo("200 bought");
            killBetweenTheTwoCommits(server);
            server.start();
            server.reload();
            waitUntilBothDatabasesAgree(server);
            assertThat(buy(server)).isEqualTo("200 bought");
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
        try (Server server = server("server", configuration).start()) {
            Files.createFile(trouble.resolve("heuristic"));
            assertThat(buy(server)).contains("500", "Heuristic");
            assertThat(buy(server)).contains("500", "Heuristic");
            Files.delete(trouble.resolve("heuristic"));

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
            Awaitility.await().atMost(RECOVERY).untilAsserted(() -> assertThat(server.cli(
                            LOG_STORE + ":probe", LOG_STORE + ":read-children-names(child-type=transactions)"))
                    .contains("\"result\" => []"));
            assertThat(server.get("/state")).isEqualTo("200 rows=2 prepared=0 differing=[]");
        }
    }

    @Test
    void aDirectoryThatCannotBeUsedKeepsTransactionsFromStartingAndTheMessageSaysWhatToDo() throws Exception {
        try (Server server = server("server", configuration)) {
            Path blocked = server.base().resolve("data/tallystick");
            Files.createDirectories(blocked.getParent());
            Files.createFile(blocked);
            server.start();

            assertThat(server.log()).contains("WFLYSRV0026", "TALLY0708", blocked.toString(), "and reload");
            assertThat(buy(server)).startsWith("404");
            assertThat(server.cli("/subsystem=tallystick:read-attribute(name=health)"))
                    .contains("NOT_OPEN");

            Files.delete(blocked);
            server.reload();
            assertThat(buy(server)).isEqualTo("200 bought");
        }
    }

    @Test
    void anOldLogOfTheServersOwnStoreIsRefusedAndTheServersOwnStoreStillFinishesIt() throws Exception {
        try (Server server = server("server", configurationWithoutUs).start()) {
            killBetweenTheTwoCommits(server);
            Path old = server.base().resolve("data/tx-object-store");
            assertThat(old).isNotEmptyDirectory();

            server.configure(configuration).start();
            assertThat(server.log())
                    .contains("WFLYSRV0026", "TALLY0708", "TALLY0412", "tallystick migrate", old.toString());
            assertThat(buy(server)).startsWith("404");
            server.stop();

            server.configure(configurationWithoutUs).start();
            waitUntilBothDatabasesAgree(server);
            server.stop();

            server.configure(configuration).start();
            assertThat(buy(server)).isEqualTo("200 bought");
        }
    }

    @Test
    void aSecondServerOnTheDirectoryIsRefusedAndTheFirstOneGoesOn() throws Exception {
        try (Server first = server("first", configuration).start();
                Server second = server("second", configuration)
                        .with("-Dlog.directory=" + first.base().resolve("data/tallystick"))
                        .start()) {
            assertThat(second.log()).contains("WFLYSRV0026", "TALLY0708", "TALLY0015");
            assertThat(second.get("/state")).startsWith("404");
            assertThat(buy(first)).isEqualTo("200 bought");
        }
    }

    @Test
    void settingsThatTheStoreWouldRefuseAreRefusedByTheManagementClientAndTwoStoresByTheStart() throws Exception {
        try (Server server = server("server", configuration).start()) {
            assertThat(server.cli("/subsystem=tallystick:map-put(name=options,key=tallystick.jornal.io,value=auto)"))
                    .contains("failed", "tallystick.journal.io");
            assertThat(server.cli("/subsystem=tallystick:write-attribute(name=node-id,value=\"a b\")"))
                    .contains("failed", "tallystick.node-id");
            assertThat(server.cli("/subsystem=transactions:write-attribute(name=use-journal-store,value=true)"))
                    .contains("success");
            server.reload();
            assertThat(server.log()).contains("TALLY0708", "TALLY0709", "use-journal-store");
        }
    }

    private Server server(String name, String standalone) throws IOException {
        Path base = place.resolve(name);
        Directories.copy(HOME.resolve("standalone/configuration"), base.resolve("configuration"));
        Zip.write(base.resolve("deployments/shop.war"), "WEB-INF/classes/", Zip.classesOf(ShopServlet.class));
        return new Server(HOME, base)
                .configure(standalone)
                .with(
                        "-Dtrouble=" + trouble,
                        "-DRecoveryEnvironmentBean.periodicRecoveryPeriod=2",
                        "-DRecoveryEnvironmentBean.recoveryBackoffPeriod=1");
    }

    private String buy(Server server) throws Exception {
        return server.get("/buy?id=" + ids.incrementAndGet());
    }

    private void killBetweenTheTwoCommits(Server server) throws Exception {
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
            Awaitility.await().atMost(RECOVERY).until(() -> ids.get() > before + 50);
            Files.createFile(trouble.resolve("pause"));
            Awaitility.await().atMost(RECOVERY).until(() -> Files.exists(trouble.resolve("paused")));
            server.kill();
        } finally {
            customers.shutdownNow();
            assertThat(customers.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
        }
        Files.delete(trouble.resolve("pause"));
        Files.delete(trouble.resolve("paused"));
    }

    // Without recovery the orders have rows that the stock has prepared only.
    private static void waitUntilBothDatabasesAgree(Server server) {
        Awaitility.await().atMost(RECOVERY).pollInterval(Duration.ofMillis(500)).untilAsserted(() -> assertThat(
                        server.get("/state"))
                .contains("prepared=0 differing=[]"));
    }

    private static String transaction(String id) {
        return LOG_STORE + "/transactions=" + id.replace(":", "\\:");
    }
}
