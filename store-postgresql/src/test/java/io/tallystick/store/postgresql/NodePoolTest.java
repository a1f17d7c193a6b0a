package io.tallystick.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tallystick.narayana.NamedResources;
import io.tallystick.narayana.RecoverNode;
import io.tallystick.narayana.recover.DataSourceRecovery;
import io.tallystick.storage.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes without names of their own, which commit over two databases. */
@Timeout(300)
class NodePoolTest extends WithServer {
    private static final Duration LONG = Duration.ofSeconds(90);
    private static int number;

    @TempDir
    private Path directory;

    private String pool;

    @BeforeAll
    static void makeDatabases() throws Exception {
        server.sql("ALTER SYSTEM SET max_connections = 200");
        server.sql("ALTER SYSTEM SET max_prepared_transactions = 64");
        server.stop("fast");
        server.run();
        for (String database : new String[] {KilledNode.FIRST, KilledNode.SECOND}) {
            server.sql("CREATE DATABASE " + database);
            in(database, "CREATE TABLE line (name text)");
        }
    }

    @BeforeEach
    void namePool() {
        number++;
        pool = "shop" + number;
    }

    /** What a test has left would be another's. */
    @AfterEach
    void rollBackPrepared() throws SQLException {
        for (String database : new String[] {KilledNode.FIRST, KilledNode.SECOND}) {
            in(database, "DELETE FROM line");
            for (String branch : server.one("SELECT coalesce(string_agg(quote_literal(gid), ';'), '')"
                            + " FROM pg_prepared_xacts WHERE database = '" + database + "'")
                    .split(";")) {
                if (!branch.isEmpty()) {
                    in(database, "ROLLBACK PREPARED " + branch);
                }
            }
        }
    }

    @Test
    void narayanaHasTheNodeOfThePoolWithItsFirstTransaction() throws Exception {
        try (Node first = start()) {
            assertThat(first.said()).isEqualTo("NODE shop1-1 BRANCH shop1-1 RECOVERY [shop1-1]".replace("shop1", pool));
        }
    }

    @Test
    void aCleanEndGivesTheNodeBackAndOneThatLivesKeepsIt() throws Exception {
        try (Node first = start();
                Node second = startAfter(first)) {
            assertThat(second.name()).isEqualTo(pool + "-2");
            end(first);
            try (Node third = start()) {
                assertThat(third.name()).isEqualTo(pool + "-1");
                end(third);
            }
            end(second);
        }
    }

    /** Dead in the middle of a commit: the next start has its node, goes before clean ones, and commits the rest. */
    @Test
    void theNextStartRecoversTheLogOfAnOwnerThatWasKilled() throws Exception {
        try (Node first = start();
                Node second = startAfter(first)) {
            assertThat(second.name()).isEqualTo(pool + "-2");
            end(first);
            second.die();
            assertThat(prepared()).isEqualTo(1);

            try (Node next = start()) {
                assertThat(next.name()).isEqualTo(pool + "-2");
                awaitNothingInDoubt(next);
                end(next);
            }
        }
        assertThat(lines(KilledNode.FIRST)).isEqualTo(lines(KilledNode.SECOND));
    }

    @Test
    void startsThatWantOneNodeAtOnceGetOneEach() throws Exception {
        List<Node> all = new ArrayList<>();
        try {
            for (int i = 0; i < 4; i++) {
                all.add(start());
            }
            TreeSet<String> nodes = new TreeSet<>();
            for (Node each : all) {
                nodes.add(each.name());
            }
            assertThat(nodes).containsExactly(pool + "-1", pool + "-2", pool + "-3", pool + "-4");
        } finally {
            all.forEach(Node::close);
        }
    }

    @Test
    void aStartBeyondTheBoundIsRefusedWithTheNodesAndTheirOwners() throws Exception {
        try (Node first = start("tallystick.node-pool-size", "1")) {
            assertThat(first.name()).isEqualTo(pool + "-1");

            String printed = node("tallystick.node-pool-size", "1").endsWith(PoolNode.REFUSED, arguments());

            assertThat(printed)
                    .contains(
                            "TALLY0432 every node of the pool " + pool + " is taken, tallystick.node-pool-size=1: "
                                    + pool + "-1 living (pid=" + first.process.pid() + " host=",
                            "raise tallystick.node-pool-size");
        }
    }

    @Test
    void aPoolWithALogThatItHasNotMadeIsRefused() throws Exception {
        Stores.open(Stores.settings(server.url(), pool + "-2")).close();

        String printed = node().endsWith(PoolNode.REFUSED, arguments());

        assertThat(printed).contains("TALLY0437 the log of " + pool + "-2 was not made by the pool " + pool);
        assertThat(server.one("SELECT count(*) FROM tallystick.tallystick_log WHERE node_id LIKE '" + pool + "-%'"))
                .isEqualTo("1");
    }

    /** Its branches would have another node than its log. */
    @Test
    void aProcessThatHasBegunATransactionTakesNoNode() throws Exception {
        String printed = node("begin-first", "true").endsWith(PoolNode.REFUSED, arguments());

        assertThat(printed).contains("TALLY0413 ");
        assertThat(server.one("SELECT count(*) FROM pg_tables WHERE tablename = 'tallystick_log'"))
                .satisfiesAnyOf(none -> assertThat(none).isEqualTo("0"), some -> assertThat(server.one(
                                "SELECT count(*) FROM tallystick.tallystick_log WHERE node_id LIKE '" + pool + "-%'"))
                        .isEqualTo("0"));
    }

    /** A log that cannot be opened keeps nobody from starting, and is named. */
    @Test
    void aLogWithAMarkedLossIsPassedOver() throws Exception {
        try (Node first = start()) {
            first.name();
            end(first);
        }
        server.sql("INSERT INTO tallystick.tallystick_loss (node_id, owner, noticed, missing) VALUES ('" + pool
                + "-1', 'a test', now(), 'a batch')");
        try (Node next = start()) {
            assertThat(next.said()).startsWith("NODE " + pool + "-2 ");
            assertThat(next.lines)
                    .anyMatch(line ->
                            line.contains("TALLY0433 the log of " + pool + "-1 clean") && line.contains("TALLY0021"));
        }
    }

    @Test
    @Tag("long")
    void aProcessThatLivesRecoversTheLogOfOneThatIsGone() throws Exception {
        String[] recovering = {
            "tallystick.node-pool-recover-after",
            "10s",
            "tallystick.node-pool-recover-with",
            recoverWith().toString()
        };
        try (Node first = start(recovering);
                Node second = startAfter(first, recovering)) {
            assertThat(second.name()).isEqualTo(pool + "-2");
            second.die();
            assertThat(prepared()).isEqualTo(1);

            awaitNothingInDoubt(first);

            await().atMost(LONG).untilAsserted(() -> assertThat(server.one("SELECT role || ' ' || clean"
                            + " FROM tallystick.tallystick_log WHERE node_id = '" + pool + "-2'"))
                    .as(() -> String.join("\n", first.lines))
                    .isEqualTo("adopter true"));
            await().atMost(LONG).untilAsserted(() -> assertThat(server.one("SELECT finished_epoch = epoch FROM"
                            + " tallystick.tallystick_pool JOIN tallystick.tallystick_log USING (node_id)"
                            + " WHERE node_id = '" + pool + "-2'"))
                    .as(() -> "nobody recovers it again\n" + String.join("\n", first.lines))
                    .isEqualTo("t"));
            end(first);
        }
        assertThat(lines(KilledNode.FIRST)).isEqualTo(lines(KilledNode.SECOND));
    }

    /** 3 processes, 10, 1 and 3, under load, with kills: nothing stays in doubt, and no living two share a node. */
    @Test
    @Tag("long")
    void scalingUpAndDownWithKillsFinishesEveryBranch() throws Exception {
        Random random = new Random(31);
        Map<Node, String> living = new LinkedHashMap<>();
        try {
            for (int wanted : new int[] {3, 10, 1, 3}) {
                scale(living, wanted, random);
            }
            awaitNothingInDoubt(living.keySet());
            for (Node each : living.keySet()) {
                end(each);
            }
            assertThat(prepared()).isZero();
            assertThat(lines(KilledNode.FIRST))
                    .isEqualTo(lines(KilledNode.SECOND))
                    .hasSizeGreaterThan(100);
        } finally {
            living.keySet().forEach(Node::close);
        }
    }

    private void scale(Map<Node, String> living, int wanted, Random random) throws Exception {
        List<Node> starting = new ArrayList<>();
        while (living.size() + starting.size() < wanted) {
            starting.add(start(
                    "tallystick.node-pool-size", "14",
                    "tallystick.node-pool-recover-after", "10s",
                    "tallystick.node-pool-recover-with", recoverWith().toString()));
        }
        for (Node each : starting) {
            String node = each.name();
            assertThat(living.values()).doesNotContain(node);
            living.put(each, node);
            each.process.tell("load");
        }
        while (living.size() > wanted) {
            Node each = living.keySet().iterator().next();
            living.remove(each);
            switch (random.nextInt(3)) {
                case 0 -> each.die();
                case 1 -> each.kill();
                default -> end(each);
            }
            each.close();
        }
    }

    private ChildJvm node(String... more) {
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put("tallystick.store", "postgresql");
        properties.put("tallystick.postgresql.url", server.url());
        properties.put("tallystick.postgresql.create-tables", "true");
        properties.put("tallystick.postgresql.lanes", "1");
        properties.put("tallystick.require-replication", "none");
        properties.put("tallystick.lease", "2s");
        properties.put("tallystick.node-pool", pool);
        for (int i = 0; i < more.length; i += 2) {
            properties.put(more[i], more[i + 1]);
        }
        properties.put("JTAEnvironmentBean.xaResourceRecordWrappingPluginClassName", NamedResources.class.getName());
        properties.put("JTAEnvironmentBean.orphanSafetyInterval", "2000");
        properties.put("RecoveryEnvironmentBean.recoveryBackoffPeriod", "1");
        properties.put("RecoveryEnvironmentBean.periodicRecoveryPeriod", "2");
        return ChildJvm.of(PoolNode.class).in(directory).withProperties(properties);
    }

    private Node start(String... more) throws IOException {
        return new Node(node(more).start(arguments()));
    }

    /** The second of two, so that their nodes are known. */
    private Node startAfter(Node first, String... more) throws Exception {
        assertThat(first.name()).isEqualTo(pool + "-1");
        return start(more);
    }

    private String[] arguments() throws IOException {
        List<String> arguments = new ArrayList<>(List.of(String.valueOf(server.port())));
        for (String database : new String[] {KilledNode.FIRST, KilledNode.SECOND}) {
            arguments.add(helper(database).toString());
        }
        return arguments.toArray(String[]::new);
    }

    private Path helper(String database) throws IOException {
        return Files.writeString(
                directory.resolve(database + ".properties"),
                "class=org.postgresql.xa.PGXADataSource\nname=" + database + "\nurl=" + urlOf(database)
                        + "\nuser=postgres\n");
    }

    private Path recoverWith() throws IOException {
        StringBuilder arguments = new StringBuilder("-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx256m\n"
                + "-DJTAEnvironmentBean.orphanSafetyInterval=0 -DRecoveryEnvironmentBean.recoveryBackoffPeriod=1\n"
                + "-cp \"" + System.getProperty("java.class.path") + "\"\n" + RecoverNode.class.getName() + "\n");
        for (String database : new String[] {KilledNode.FIRST, KilledNode.SECOND}) {
            arguments
                    .append("--helper ")
                    .append(DataSourceRecovery.class.getName())
                    .append('=')
                    .append(helper(database))
                    .append('\n');
        }
        return Files.writeString(directory.resolve("recover"), arguments);
    }

    private static void end(Node node) throws Exception {
        node.process.tell("end");
        assertThat(node.lines()).contains("ENDED");
        node.process.awaitEnd();
    }

    /** A process of the pool. Its lines are read all the time: it would wait for a reader otherwise. */
    private static final class Node implements AutoCloseable {
        private final ChildJvm.Running process;
        private final List<String> lines = new CopyOnWriteArrayList<>();
        private final CompletableFuture<String> said = new CompletableFuture<>();
        private final CompletableFuture<List<String>> ended;

        Node(ChildJvm.Running process) {
            this.process = process;
            this.ended = CompletableFuture.supplyAsync(this::read, Stores.OWN_THREAD);
        }

        private List<String> read() {
            try {
                for (String line = process.line(); line != null; line = process.line()) {
                    lines.add(line);
                    if (line.startsWith("NODE ")) {
                        said.complete(line);
                    }
                }
            } catch (IOException closed) {
                lines.add(closed.toString());
            }
            said.completeExceptionally(new AssertionError("it has ended: " + String.join("\n", lines)));
            return lines;
        }

        String said() throws Exception {
            return said.get(LONG.toSeconds(), TimeUnit.SECONDS);
        }

        String name() throws Exception {
            return said().split(" ")[1];
        }

        /** All that it has said, at its end. */
        List<String> lines() throws Exception {
            return ended.get(LONG.toSeconds(), TimeUnit.SECONDS);
        }

        void die() throws Exception {
            process.tell("die");
            process.awaitEnd();
        }

        void kill() {
            ProcessHandle.of(process.pid()).ifPresent(ProcessHandle::destroyForcibly);
        }

        @Override
        public void close() {
            process.close();
        }
    }

    private static void awaitNothingInDoubt(Node... living) {
        awaitNothingInDoubt(List.of(living));
    }

    private static void awaitNothingInDoubt(Collection<Node> living) {
        await().atMost(LONG)
                .during(Duration.ofSeconds(2)) // one that was prepared just now is not told
                .untilAsserted(() -> assertThat(old())
                        .as(() -> living.stream()
                                .map(node -> String.join("\n", node.lines))
                                .collect(Collectors.joining("\n\n")))
                        .isEmpty());
    }

    /** Branches that are prepared for longer than one that is committed by a process that lives. */
    private static String old() throws SQLException {
        return server.one("SELECT coalesce(string_agg(gid || ' ' || prepared, ', '), '') FROM pg_prepared_xacts"
                + " WHERE prepared < now() - interval '1 second'");
    }

    private static int prepared() throws SQLException {
        return Integer.parseInt(server.one("SELECT count(*) FROM pg_prepared_xacts"));
    }

    private static TreeSet<String> lines(String database) throws SQLException {
        TreeSet<String> lines = new TreeSet<>();
        try (Connection connection = DriverManager.getConnection(urlOf(database), "postgres", "");
                Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery("SELECT name FROM line")) {
            while (found.next()) {
                lines.add(found.getString(1));
            }
        }
        return lines;
    }

    private static void in(String database, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(urlOf(database), "postgres", "");
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String urlOf(String database) {
        return "jdbc:postgresql://127.0.0.1:" + server.port() + "/" + database;
    }
}
