package io.tallystick.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.arjuna.ats.jta.recovery.XAResourceOrphanFilter.Vote;
import com.arjuna.ats.jta.xa.XATxConverter;
import io.tallystick.narayana.AuditNode;
import io.tallystick.narayana.NamedResources;
import io.tallystick.narayana.RecoverNode;
import io.tallystick.narayana.SettleBranch;
import io.tallystick.narayana.TallystickObjectStore;
import io.tallystick.narayana.recover.DataSourceRecovery;
import io.tallystick.narayana.recover.OwnLogFilter;
import io.tallystick.storage.ChildJvm;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreOption;
import io.tallystick.store.StoreOption.Takeover;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.transaction.xa.Xid;
import org.assertj.core.api.ThrowingConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node that is killed between the commits of two real databases, and a process that recovers it. */
class RecoverNodeTest extends WithServer {
    private static final int RECOVERED = 0;
    private static final int IN_DOUBT = 4;
    private static final int REFUSED = 4;
    private static final int NODE_IS_BACK = 6;
    private static final int OWNER_LIVES = 7;
    private static final int NOT_CLOSED = 8;
    private static final String ACTIONS = "/StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction";

    private static int number;

    @TempDir
    private Path directory;

    private String node;

    @BeforeAll
    static void makeDatabases() throws SQLException {
        for (String database : new String[] {KilledNode.FIRST, KilledNode.SECOND}) {
            server.sql("CREATE DATABASE " + database);
            try (Connection connection = DriverManager.getConnection(urlOf(database), "postgres", "");
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE entry (number int)");
            }
        }
    }

    @BeforeEach
    void nameNode() {
        number++;
        node = "orders-" + number;
    }

    /** What a test has left prepared on purpose. */
    @AfterEach
    void rollBackPrepared() throws SQLException {
        for (String database : new String[] {KilledNode.FIRST, KilledNode.SECOND}) {
            try (Connection connection = DriverManager.getConnection(urlOf(database), "postgres", "");
                    Statement statement = connection.createStatement()) {
                List<String> left = new ArrayList<>();
                try (ResultSet found = statement.executeQuery(
                        "SELECT quote_literal(gid) FROM pg_prepared_xacts WHERE database = current_database()")) {
                    while (found.next()) {
                        left.add(found.getString(1));
                    }
                }
                for (String branch : left) {
                    statement.execute("ROLLBACK PREPARED " + branch);
                }
            }
        }
    }

    @Test
    void theTransactionsOfADeadNodeAreFinishedInBothDatabases() throws Exception {
        kill("commit", number);
        kill("prepare", 1000 + number);
        assertThat(inDoubt()).isEqualTo("2");
        assertThat(found(number)).isEqualTo("1 0");

        String printed = recover().endsWith(RECOVERED, arguments(KilledNode.FIRST, KilledNode.SECOND));

        assertThat(printed).contains("TALLY0421 status 0: node " + node + " is recovered: drained");
        assertThat(inDoubt()).isEqualTo("0");
        assertThat(found(number)).isEqualTo("1 1");
        assertThat(found(1000 + number)).isEqualTo("0 0");
        assertThat(server.one(
                        "SELECT role || ' ' || clean FROM tallystick.tallystick_log WHERE node_id = '" + node + "'"))
                .isEqualTo("adopter true");
        try (ObjectStore home =
                Stores.open(Stores.settings(server.url(), node).set(StoreOption.TAKEOVER, Takeover.NEVER))) {
            assertThat(home.types()).isEmpty();
        }
    }

    /** The audit beside the log of a dead node, and one branch after the other ended by hand as the log demands. */
    @Test
    void whatADeadNodeHasLeftIsAuditedAndSettledByHand() throws Exception {
        kill("commit", number);
        kill("prepare", 1000 + number);
        String[] both = arguments(KilledNode.FIRST, KilledNode.SECOND);

        String report = program(AuditNode.class).endsWith(IN_DOUBT, both);

        assertThat(report)
                .contains("decided 1: ", "decision=commit state=in-doubt", "forgotten-unknown: ", "orphan 1: ");
        String trail = Files.createDirectory(directory.resolve("trail")).toString();
        String[] knowing =
                Stream.concat(Stream.of(both), Stream.of("--keep-in", trail)).toArray(String[]::new);
        assertThat(program(AuditNode.class).endsWith(IN_DOUBT, knowing))
                .contains("orphan 1: ")
                .doesNotContain("forgotten-unknown");
        assertThat(inDoubt()).isEqualTo("2");
        String decided = xidOf("decision=commit", report);
        String orphan = xidOf("rolled back", report);
        settle(REFUSED, "--rollback", decided);
        settle(REFUSED, "--commit", orphan);
        assertThat(inDoubt()).isEqualTo("2");
        settle(0, "--commit", decided);
        settle(0, "--rollback", orphan);
        assertThat(inDoubt()).isEqualTo("0");
        assertThat(found(number)).isEqualTo("1 1");
        assertThat(found(1000 + number)).isEqualTo("0 0");
        assertThat(Files.readAllLines(directory.resolve("trail/settled.log"))).hasSize(4);
        recover().endsWith(RECOVERED, both);
        assertThat(program(AuditNode.class).endsWith(0, both)).contains("nothing is in doubt");
    }

    private void settle(int status, String outcome, String xid) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(arguments(KilledNode.FIRST, KilledNode.SECOND)));
        arguments.addAll(List.of(outcome, xid, "--yes", "--reason", "a test", "--keep-in"));
        arguments.add(directory.resolve("trail").toString());
        program(SettleBranch.class).endsWith(status, arguments.toArray(String[]::new));
    }

    private static String xidOf(String said, String report) {
        return report.lines()
                .filter(line -> line.contains(said) && line.contains(" xid="))
                .map(line ->
                        line.substring(line.indexOf(" xid=") + " xid=".length()).split(" ")[0])
                .findFirst()
                .orElseThrow();
    }

    @Test
    void theNodeThatComesBackHasItsLogAtOnce() throws Exception {
        comeBack(home -> {});
    }

    @Test
    @Tag("long")
    void theNodeThatComesBackHasItsLogAtOnceAndIsNotAdoptedAgain() throws Exception {
        comeBack(home -> {
            recover().endsWith(OWNER_LIVES, arguments(KilledNode.FIRST));
            assertThat(home.failure()).isEmpty();
        });
        finish();
    }

    /** Kills the node, has it adopted, and opens its log again; then checks more while the log is open. */
    private void comeBack(ThrowingConsumer<ObjectStore> more) throws Exception {
        kill("commit", number);
        try (ChildJvm.Running adopter = recover().start(arguments(KilledNode.FIRST))) {
            awaitAdopter();
            try (ObjectStore home =
                    Stores.open(Stores.settings(server.url(), node).set(StoreOption.TAKEOVER, Takeover.NEVER))) {
                assertThat(adopter.lines())
                        .anyMatch(line -> line.contains("TALLY0421 status " + NODE_IS_BACK + ": node " + node));
                adopter.awaitEnd();
                assertThat(home.keys(ACTIONS)).hasSize(1);
                more.accept(home);
            }
        }
    }

    @Test
    @Tag("long")
    void anAdopterThatSleptThroughTheReturnOfTheNodeEndsAndTouchesNothing() throws Exception {
        kill("commit", number);
        try (ChildJvm.Running adopter = recover().start(arguments(KilledNode.FIRST))) {
            awaitAdopter();
            signal("STOP", adopter.pid());
            try (ObjectStore home = Stores.open(Stores.settings(server.url(), node))) {
                signal("CONT", adopter.pid());
                assertThat(adopter.lines()).anyMatch(line -> line.contains("status " + NODE_IS_BACK));
                adopter.awaitEnd();
                assertThat(home.keys(ACTIONS)).hasSize(1);
            }
        }
        finish();
    }

    @Test
    @Tag("long")
    void aKilledAdopterIsFollowedByAnotherAfterALease() throws Exception {
        kill("commit", number);
        try (ChildJvm.Running adopter = recover().start(arguments(KilledNode.FIRST))) {
            awaitAdopter();
            recover().endsWith(OWNER_LIVES, arguments(KilledNode.FIRST));
            adopter.kill();
        }
        finish();
    }

    /** Status 0 says that the log was closed. */
    @Test
    void anAdopterWhoseClosingHangsDoesNotEndWithSuccess() throws Exception {
        Stores.open(Stores.settings(server.url(), node)).close();
        String[] arguments = arguments(KilledNode.FIRST);
        CompletableFuture<String> adopter = CompletableFuture.supplyAsync(
                () -> recover("tallystick.patience", "6s").endsWith(NOT_CLOSED, arguments));
        try (Connection holder = DriverManager.getConnection(server.url());
                Statement statement = holder.createStatement()) {
            awaitAdopter();
            holder.setAutoCommit(false);
            statement.execute("SELECT 1 FROM tallystick.tallystick_log WHERE node_id = '" + node + "' FOR SHARE");
            assertThat(adopter.get(60, TimeUnit.SECONDS))
                    .contains("TALLY0421 status " + NOT_CLOSED + ": node " + node, "its log could not be closed");
        }
    }

    @Test
    @Tag("long")
    void anAdopterWhoseClosingFailsDoesNotEndWithSuccess() throws Exception {
        Stores.open(Stores.settings(server.url(), node)).close();
        server.sql("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
                + " $$ BEGIN RAISE EXCEPTION 'not now'; END $$");
        server.sql("CREATE TRIGGER refused AFTER UPDATE ON tallystick.tallystick_log FOR EACH ROW"
                + " WHEN (NEW.clean) EXECUTE FUNCTION refuse()");
        try {
            assertThat(recover().endsWith(NOT_CLOSED, arguments(KilledNode.FIRST)))
                    .contains("TALLY0421 status " + NOT_CLOSED + ": node " + node, "was not closed", "not now");
        } finally {
            server.sql("DROP FUNCTION refuse CASCADE");
        }
    }

    @Test
    void noBranchIsJudgedAfterTheNodeHasItsLogAgain() {
        Stores.open(Stores.settings(server.url(), node)).close();
        ObjectStore adopted = Stores.open(Stores.settings(server.url(), node).adopting());
        OwnLogFilter filter = new OwnLogFilter(adopted);
        assertThat(filter.checkXid(new Branch())).isEqualTo(Vote.ABSTAIN);
        try (ObjectStore home = Stores.open(Stores.settings(server.url(), node))) {
            assertThat(filter.checkXid(new Branch())).isEqualTo(Vote.LEAVE_ALONE);
            assertThat(home.failure()).isEmpty();
        }
        Stores.closeFailed(adopted);
    }

    /** The adopter that knows both databases brings the transaction to its end. */
    private void finish() throws Exception {
        recover().endsWith(RECOVERED, arguments(KilledNode.FIRST, KilledNode.SECOND));
        assertThat(found(number)).isEqualTo("1 1");
        assertThat(inDoubt()).isEqualTo("0");
    }

    private void kill(String method, int inserted) {
        Map<String, String> properties = store();
        // A node that was killed before does not wait for its own lease.
        properties.put("tallystick.takeover", "at-once");
        properties.put("CoreEnvironmentBean.nodeIdentifier", node);
        properties.put("JTAEnvironmentBean.xaRecoveryNodes", node);
        properties.put("com.arjuna.ats.arjuna.objectstore.objectStoreType", TallystickObjectStore.class.getName());
        properties.put("JTAEnvironmentBean.xaResourceRecordWrappingPluginClassName", NamedResources.class.getName());
        ChildJvm.of(KilledNode.class)
                .in(directory)
                .withProperties(properties)
                .endsWith(KilledNode.STATUS, String.valueOf(server.port()), method, String.valueOf(inserted));
    }

    private ChildJvm recover(String... more) {
        return program(RecoverNode.class, more);
    }

    private ChildJvm program(Class<?> program, String... more) {
        Map<String, String> properties = store();
        for (int i = 0; i < more.length; i += 2) {
            properties.put(more[i], more[i + 1]);
        }
        properties.put("JTAEnvironmentBean.orphanSafetyInterval", "0");
        properties.put("RecoveryEnvironmentBean.recoveryBackoffPeriod", "1");
        return ChildJvm.of(program).in(directory).withProperties(properties);
    }

    private Map<String, String> store() {
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put("tallystick.store", "postgresql");
        properties.put("tallystick.postgresql.url", server.url());
        properties.put("tallystick.postgresql.create-tables", "true");
        properties.put("tallystick.require-replication", "none");
        properties.put("tallystick.lease", "2s");
        return properties;
    }

    private String[] arguments(String... databases) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("--node", node, "--timeout", "90s"));
        for (String database : databases) {
            Path file = directory.resolve(database + ".properties");
            Files.writeString(
                    file,
                    "class=org.postgresql.xa.PGXADataSource\nname=" + database + "\nurl=" + urlOf(database)
                            + "\nuser=postgres\n");
            arguments.addAll(List.of("--helper", DataSourceRecovery.class.getName() + "=" + file));
        }
        return arguments.toArray(String[]::new);
    }

    private void awaitAdopter() {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> server.one("SELECT count(*) FROM tallystick.tallystick_log WHERE node_id = '" + node
                                + "' AND role = 'adopter' AND NOT clean")
                        .equals("1"));
    }

    private static void signal(String name, long process) throws Exception {
        Process kill = new ProcessBuilder("kill", "-" + name, String.valueOf(process)).start();
        assertThat(kill.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(kill.exitValue()).isZero();
    }

    /** How often the number was inserted into each database. */
    private static String found(int inserted) throws SQLException {
        String query = "SELECT count(*) FROM entry WHERE number = " + inserted;
        return one(KilledNode.FIRST, query) + " " + one(KilledNode.SECOND, query);
    }

    /** Branches of all databases that are prepared. */
    private static String inDoubt() throws SQLException {
        return server.one("SELECT count(*) FROM pg_prepared_xacts");
    }

    private static String one(String database, String query) throws SQLException {
        try (Connection connection = DriverManager.getConnection(urlOf(database), "postgres", "");
                Statement statement = connection.createStatement();
                ResultSet answer = statement.executeQuery(query)) {
            answer.next();
            return answer.getString(1);
        }
    }

    private static String urlOf(String database) {
        return "jdbc:postgresql://127.0.0.1:" + server.port() + "/" + database;
    }

    /** A branch as Narayana makes it. */
    private static final class Branch implements Xid {
        @Override
        public int getFormatId() {
            return XATxConverter.FORMAT_ID;
        }

        @Override
        public byte[] getGlobalTransactionId() {
            return new byte[1];
        }

        @Override
        public byte[] getBranchQualifier() {
            return new byte[1];
        }
    }
}
