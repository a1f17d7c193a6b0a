package io.tallystick.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
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

    @Test
    void narayanaHasTheNodeOfThePoolWithItsFirstTransaction() throws Exception {
        try (ChildJvm.Running first = start()) {
            assertThat(said(first)).isEqualTo("NODE shop1-1 BRANCH shop1-1 RECOVERY [shop1-1]".replace("shop1", pool));
        }
    }

    @Test
    void aCleanEndGivesTheNodeBackAndOneThatLivesKeepsIt() throws Exception {
        try (ChildJvm.Running first = start();
                ChildJvm.Running second = startAfter(first)) {
            assertThat(nodeOf(second)).isEqualTo(pool + "-2");
            end(first);
            try (ChildJvm.Running third = start()) {
                assertThat(nodeOf(third)).isEqualTo(pool + "-1");
                end(third);
            }
            end(second);
        }
    }

    /** Dead in the middle of a commit: the next start has its node, goes before clean ones, and commits the rest. */
    @Test
    void theNextStartRecoversTheLogOfAnOwnerThatWasKilled() throws Exception {
        try (ChildJvm.Running first = start();
                ChildJvm.Running second = startAfter(first)) {
            assertThat(nodeOf(second)).isEqualTo(pool + "-2");
            end(first);
            second.tell("die");
            second.awaitEnd();
            assertThat(prepared()).isEqualTo(1);

            try (ChildJvm.Running next = start()) {
                assertThat(nodeOf(next)).isEqualTo(pool + "-2");
                awaitNothingInDoubt();
                end(next);
            }
        }
        assertThat(lines(KilledNode.FIRST)).isEqualTo(lines(KilledNode.SECOND));
    }

    @Test
    void startsThatWantOneNodeAtOnceGetOneEach() throws Exception {
        List<ChildJvm.Running> all = new ArrayList<>();
        try {
            for (int i = 0; i < 4; i++) {
                all.add(start());
            }
            TreeSet<String> nodes = new TreeSet<>();
            for (ChildJvm.Running each : all) {
                nodes.add(nodeOf(each));
            }
            assertThat(nodes).containsExactly(pool + "-1", pool + "-2", pool + "-3", pool + "-4");
        } finally {
            all.forEach(ChildJvm.Running::close);
        }
    }

    @Test
    void aStartBeyondTheBoundIsRefusedWithTheNodesAndTheirOwners() throws Exception {
        try (ChildJvm.Running first = start("tallystick.node-pool-size", "1")) {
            assertThat(nodeOf(first)).isEqualTo(pool + "-1");

            String printed = node("tallystick.node-pool-size", "1").endsWith(PoolNode.REFUSED, arguments());

            assertThat(printed)
                    .contains(
                            "TALLY0432 every node of the pool " + pool + " is taken, tallystick.node-pool-size=1: "
                                    + pool + "-1 living (pid=" + first.pid() + " host=",
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

    /** A log that cannot be opened keeps nobody from starting, and is named. */
    @Test
    void aLogWithAMarkedLossIsPassedOver() throws Exception {
        try (ChildJvm.Running first = start()) {
            nodeOf(first);
            end(first);
        }
        server.sql("INSERT INTO tallystick.tallystick_loss (node_id, owner, noticed, missing) VALUES ('" + pool
                + "-1', 'a test', now(), 'a batch')");
        try (ChildJvm.Running next = start()) {
            List<String> before = new ArrayList<>();
            assertThat(said(next, before)).startsWith("NODE " + pool + "-2 ");
            assertThat(before)
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
        try (ChildJvm.Running first = start(recovering);
                ChildJvm.Running second = startAfter(first, recovering)) {
            assertThat(nodeOf(second)).isEqualTo(pool + "-2");
            second.tell("die");
            second.awaitEnd();
            assertThat(prepared()).isEqualTo(1);

            awaitNothingInDoubt();

            await().atMost(LONG).until(() -> server.one(
                            "SELECT role || clean FROM tallystick.tallystick_log" + " WHERE node_id = '" + pool + "-2'")
                    .equals("adoptertrue"));
            end(first);
        }
        assertThat(lines(KilledNode.FIRST)).isEqualTo(lines(KilledNode.SECOND));
    }

    /** 3 processes, 10, 1 and 3, under load. Some are killed: nothing stays in doubt, and no living two share a node. */
    @Test
    @Tag("long")
    void scalingUpAndDownWithKillsFinishesEveryBranch() throws Exception {
        Random random = new Random(31);
        Map<ChildJvm.Running, String> living = new LinkedHashMap<>();
        try {
            for (int wanted : new int[] {3, 10, 1, 3}) {
                scale(living, wanted, random);
            }
            awaitNothingInDoubt();
            for (ChildJvm.Running each : living.keySet()) {
                end(each);
            }
            assertThat(prepared()).isZero();
            assertThat(lines(KilledNode.FIRST))
                    .isEqualTo(lines(KilledNode.SECOND))
                    .hasSizeGreaterThan(100);
        } finally {
            living.keySet().forEach(ChildJvm.Running::close);
        }
    }

    private void scale(Map<ChildJvm.Running, String> living, int wanted, Random random) throws Exception {
        List<ChildJvm.Running> starting = new ArrayList<>();
        while (living.size() + starting.size() < wanted) {
            starting.add(start(
                    "tallystick.node-pool-size", "14",
                    "tallystick.node-pool-recover-after", "10s",
                    "tallystick.node-pool-recover-with", recoverWith().toString()));
        }
        for (ChildJvm.Running each : starting) {
            String node = nodeOf(each);
            assertThat(living.values()).doesNotContain(node);
            living.put(each, node);
            each.tell("load");
        }
        while (living.size() > wanted) {
            ChildJvm.Running each = living.keySet().iterator().next();
            living.remove(each);
            switch (random.nextInt(3)) {
                case 0 -> {
                    each.tell("die");
                    each.awaitEnd();
                }
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
        properties.put("JTAEnvironmentBean.orphanSafetyInterval", "2000");
        properties.put("RecoveryEnvironmentBean.recoveryBackoffPeriod", "1");
        properties.put("RecoveryEnvironmentBean.periodicRecoveryPeriod", "2");
        return ChildJvm.of(PoolNode.class).in(directory).withProperties(properties);
    }

    private ChildJvm.Running start(String... more) throws IOException {
        return node(more).start(arguments());
    }

    /** The second of two, so that their nodes are known. */
    private ChildJvm.Running startAfter(ChildJvm.Running first, String... more) throws IOException {
        assertThat(nodeOf(first)).isEqualTo(pool + "-1");
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

    private String nodeOf(ChildJvm.Running process) throws IOException {
        return said(process).split(" ")[1];
    }

    private static String said(ChildJvm.Running process) throws IOException {
        return said(process, new ArrayList<>());
    }

    private static String said(ChildJvm.Running process, List<String> before) throws IOException {
        for (String line = process.line(); line != null; line = process.line()) {
            if (line.startsWith("NODE ")) {
                return line;
            }
            before.add(line);
        }
        throw new AssertionError("it has ended: " + String.join("\n", before));
    }

    private static void end(ChildJvm.Running process) throws Exception {
        process.tell("end");
        assertThat(process.lines()).contains("ENDED");
        process.awaitEnd();
    }

    private static void awaitNothingInDoubt() {
        await().atMost(LONG).untilAsserted(() -> assertThat(old()).isEmpty());
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
