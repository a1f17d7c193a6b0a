package io.tallystick.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.arjuna.ats.arjuna.objectstore.StoreManager;
import com.eclipsesource.json.JsonObject;
import com.eclipsesource.json.JsonValue;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreLockedException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.postgresql.PostgresServer;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.narayana.RecordsOfTransactions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands on a log in a database, on a real server. */
@Timeout(120)
class PostgresqlCommandsTest {
    private static PostgresServer server;

    @TempDir
    private Path directory;

    @BeforeAll
    static void startServer() throws IOException {
        PostgresServer.obstacle().ifPresent(why -> Assumptions.abort("skipped: " + why));
        server = PostgresServer.start();
    }

    @AfterAll
    static void stopServer() {
        if (server != null) {
            server.close();
        }
    }

    @Test
    void aLogIsListedShownAndCounted() {
        filled("seen");

        assertThat(on("seen", "list").endsWith(ExitStatus.OK).lines())
                .hasSize(TestStores.keys().size());
        assertThat(on("seen", "show", TestStores.BOTH_HIDDEN)
                        .endsWith(ExitStatus.OK)
                        .out())
                .contains("SHADOW_HIDDEN", "place      tallystick_batch/", "|committed|", "|next|");
        assertThat(on("seen", "stat").endsWith(ExitStatus.OK).out())
                .contains("postgresql (postgresql-v1)", "schema=tallystick node=seen", "in use       no", "rows  ");
        JsonObject counted =
                on("seen", "stat", "--json").endsWith(ExitStatus.OK).json();
        assertThat(counted.getInt("records", 0)).isEqualTo(TestStores.keys().size());
        assertThat(counted.getString("node", "")).isEqualTo("seen");
        on("seen", "show", "/Shop/Order:ff").endsWith(ExitStatus.NEGATIVE);
    }

    @Test
    void aLossThatIsMarkedIsToldOfAndAccepted() throws SQLException {
        filled("lost");
        server.sql("INSERT INTO tallystick.tallystick_loss (node_id, owner, noticed, missing)"
                + " VALUES ('lost', 'pid=1', now(), 'batch 7 is gone')");

        assertThat(on("lost", "list").endsWith(ExitStatus.OK).err())
                .contains("lacks what was acknowledged", "batch 7 is gone");
        assertThat(on("lost", "verify").endsWith(ExitStatus.NEGATIVE).out()).contains("loss missing=batch 7 is gone");
        assertThat(on("lost", "doctor", single()).endsWith(ExitStatus.NEGATIVE).out())
                .contains("batch 7 is gone");
        ToolRun.of("migrate", "--url", server.url(), "--node", "lost", directory.resolve("new"))
                .endsWith(ExitStatus.REFUSED);
        assertThat(on("lost", "accept-loss").endsWith(ExitStatus.REFUSED).out()).contains("missing=batch 7 is gone");

        on("lost", "accept-loss", "--reason", "the backup is all there is").endsWith(ExitStatus.OK);

        on("lost", "verify").endsWith(ExitStatus.OK);
        on("lost", "accept-loss", "--reason", "again").endsWith(ExitStatus.NEGATIVE);
    }

    @Test
    void aHeuristicIsForgottenAndBroughtBack() throws Exception {
        ObjectStore store = open("forgetful");
        RecordsOfTransactions.use(store);
        try {
            RecordsOfTransactions.heuristic();
        } finally {
            StoreManager.shutdown();
        }
        List<String> lines = on("forgetful", "list", "--participants")
                .endsWith(ExitStatus.OK)
                .lines();
        assertThat(lines).anyMatch(line -> line.contains("heuristic-rollback java:/scripted"));
        String uid = lines.stream()
                .filter(line -> line.startsWith("  uid="))
                .map(line -> line.strip().split("[= ]")[1])
                .findFirst()
                .orElseThrow();
        on("forgetful", "forget", uid, "--yes", "--reason", "x").endsWith(ExitStatus.USAGE);

        assertThat(forget("forgetful", uid, single()).endsWith(ExitStatus.USAGE).err())
                .contains("is no directory that is there");
        Files.createDirectory(directory.resolve("kept"));
        forget("forgetful", uid, single()).endsWith(ExitStatus.OK);

        assertThat(on("forgetful", "list").out()).doesNotContain(" heuristic ");
        try (Stream<Path> kept = Files.list(directory.resolve("kept"))) {
            Path file = kept.filter(path -> path.toString().endsWith(".jsonl"))
                    .findFirst()
                    .orElseThrow();
            on("forgetful", "import", single(), file).endsWith(ExitStatus.OK);
        }
        assertThat(on("forgetful", "list").out()).contains(" heuristic ");
    }

    /** Otherwise the trail says of a record that it was forgotten which may be in the log. */
    @Test
    void theTrailSaysThatARemovalHasFailed() throws Exception {
        try (ObjectStore store = open("unremoved")) {
            RecordsOfTransactions.use(store);
            try {
                RecordsOfTransactions.heuristic();
            } finally {
                StoreManager.shutdown();
            }
        }
        String uid = heuristicOf("unremoved");
        Path kept = Files.createDirectory(directory.resolve("kept"));
        server.sql("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
                + " $$BEGIN RAISE EXCEPTION 'no batch any more'; END$$");
        server.sql("CREATE TRIGGER refusing AFTER INSERT ON tallystick.tallystick_batch"
                + " FOR EACH ROW EXECUTE FUNCTION refuse()");
        try {
            assertThat(forget("unremoved", uid, single(), "-Dtallystick.patience=2s")
                            .endsWith(ExitStatus.FAILED)
                            .err())
                    .contains("no batch any more");
        } finally {
            server.sql("DROP FUNCTION refuse() CASCADE");
        }

        assertThat(Files.readAllLines(kept.resolve("settled.log")))
                .hasSize(2)
                .allMatch(line -> line.contains(" action=forget uid=" + uid))
                .last()
                .asString()
                .contains(".jsonl outcome=unknown reason=x");
        assertThat(on("unremoved", "list").out()).contains(" heuristic ");
    }

    private static String heuristicOf(String node) {
        return on(node, "list", "--participants").lines().stream()
                .filter(line -> line.startsWith("  uid="))
                .map(line -> line.strip().split("[= ]")[1])
                .findFirst()
                .orElseThrow();
    }

    private ToolRun forget(String node, String uid, Object... more) {
        List<Object> words = new ArrayList<>(List.of(
                "forget", uid, "--keep-in", directory.resolve("kept"), "--branches-ended", "--yes", "--reason", "x"));
        words.addAll(1, Arrays.asList(more));
        return on(node, words.toArray());
    }

    /** It may be about to end a branch as the record demands. */
    @Test
    void aForgetDoesNotEvictAnAdopterOrALivingNode() throws Exception {
        Files.createDirectory(directory.resolve("kept"));
        try (ObjectStore store = open("adopted")) {
            RecordsOfTransactions.use(store);
            try {
                RecordsOfTransactions.heuristic();
            } finally {
                StoreManager.shutdown();
            }
        }
        String uid = heuristicOf("adopted");
        try (ObjectStore adopter =
                ObjectStores.open(settings("adopted").adopting().build())) {
            forget("adopted", uid, single(), "-Dtallystick.lease=2s").endsWith(ExitStatus.IN_USE);
            adopter.write(TestStores.PLAIN, TestStores.bytes("after"), Durability.FORCED);
        }
        try (ObjectStore node = open("adopted")) {
            forget("adopted", uid, single(), "-Dtallystick.lease=2s", "-Dtallystick.takeover=at-once")
                    .endsWith(ExitStatus.IN_USE);
            node.write(TestStores.PLAIN, TestStores.bytes("after"), Durability.FORCED);
        }
        assertThat(on("adopted", "list").out()).contains(" heuristic ");
    }

    @Test
    void aHealthyLogIsVerified() {
        filled("healthy");

        ToolRun run = on("healthy", "verify").endsWith(ExitStatus.OK);

        assertThat(run.out()).contains("kind=postgresql-v1", " records=7 rows=", "healthy");
        assertThat(run.out()).doesNotContain("in-use-by");
    }

    @Test
    void readingDoesNotDisturbALivingOwnerAndNamesIt() throws SQLException {
        String before;
        try (ObjectStore owner = open("busy")) {
            TestStores.fill(owner);
            before = row("busy");
            for (String command : List.of("list", "stat", "verify", "export")) {
                ToolRun run = on("busy", command).endsWith(ExitStatus.OK);
                assertThat(run.err())
                        .contains(
                                "has an owner", "pid=" + ProcessHandle.current().pid());
            }
            assertThat(on("busy", "verify").out()).contains("in-use-by=pid=", "last-beat=");
            on("busy", "backup", directory.resolve("backup")).endsWith(ExitStatus.OK);
            assertThat(row("busy")).isEqualTo(before);
            owner.write(TestStores.PLAIN, TestStores.bytes("after"), Durability.FORCED);
            assertThat(on("busy", "show", TestStores.PLAIN).out()).contains("|after|");
        }
    }

    @Test
    void anImportIsRefusedByALivingOwner() {
        Path export = exported();
        filled("owned");
        try (ObjectStore owner = open("owned")) {
            ToolRun run = on("owned", "import", "-Dtallystick.lease=2s", single(), export)
                    .endsWith(ExitStatus.IN_USE);

            assertThat(run.err()).contains("has an owner that lives", "node=owned");
            owner.write(TestStores.PLAIN, TestStores.bytes("after"), Durability.FORCED);
        }
    }

    /** It may be about to end a branch as a record demands. */
    @Test
    void anImportIsRefusedByALivingAdopter() {
        Path export = exported();
        open("in-adoption").close();
        try (ObjectStore adopter =
                ObjectStores.open(settings("in-adoption").adopting().build())) {
            for (String takeover : List.of("after-lease", "at-once")) {
                assertThat(on(
                                        "in-adoption",
                                        "import",
                                        "-Dtallystick.lease=2s",
                                        "-Dtallystick.takeover=" + takeover,
                                        single(),
                                        export)
                                .endsWith(ExitStatus.IN_USE)
                                .err())
                        .contains("has an owner that lives", "role=adopter");
            }
            adopter.write(TestStores.PLAIN, TestStores.bytes("after"), Durability.FORCED);
            assertThat(adopter.failure()).isEmpty();
        }
        assertThat(on("in-adoption", "import", single(), "--replace", export)
                        .endsWith(ExitStatus.OK)
                        .out())
                .contains("added 6, replaced 1");
    }

    /** With a part of the records, recovery would take the branches of the others for orphans. */
    @Test
    void aNodeThatStartsWhileAnImportRunsDoesNotTakeItsLog() throws Exception {
        Path export = exported();
        open("importing").close();
        CompletableFuture<ToolRun> importing;
        try (Connection between = DriverManager.getConnection(server.url());
                Statement statement = between.createStatement()) {
            between.setAutoCommit(false);
            statement.execute("LOCK TABLE tallystick.tallystick_batch IN SHARE MODE");
            importing = CompletableFuture.supplyAsync(
                    () -> on("importing", "import", "-Dtallystick.lease=2s", single(), export));
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> server.one("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
                            .equals("1"));

            assertThatThrownBy(() -> open("importing"))
                    .isInstanceOf(StoreLockedException.class)
                    .hasMessageContaining("has an owner that lives")
                    .hasMessageContaining("role=home");
        }
        assertThat(importing.get(60, TimeUnit.SECONDS).endsWith(ExitStatus.OK).out())
                .contains("added 7");
        try (ObjectStore node = open("importing")) {
            assertThat(node.read(TestStores.PLAIN)).contains(TestStores.bytes("plain"));
        }
    }

    @Test
    void anExportGoesIntoANewLogAndIntoOneThatIsThere() {
        Path export = exported();

        on("imported", "import", single(), export).endsWith(ExitStatus.NO_STORE);
        on("imported", "import", "--create", "file", single(), export).endsWith(ExitStatus.USAGE);
        assertThat(on("imported", "import", "--create", "postgresql", single(), export)
                        .endsWith(ExitStatus.OK)
                        .out())
                .contains("added 7, replaced 0, unchanged 0");
        assertThat(on("imported", "import", single(), export)
                        .endsWith(ExitStatus.OK)
                        .out())
                .contains("added 0, replaced 0, unchanged 7");
        Path again = directory.resolve("again.jsonl");
        on("imported", "export", "--to", again).endsWith(ExitStatus.OK);
        assertThat(states(again)).isEqualTo(states(export));
    }

    @Test
    void aBackupIsAJournalThatOpens() {
        filled("kept");
        Path backup = directory.resolve("backup");

        assertThat(on("kept", "backup", backup).endsWith(ExitStatus.OK).out()).contains("records=7");
        ToolRun.of("restore", backup, directory.resolve("restored")).endsWith(ExitStatus.OK);
        assertThat(ToolRun.of("list", directory.resolve("restored")).out())
                .isEqualTo(on("kept", "list").out());
    }

    @Test
    void aJournalMigratesIntoADatabaseAndBack() throws SQLException {
        assertMigratesThereAndBack(TestStores.Kind.SEGMENTED);
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(names = {"FILE", "ARTEMIS"})
    void everyStoreMigratesIntoADatabaseAndBack(TestStores.Kind kind) throws SQLException {
        assertMigratesThereAndBack(kind);
    }

    private void assertMigratesThereAndBack(TestStores.Kind kind) throws SQLException {
        Path source = TestStores.filled(kind, directory.resolve("source"));
        String node = "moved-" + kind.name().toLowerCase(java.util.Locale.ROOT);

        assertThat(into(node, source, "--dry-run").endsWith(ExitStatus.OK).out())
                .contains("7 states", "dry run");
        open("tables").close(); // makes them, where no other test has done so
        on(node, "list").endsWith(ExitStatus.NO_STORE);
        JsonObject moved = into(node, source, "--json").endsWith(ExitStatus.OK).json();
        assertThat(moved.getString("outcome", "")).isEqualTo("migrated");
        assertThat(into(node, source).endsWith(ExitStatus.OK).out()).contains("already there");
        assertThat(server.one("SELECT count(*) FROM tallystick.tallystick_log WHERE node_id LIKE 'unfinished%'"))
                .isEqualTo("0");

        Path back = directory.resolve("back");
        JsonObject returned = ToolRun.of(
                        "migrate",
                        "--url",
                        server.url(),
                        "--node",
                        node,
                        "--to",
                        kind.name().toLowerCase(java.util.Locale.ROOT),
                        "-Dtallystick.journal.segment-size=1MiB",
                        "--json",
                        back)
                .endsWith(ExitStatus.OK)
                .json();
        assertThat(returned.getString("crc32c", "")).isEqualTo(moved.getString("crc32c", "-"));
        try (ObjectStore store = open(node)) {
            assertThat(store.read(TestStores.PLAIN)).contains(TestStores.bytes("plain"));
        }
    }

    /** Another log may be made in its place, and other hosts may be named in the URL. */
    @Test
    void theMarkOfAMigrationNamesTheLogByItsId() throws Exception {
        Path root = directory.resolve("old/ShadowNoFileLockStore/defaultStore");
        Path action = root.resolve(
                "StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction/0_ffff7f000001_8c2b_6560f5a3_1");
        Files.createDirectories(action.getParent());
        Files.write(action, new byte[1]);

        into("marked", directory.resolve("old")).endsWith(ExitStatus.OK);

        assertThat(root.resolve("tallystick.migrated"))
                .content()
                .contains("\nstore="
                        + server.one("SELECT store_id FROM tallystick.tallystick_log WHERE node_id = 'marked'") + "\n");
    }

    /** A start that was refused beside an old log (TALLY0412) leaves one. */
    @Test
    void aLogThatNothingWasEverWrittenToIsMigratedOver() throws SQLException {
        Path source = TestStores.filled(TestStores.Kind.FILE, directory.resolve("source"));
        open("refused").close();
        String before = row("refused");
        assertThat(into("refused", source, "--dry-run").endsWith(ExitStatus.OK).out())
                .contains("7 states", "dry run");
        assertThat(row("refused")).isEqualTo(before);

        assertThat(into("refused", source, "--json")
                        .endsWith(ExitStatus.OK)
                        .json()
                        .getString("outcome", ""))
                .isEqualTo("migrated");
        String migrated = row("refused");
        assertThat(into("refused", source).endsWith(ExitStatus.OK).out()).contains("already there");
        assertThat(row("refused")).isEqualTo(migrated);
        assertThat(on("refused", "list").lines()).hasSize(TestStores.keys().size());
    }

    @Test
    void anEmptyLogThatIsNotClosedIsNotMigratedOver() throws SQLException {
        Path source = TestStores.filled(TestStores.Kind.FILE, directory.resolve("source"));
        try (ObjectStore owner = open("living")) {
            String before = row("living");
            assertThat(into("living", source).endsWith(ExitStatus.IN_USE).err())
                    .contains("node=living is in use by pid=");
            assertThat(row("living")).isEqualTo(before);
            owner.force();
        }
        // As a process leaves it that was killed.
        server.sql("UPDATE tallystick.tallystick_log SET clean = false WHERE node_id = 'living'");
        String before = row("living");
        assertThat(into("living", source).endsWith(ExitStatus.REFUSED).err())
                .contains("node=living", "only when the node has closed it");
        assertThat(row("living")).isEqualTo(before);
    }

    @Test
    void anEmptySourceLeavesAnEmptyLogAsItIs() throws SQLException {
        Path source = directory.resolve("source");
        ObjectStores.open(StoreConfiguration.builder()
                        .store("file")
                        .directory(source)
                        .build())
                .close();
        open("both-empty").close();
        String before = row("both-empty");

        assertThat(into("both-empty", source).endsWith(ExitStatus.OK).out()).contains("already there");
        assertThat(into("both-empty", source, "--dry-run")
                        .endsWith(ExitStatus.OK)
                        .out())
                .contains("already there");
        assertThat(row("both-empty")).isEqualTo(before);
    }

    @Test
    void aLogWithOtherDataIsNotMigratedInto() throws SQLException {
        Path source = TestStores.filled(TestStores.Kind.FILE, directory.resolve("source"));
        try (ObjectStore store = open("full")) {
            store.write(TestStores.PLAIN, TestStores.bytes("other"), Durability.FORCED);
        }
        String before = row("full");

        assertThat(into("full", source).endsWith(ExitStatus.REFUSED).err()).contains("other data", "node=full");
        assertThat(row("full")).isEqualTo(before);
    }

    @Test
    void aMigrationThatWasCutOffLeavesNoLogAndIsRunAgain() {
        Path source = TestStores.filled(TestStores.Kind.FILE, directory.resolve("source"));
        try (ObjectStore left = ObjectStores.open(settings("x")
                .set(StoreOption.NODE_ID, "unfinished-migration:cut")
                .build())) {
            left.write(StateKey.of("/Left", ObjectId.parse("01")), new byte[] {1}, Durability.FORCED);
        } catch (IllegalArgumentException tooLong) {
            throw new AssertionError("choose a shorter node", tooLong);
        }
        on("cut", "list").endsWith(ExitStatus.NO_STORE);

        assertThat(into("cut", source, "--json").endsWith(ExitStatus.OK).json().getBoolean("cutOffBefore", false))
                .isTrue();
        assertThat(on("cut", "list").lines()).hasSize(TestStores.keys().size());
    }

    @Test
    void aLogInUseIsNotMigratedFrom() {
        try (ObjectStore owner = open("from")) {
            owner.write(TestStores.PLAIN, TestStores.bytes("x"), Durability.FORCED);
            assertThat(ToolRun.of("migrate", "--url", server.url(), "--node", "from", directory.resolve("to"))
                            .endsWith(ExitStatus.IN_USE)
                            .err())
                    .contains("is in use by", "pid=");
            assertThat(directory.resolve("to")).doesNotExist();
        }
    }

    @Test
    void aDamagedBodyIsReportedAndTheOthersAreShown() throws SQLException {
        filledOneByOne("rot");
        String sequence = change("rot", "body = set_byte(body, 60, get_byte(body, 60) # 4)");

        ToolRun run = on("rot", "verify").endsWith(ExitStatus.NEGATIVE);

        assertThat(run.out())
                .contains("row=tallystick_batch/" + sequence + " offset=52 kind=row: the record at byte 52 is damaged");
        assertThat(on("rot", "list").endsWith(ExitStatus.NEGATIVE).lines()).hasSize(9);
        on("rot", "export").endsWith(ExitStatus.NEGATIVE);
        on("rot", "backup", directory.resolve("backup")).endsWith(ExitStatus.NEGATIVE);
        on("rot", "import", single(), exported()).endsWith(ExitStatus.NEGATIVE);
    }

    @Test
    void aColumnThatDiffersFromTheHeaderIsReported() throws SQLException {
        assertColumnIsReported("oldest");
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {"durable", "epoch"})
    void everyColumnThatDiffersFromTheHeaderIsReported(String column) throws SQLException {
        assertColumnIsReported(column);
    }

    private void assertColumnIsReported(String column) throws SQLException {
        filledOneByOne("column-" + column);
        String sequence = change("column-" + column, column + " = b." + column + " + 4294967296");

        assertThat(on("column-" + column, "verify")
                        .endsWith(ExitStatus.NEGATIVE)
                        .out())
                .contains("row=tallystick_batch/" + sequence + " offset=0 kind=row: its header is damaged");
        assertThat(on("column-" + column, "list").lines()).hasSize(9);
    }

    @Test
    void aMissingBatchIsReported() throws SQLException {
        filledOneByOne("hole");
        String sequence = newest("hole");
        server.sql("DELETE FROM tallystick.tallystick_batch USING tallystick.tallystick_log l WHERE node_id = 'hole'"
                + " AND tallystick_batch.log_id = l.log_id AND seq = " + sequence);

        assertThat(on("hole", "verify").endsWith(ExitStatus.NEGATIVE).out())
                .contains("row=tallystick_batch/" + sequence + " offset=0 kind=missing-row");
    }

    @Test
    void rowsOfOtherLogsAreReported() throws SQLException {
        filled("mine");
        filled("theirs");
        server.sql("INSERT INTO tallystick.tallystick_batch SELECT m.log_id, b.seq + 100000, lane, b.epoch, durable,"
                + " oldest, body FROM tallystick.tallystick_batch b, tallystick.tallystick_log t,"
                + " tallystick.tallystick_log m WHERE b.log_id = t.log_id AND t.node_id = 'theirs'"
                + " AND m.node_id = 'mine'");
        assertThat(on("mine", "verify").endsWith(ExitStatus.NEGATIVE).out()).contains("it belongs to another log");

        server.sql("INSERT INTO tallystick.tallystick_fence VALUES (987654, 0, 1)");
        try {
            assertThat(on("theirs", "verify").endsWith(ExitStatus.NEGATIVE).out())
                    .contains("kind=foreign-row: 1 rows have log_id 987654");
        } finally {
            server.sql("DELETE FROM tallystick.tallystick_fence WHERE log_id = 987654");
        }
    }

    @Test
    void aFenceThatLetsAnotherEpochInIsReported() throws SQLException {
        filled("fence");
        server.sql("UPDATE tallystick.tallystick_fence f SET epoch = 7 FROM tallystick.tallystick_log l"
                + " WHERE f.log_id = l.log_id AND node_id = 'fence' AND lane = 1");
        assertThat(on("fence", "verify").endsWith(ExitStatus.NEGATIVE).out())
                .contains("row=tallystick_fence/1 offset=0 kind=fence: its epoch is 7, and the log's epoch is 1");
        server.sql("DELETE FROM tallystick.tallystick_fence f USING tallystick.tallystick_log l"
                + " WHERE f.log_id = l.log_id AND node_id = 'fence'");
        assertThat(on("fence", "verify").endsWith(ExitStatus.NEGATIVE).out())
                .contains("row=tallystick_fence/0 offset=0 kind=fence: it is missing");
    }

    @Test
    void aLogRowThatWasRestoredFromAnEarlierTimeIsReported() throws SQLException {
        filled("back");
        open("back").close();
        filled("back");
        server.sql("UPDATE tallystick.tallystick_log SET epoch = 1 WHERE node_id = 'back'");

        assertThat(on("back", "verify").endsWith(ExitStatus.NEGATIVE).out())
                .contains("is later than the log's epoch 1: the log's row was restored from an earlier time");
    }

    @Test
    void missingAndOlderTablesAreNamed() throws SQLException {
        assertThat(ToolRun.of("verify", "--url", server.url(), "--node", "n", "--schema", "nowhere")
                        .endsWith(ExitStatus.FAILED)
                        .err())
                .contains("the table nowhere.tallystick_log is missing", "'tallystick postgresql ddl'");
        server.sql("CREATE SCHEMA older; CREATE TABLE older.tallystick_log (log_id bigint PRIMARY KEY, node_id text);"
                + " CREATE TABLE older.tallystick_fence (log_id bigint, lane smallint, epoch integer);"
                + " CREATE UNLOGGED TABLE older.tallystick_batch (log_id bigint, seq bigint)");
        assertThat(ToolRun.of("list", "--url", server.url(), "--node", "n", "--schema", "older")
                        .endsWith(ExitStatus.FAILED)
                        .err())
                .contains(
                        "the column tallystick_log.store_id is missing",
                        "the column tallystick_fence.epoch has the type integer, not bigint");
        assertThat(ToolRun.of("postgresql", "ddl", "--url", server.url(), "--schema", "older")
                        .endsWith(ExitStatus.NEGATIVE)
                        .lines())
                .contains(
                        "-- missing: the table tallystick_fence lacks PRIMARY KEY (log_id, lane)",
                        "-- missing: the table tallystick_batch is unlogged or temporary, so a crash empties it");
    }

    @Test
    void aLaterFormatIsRefused() throws SQLException {
        filled("later");
        server.sql("UPDATE tallystick.tallystick_log SET format = 2 WHERE node_id = 'later'");

        assertThat(on("later", "list").endsWith(ExitStatus.FAILED).err()).contains("format 2", "Use the version");
    }

    @Test
    void aServerThatIsNotThereAndAWrongPasswordAreNamed() throws Exception {
        assertThat(ToolRun.of("list", "--url", "jdbc:postgresql://127.0.0.1:1/tx?password=hush", "--node", "n")
                        .endsWith(ExitStatus.FAILED)
                        .err())
                .contains("127.0.0.1:1", "check that the server runs")
                .doesNotContain("hush");
        server.sql("CREATE ROLE careful LOGIN PASSWORD 'right'");
        server.demandPasswordOf("careful");
        Path password = Files.writeString(directory.resolve("password"), "wrong\n");
        String url = "jdbc:postgresql://127.0.0.1:" + server.port() + "/postgres";
        assertThat(ToolRun.of("list", "--url", url, "--user", "careful", "--password-file", password, "--node", "n")
                        .endsWith(ExitStatus.FAILED)
                        .err())
                .contains("careful", "user and password");
        Files.writeString(password, "right\n");
        filled("granted");
        assertThat(ToolRun.of("postgresql", "ddl", "--url", url, "--user", "careful", "--password-file", password)
                        .endsWith(ExitStatus.NEGATIVE)
                        .lines())
                .contains("-- missing: the user may not INSERT in the table tallystick_batch");
        for (String statement :
                ToolRun.of("postgresql", "ddl", "--role", "careful").lines()) {
            server.sql(statement);
        }
        assertThat(ToolRun.of("postgresql", "ddl", "--url", url, "--user", "careful", "--password-file", password)
                        .endsWith(ExitStatus.OK)
                        .out())
                .contains("-- nothing is missing");
        ToolRun.of("list", "--url", url, "--user", "careful", "--password-file", password, "--node", "granted")
                .endsWith(ExitStatus.OK);
    }

    @Test
    void optionsThatDoNotGoTogetherAreRefused() {
        assertThat(ToolRun.of("list", "--url", server.url())
                        .endsWith(ExitStatus.USAGE)
                        .err())
                .contains("--node");
        assertThat(ToolRun.of("list", "--node", "n", directory)
                        .endsWith(ExitStatus.USAGE)
                        .err())
                .contains("--url");
        assertThat(on("n", "list", directory).endsWith(ExitStatus.USAGE).err()).contains("DIRECTORY");
        assertThat(on("n", "doctor", directory).endsWith(ExitStatus.USAGE).err())
                .contains("DIRECTORY");
        assertThat(on("n", "show", directory, "key").endsWith(ExitStatus.USAGE).err())
                .contains("DIRECTORY");
        assertThat(ToolRun.of("list", "--url", "jdbc:mysql://db/tx", "--node", "n")
                        .endsWith(ExitStatus.USAGE)
                        .err())
                .contains("jdbc:postgresql:");
        assertThat(ToolRun.of("migrate", "--to", "postgresql", directory)
                        .endsWith(ExitStatus.USAGE)
                        .err())
                .contains("--url");
    }

    @Test
    void theStatementsThatArePrintedMakeTheTables() throws SQLException {
        for (String statement : ToolRun.of("postgresql", "ddl", "--schema", "made")
                .endsWith(ExitStatus.OK)
                .lines()) {
            server.sql(statement);
        }
        ToolRun.of("postgresql", "ddl", "--schema", "made", "--url", server.url())
                .endsWith(ExitStatus.OK);
        ObjectStores.open(settings("n")
                        .set(StoreOption.POSTGRESQL_SCHEMA, "made")
                        .set(StoreOption.POSTGRESQL_CREATE_TABLES, false)
                        .build())
                .close();
    }

    @Test
    void theDoctorSeesServerAndLogAndTakesNothingOver() throws SQLException {
        try (ObjectStore owner = open("ill")) {
            TestStores.fill(owner);
            String before = row("ill");
            ToolRun run = on("ill", "doctor", single()).endsWith(ExitStatus.OK);

            assertThat(run.out())
                    .contains(
                            "server_version             17.5",
                            "fsync                      on",
                            "full_page_writes           on",
                            "synchronous_commit         on",
                            "server                     primary",
                            "tables                     complete",
                            "dead tuples",
                            "oldest transaction",
                            "epoch=1",
                            "owner                      pid=",
                            "rows  ",
                            "round trip                 median",
                            "statement                  median",
                            "warning              the log has an owner")
                    .doesNotContain("nodeIdentifier", "ObjectStore");
            assertThat(row("ill")).isEqualTo(before);
            owner.write(TestStores.PLAIN, TestStores.bytes("after"), Durability.FORCED);
        }
        ToolRun alone = on("ill", "doctor").endsWith(ExitStatus.NEGATIVE);
        assertThat(alone.out()).contains("no synchronous standby is connected", "owner                      none");
        ToolRun gone = ToolRun.of("doctor", "--url", "jdbc:postgresql://127.0.0.1:1/tx", "--node", "n")
                .endsWith(ExitStatus.NEGATIVE);
        assertThat(gone.out()).contains("cannot be asked", "127.0.0.1:1");
        ToolRun other = on("ill", "doctor", single(), "-DCoreEnvironmentBean.nodeIdentifier=well")
                .endsWith(ExitStatus.NEGATIVE);
        assertThat(other.out()).contains("tallystick.node-id=ill, but CoreEnvironmentBean.nodeIdentifier=well");
    }

    @Test
    void theDoctorSeesATransactionThatIsHeldOpen() throws SQLException {
        filled("held");
        try (Connection holder = DriverManager.getConnection(server.url());
                Statement statement = holder.createStatement()) {
            holder.setAutoCommit(false);
            statement.execute("SELECT pg_current_xact_id()");

            JsonValue server = on("held", "doctor", single(), "--json")
                    .endsWith(ExitStatus.OK)
                    .json()
                    .get("store")
                    .asObject()
                    .get("server");
            assertThat(server.asObject().getString("oldest transaction", "")).endsWith("s, with an xid");
        }
    }

    @Tag("long")
    @Test
    void aStandbyIsReadWhenThereIsNoPrimary() throws Exception {
        filled("follower");
        try (PostgresServer standby = server.startStandby()) {
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> ToolRun.of("verify", "--url", standby.url(), "--node", "follower")
                                    .exitCode()
                            == ExitStatus.OK.code());
            assertThat(ToolRun.of("list", "--url", standby.url(), "--node", "follower")
                            .endsWith(ExitStatus.OK)
                            .lines())
                    .hasSize(TestStores.keys().size());
            assertThat(ToolRun.of("doctor", "--url", standby.url(), "--node", "follower")
                            .endsWith(ExitStatus.NEGATIVE)
                            .out())
                    .contains("server                     standby", "cannot be seen from a standby");
            // Its owner may live, and what the primary has acknowledged may not be here yet.
            assertThat(ToolRun.of("migrate", "--url", standby.url(), "--node", "follower", directory.resolve("to"))
                            .endsWith(ExitStatus.IN_USE)
                            .err())
                    .contains("this server is a standby");
            assertThat(directory.resolve("to")).doesNotExist();
            ToolRun.of("import", "--url", standby.url(), "--node", "follower", single(), exported())
                    .endsWith(ExitStatus.FAILED);
        }
    }

    private static StoreConfiguration.Builder settings(String node) {
        return StoreConfiguration.builder()
                .store("postgresql")
                .set(StoreOption.POSTGRESQL_URL, server.url())
                .set(StoreOption.POSTGRESQL_CREATE_TABLES, true)
                .set(StoreOption.REQUIRE_REPLICATION, StoreOption.Replication.NONE)
                .set(StoreOption.NODE_ID, node)
                .set(StoreOption.LEASE, Duration.ofSeconds(2));
    }

    private static ObjectStore open(String node) {
        return ObjectStores.open(settings(node).build());
    }

    private static void filled(String node) {
        try (ObjectStore store = open(node)) {
            TestStores.fill(store);
        }
    }

    /** Ten states, each in a batch of its own. */
    private static void filledOneByOne(String node) {
        try (ObjectStore store = open(node)) {
            for (int i = 0; i < 10; i++) {
                store.write(StateKey.of("/One", ObjectId.parse("0" + i)), new byte[] {(byte) i}, Durability.FORCED);
            }
        }
    }

    /** Changes the last batch but one; returns its sequence. */
    private static String change(String node, String assignment) throws SQLException {
        String sequence = newest(node);
        server.sql("UPDATE tallystick.tallystick_batch b SET " + assignment
                + " FROM tallystick.tallystick_log l WHERE b.log_id = l.log_id AND l.node_id = '" + node
                + "' AND seq = "
                + sequence);
        return sequence;
    }

    private static String newest(String node) throws SQLException {
        return server.one("SELECT max(seq) - 1 FROM tallystick.tallystick_batch b JOIN tallystick.tallystick_log l"
                + " USING (log_id) WHERE node_id = '" + node + "'");
    }

    private static String row(String node) throws SQLException {
        return server.one("SELECT l::text || (SELECT string_agg(f::text, ' ' ORDER BY lane)"
                + " FROM tallystick.tallystick_fence f WHERE f.log_id = l.log_id)"
                + " FROM tallystick.tallystick_log l WHERE node_id = '" + node + "'");
    }

    private static String single() {
        return "-Dtallystick.require-replication=none";
    }

    private static ToolRun on(String node, Object... command) {
        List<Object> words = new ArrayList<>(Arrays.asList(command));
        words.addAll(1, List.of("--url", server.url(), "--node", node));
        return ToolRun.of(words.toArray());
    }

    private static ToolRun into(String node, Path source, Object... more) {
        List<Object> words = new ArrayList<>(
                List.of("migrate", "--to", "postgresql", "--url", server.url(), "--node", node, single(), source));
        words.addAll(1, Arrays.asList(more));
        words.add(1, "-Dtallystick.postgresql.create-tables=true");
        return ToolRun.of(words.toArray());
    }

    private Path exported() {
        Path export = directory.resolve("export.jsonl");
        ToolRun.of("export", "--to", export, TestStores.filled(TestStores.Kind.FILE, directory.resolve("exported")))
                .endsWith(ExitStatus.OK);
        return export;
    }

    private static List<String> states(Path export) {
        try {
            return Files.readAllLines(export).stream()
                    .filter(line -> line.contains("\"key\"") || line.contains("\"type\""))
                    .toList();
        } catch (IOException failed) {
            throw new AssertionError(failed);
        }
    }
}
