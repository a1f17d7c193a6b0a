package io.tallystick.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.CorruptStoreException;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreFullException;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.UnsupportedFormatException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each mistake of a user or an administrator has an error that says what to do, and nothing stored is changed. */
class BadInputTest extends WithServer {
    @TempDir
    private Path directory;

    @Test
    void noServer() {
        assertThatThrownBy(() -> Stores.open(Stores.settings("jdbc:postgresql://127.0.0.1:1/postgres", "none")))
                .isInstanceOf(StoreIoException.class)
                .hasMessageContaining("127.0.0.1:1")
                .hasMessageContaining("check that the server runs");
    }

    @Test
    void anAddressOfAnotherDatabase() {
        assertThatThrownBy(() -> Stores.open(Stores.settings("jdbc:mysql://db/tx", "none")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tallystick.postgresql.url");
    }

    @Test
    void anAddressThatIsNotUnderstoodIsNamedWithoutItsPassword() {
        assertThatThrownBy(() -> Stores.open(
                        Stores.settings("jdbc:postgresql://127.0.0.1:x/postgres?user=u&password=hush", "none")))
                .isInstanceOf(StoreIoException.class)
                .hasMessageContaining("tallystick.postgresql.url")
                .hasMessageContaining("127.0.0.1:x")
                .hasMessageNotContaining("hush");
    }

    @Test
    void aPasswordBeforeTheHostIsInNoMessage() {
        assertThatThrownBy(() -> Stores.open(Stores.settings("jdbc:postgresql://u:hush@127.0.0.1:1/postgres", "none")))
                .isInstanceOf(StoreIoException.class)
                .hasMessageNotContaining("hush");
    }

    @Test
    void aParameterThatTheStoreSetsByItself() {
        assertThatThrownBy(() -> Stores.open(Stores.settings(server.url() + "&socketTimeout=0", "parameter")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("socketTimeout")
                .hasMessageContaining("leave it out");
    }

    @Test
    void aServerThatDoesNotTellWhoLives() throws SQLException {
        server.sql("CREATE ROLE hidden LOGIN SUPERUSER");
        server.sql("ALTER ROLE hidden SET track_activities = off");
        if (server.version() >= 14) {
            server.sql("ALTER ROLE hidden SET idle_session_timeout = '1s'");
        }
        String url = server.url().replace("user=postgres", "user=hidden");
        assertThatThrownBy(() -> Stores.open(Stores.settings(url, "hidden")))
                .isInstanceOf(StoreIoException.class)
                .hasMessageContaining("track_activities");
    }

    @Test
    void aUserWhomTheServerDoesNotKnow() {
        assertThatThrownBy(
                        () -> Stores.open(Stores.settings(server.url().replace("user=postgres", "user=nobody2"), "u")))
                .isInstanceOf(StoreIoException.class)
                .hasMessageContaining("nobody2");
    }

    @Test
    void aWrongPassword() throws Exception {
        Path passwords = Files.writeString(directory.resolve("password"), "wrong\nnot this line\n");
        server.sql("CREATE ROLE careful LOGIN PASSWORD 'right' SUPERUSER");
        server.demandPasswordOf("careful");
        String url = server.url().replace("?user=postgres", "");
        assertThatThrownBy(() -> Stores.open(Stores.settings(url, "password")
                        .set(StoreOption.POSTGRESQL_USER, "careful")
                        .set(StoreOption.POSTGRESQL_PASSWORD_FILE, passwords)))
                .isInstanceOf(StoreIoException.class)
                .hasMessageContaining("password")
                .hasMessageNotContaining("wrong");
        Files.writeString(passwords, "right\n");
        Stores.open(Stores.settings(url, "password")
                        .set(StoreOption.POSTGRESQL_USER, "careful")
                        .set(StoreOption.POSTGRESQL_PASSWORD_FILE, passwords))
                .close();
        assertThatThrownBy(() -> Stores.open(Stores.settings(url, "password")
                        .set(StoreOption.POSTGRESQL_USER, "careful")
                        .set(StoreOption.POSTGRESQL_PASSWORD_FILE, directory.resolve("missing"))))
                .isInstanceOf(StoreIoException.class)
                .hasMessageContaining("tallystick.postgresql.password-file");
    }

    @Test
    void missingTables() {
        assertThatThrownBy(() -> Stores.open(Stores.settings(server.url(), "tables")
                        .set(StoreOption.POSTGRESQL_SCHEMA, "elsewhere")
                        .set(StoreOption.POSTGRESQL_CREATE_TABLES, false)))
                .isInstanceOf(StoreIoException.class)
                .hasMessageContaining("elsewhere.tallystick_log is missing")
                .hasMessageContaining("tallystick.postgresql.create-tables=true");
    }

    @Test
    void tablesThatACrashEmpties() throws SQLException {
        Stores.open(Stores.settings(server.url(), "u").set(StoreOption.POSTGRESQL_SCHEMA, "unlogged"))
                .close();
        server.sql("ALTER TABLE unlogged.tallystick_batch SET UNLOGGED");
        assertThatThrownBy(() ->
                        Stores.open(Stores.settings(server.url(), "u").set(StoreOption.POSTGRESQL_SCHEMA, "unlogged")))
                .isInstanceOf(StoreIoException.class)
                .hasMessageContaining("unlogged.tallystick_batch")
                .hasMessageContaining("LOGGED");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            a | DROP CONSTRAINT tallystick_batch_pkey | the table tallystick_batch lacks PRIMARY KEY (log_id, seq)
            b | ALTER seq TYPE integer                | the column tallystick_batch.seq has the type integer, not bigint
            c | DROP COLUMN oldest                    | the column tallystick_batch.oldest is missing
            """)
    void anAlteredTableIsRefusedAtTheOpening(String schema, String change, String said) throws SQLException {
        Stores.open(asUser(schema)).close();
        server.sql("ALTER TABLE " + schema + ".tallystick_batch " + change);

        assertRefused(schema, said);
    }

    @Test
    void aTriggerThatMayLeaveOutRowsIsRefusedAtTheOpening() throws SQLException {
        Stores.open(asUser("triggered")).close();
        server.sql("CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'");
        server.sql("CREATE TRIGGER leaves_out BEFORE INSERT ON triggered.tallystick_batch FOR EACH ROW EXECUTE"
                + " FUNCTION nothing()");

        assertRefused("triggered", "has triggers before its rows are written, leaves_out");
    }

    @Test
    void aTableWithPartitionsIsRefusedAtTheOpening() throws SQLException {
        Stores.open(asUser("parted")).close();
        server.sql("ALTER TABLE parted.tallystick_batch RENAME TO former");
        server.sql("CREATE TABLE parted.tallystick_batch (LIKE parted.former, PRIMARY KEY (log_id, seq))"
                + " PARTITION BY HASH (log_id)");

        assertRefused("parted", "the table tallystick_batch is partitioned");
    }

    @Test
    void whatAUserMayNotDoIsSaidAtTheOpening() throws SQLException {
        Stores.open(asUser("granted")).close();
        server.sql("CREATE ROLE app LOGIN");
        for (String grant : Schema.grants("granted", "app")) {
            server.sql(grant);
        }
        Stores.open(asApp()).close();

        server.sql("REVOKE INSERT ON granted.tallystick_batch FROM app");
        assertThatThrownBy(() -> Stores.open(asApp()))
                .isInstanceOf(StoreIoException.class)
                .hasMessageContaining("the user may not INSERT in the table tallystick_batch");

        server.sql("GRANT INSERT ON granted.tallystick_batch TO app");
        server.sql("ALTER TABLE granted.tallystick_batch ENABLE ROW LEVEL SECURITY");
        assertThatThrownBy(() -> Stores.open(asApp()))
                .isInstanceOf(StoreIoException.class)
                .hasMessageContaining("row security of the table tallystick_batch may hide rows");
    }

    @Test
    void aMissingRightToTheSchemaIsNotSaidToBeAMissingTable() throws SQLException {
        Stores.open(asUser("closed")).close();
        server.sql("CREATE ROLE outside LOGIN");
        for (String grant : Schema.grants("closed", "outside")) {
            server.sql(grant);
        }
        server.sql("REVOKE USAGE ON SCHEMA closed FROM outside");

        assertThatThrownBy(() -> Stores.open(asRole("outside", "closed")))
                .isInstanceOf(StoreIoException.class)
                .hasMessageContaining("the user outside may not use the schema closed")
                .hasMessageContaining("GRANT USAGE ON SCHEMA \"closed\" TO \"outside\"")
                .hasMessageNotContaining("does not exist");
    }

    @Test
    void aRoleThatOnlyReadsIsToldWhatItMayNotDo() throws SQLException {
        Stores.open(asUser("readonly")).close();
        server.sql("CREATE ROLE reader LOGIN");
        server.sql("GRANT USAGE ON SCHEMA readonly TO reader");
        server.sql("GRANT SELECT ON ALL TABLES IN SCHEMA readonly TO reader");

        assertThatThrownBy(() -> Stores.open(asRole("reader", "readonly")))
                .isInstanceOf(StoreIoException.class)
                .hasMessageContaining("the user may not INSERT in the table tallystick_batch")
                .hasMessageContaining("with --role USER the grants");
    }

    @Test
    void aRoleWhoseTransactionsReadByDefaultWrites() throws SQLException {
        Stores.open(asUser("shy")).close();
        server.sql("CREATE ROLE shy LOGIN SUPERUSER");
        server.sql("ALTER ROLE shy SET default_transaction_read_only = on");

        try (ObjectStore store = Stores.open(asRole("shy", "shy"))) {
            store.write(Stores.key(1), Stores.state("written"), Durability.FORCED);
        }
    }

    private static StoreConfiguration.Builder asRole(String role, String schema) {
        return Stores.settings(server.url().replace("user=postgres", "user=" + role), "node")
                .set(StoreOption.POSTGRESQL_SCHEMA, schema)
                .set(StoreOption.POSTGRESQL_CREATE_TABLES, false);
    }

    private static StoreConfiguration.Builder asUser(String schema) {
        return Stores.settings(server.url(), "node").set(StoreOption.POSTGRESQL_SCHEMA, schema);
    }

    private static StoreConfiguration.Builder asApp() {
        return Stores.settings(server.url().replace("user=postgres", "user=app"), "node")
                .set(StoreOption.POSTGRESQL_SCHEMA, "granted")
                .set(StoreOption.POSTGRESQL_CREATE_TABLES, false);
    }

    private static void assertRefused(String schema, String said) {
        assertThatThrownBy(() -> Stores.open(asUser(schema)))
                .isInstanceOf(StoreIoException.class)
                .hasMessageContaining(said)
                .hasMessageContaining("tallystick postgresql ddl");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            rules    | CREATE RULE r AS ON UPDATE TO rules.tallystick_log DO INSTEAD NOTHING | tallystick_log has rules
            children | CREATE TABLE children.more () INHERITS (children.tallystick_batch)    | inherit from the table
            hidden   | CREATE TRIGGER t BEFORE UPDATE ON hidden.tallystick_loss FOR EACH ROW EXECUTE FUNCTION \
            suppress_redundant_updates_trigger() | table tallystick_loss has triggers
            """)
    void whatMayChangeOrAddRowsIsRefusedAtTheOpening(String schema, String change, String said) throws SQLException {
        Stores.open(asUser(schema)).close();
        server.sql(change);

        assertRefused(schema, said);
    }

    @Test
    void aDatabaseWithLessThanTheWholeIsOpenedWhereTheStoreDoesNotNeedIt() throws SQLException {
        Stores.open(asUser("least")).close();
        server.sql("CREATE ROLE least LOGIN");
        server.sql("GRANT USAGE ON SCHEMA least TO least");
        server.sql("GRANT SELECT, UPDATE ON least.tallystick_log TO least");
        server.sql("GRANT SELECT, INSERT, UPDATE ON least.tallystick_fence TO least");
        server.sql("GRANT SELECT, INSERT, DELETE ON least.tallystick_batch TO least");
        server.sql("GRANT SELECT, INSERT, UPDATE ON least.tallystick_loss TO least");
        server.sql("CREATE FUNCTION least.guard() RETURNS trigger LANGUAGE plpgsql AS"
                + " $$ BEGIN RAISE EXCEPTION 'not this table'; END $$");
        server.sql("CREATE TRIGGER guard BEFORE TRUNCATE ON least.tallystick_batch EXECUTE FUNCTION least.guard()");
        server.sql("ALTER TABLE least.tallystick_log DROP CONSTRAINT tallystick_log_node_id_key");
        server.sql("CREATE UNIQUE INDEX of_another_name ON least.tallystick_log (node_id) INCLUDE (epoch)");

        try (ObjectStore store =
                Stores.open(Stores.settings(server.url().replace("user=postgres", "user=least"), "node")
                        .set(StoreOption.POSTGRESQL_SCHEMA, "least")
                        .set(StoreOption.POSTGRESQL_CREATE_TABLES, false))) {
            store.write(Stores.key(1), Stores.state("x"), Durability.FORCED);
            store.remove(Stores.key(1), Durability.FORCED);
        }
    }

    @Test
    void rowsThatWereRestoredWithoutTheirSequenceAreNamed() throws SQLException {
        Stores.open(asUser("behind")).close();
        server.sql("ALTER TABLE behind.tallystick_log ALTER COLUMN log_id RESTART WITH 1");

        assertThatThrownBy(() -> Stores.open(asUser("behind").set(StoreOption.NODE_ID, "next")))
                .isInstanceOf(StoreIoException.class)
                .hasMessageContaining("the numbers of tallystick_log are behind its rows")
                .hasMessageContaining("setval");
    }

    @Test
    void aLaterFormat() throws SQLException {
        Stores.open(Stores.settings(server.url(), "later")).close();
        server.sql("UPDATE tallystick.tallystick_log SET format = 2 WHERE node_id = 'later'");
        assertThatThrownBy(() -> Stores.open(Stores.settings(server.url(), "later")))
                .isInstanceOf(UnsupportedFormatException.class)
                .hasMessageContaining("format 2");
    }

    @Test
    void aNodeWithoutALogWhereOneIsExpected() {
        assertThatThrownBy(() ->
                        Stores.open(Stores.settings(server.url(), "absent").set(StoreOption.EXPECT_EXISTING, true)))
                .isInstanceOf(StoreIoException.class)
                .hasMessageContaining("tallystick.expect-existing");
    }

    @Test
    void aNodeIdThatIsTooLongForAnXid() {
        assertThatThrownBy(() -> Stores.open(Stores.settings(server.url(), "n".repeat(29))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("28");
    }

    @Test
    void aMissingBatchIsNoticedAndNothingIsChanged() throws SQLException {
        fill("hole");
        server.sql("DELETE FROM tallystick.tallystick_batch b USING tallystick.tallystick_log l"
                + " WHERE b.log_id = l.log_id AND l.node_id = 'hole' AND seq = (SELECT max(seq) - 3"
                + " FROM tallystick.tallystick_batch m WHERE m.log_id = l.log_id)");
        assertCorrupt("hole", "missing");
    }

    @Test
    void aDamagedBatchIsNoticedAndNothingIsChanged() throws SQLException {
        fill("rot");
        server.sql("UPDATE tallystick.tallystick_batch b SET body = set_byte(body, 60, get_byte(body, 60) # 4)"
                + " FROM tallystick.tallystick_log l WHERE b.log_id = l.log_id AND l.node_id = 'rot'");
        assertCorrupt("rot", "damaged");
    }

    @ParameterizedTest
    @ValueSource(strings = {"oldest", "durable", "epoch"})
    void aDamagedColumnIsNoticedAndNothingIsChanged(String column) throws SQLException {
        fill("rot-" + column);
        server.sql("UPDATE tallystick.tallystick_batch b SET " + column + " = b." + column + " + 4294967296"
                + " FROM tallystick.tallystick_log l WHERE b.log_id = l.log_id AND l.node_id = 'rot-" + column + "'"
                + " AND seq = (SELECT max(seq) FROM tallystick.tallystick_batch m WHERE m.log_id = l.log_id)");
        assertCorrupt("rot-" + column, "damaged");
    }

    @Test
    void aBatchOfAnotherLogIsNoticed() throws SQLException {
        fill("mine");
        fill("theirs");
        server.sql("INSERT INTO tallystick.tallystick_batch SELECT m.log_id, b.seq + 100000, lane, b.epoch, durable,"
                + " oldest, body FROM tallystick.tallystick_batch b, tallystick.tallystick_log t,"
                + " tallystick.tallystick_log m WHERE b.log_id = t.log_id AND t.node_id = 'theirs'"
                + " AND m.node_id = 'mine'");
        assertCorrupt("mine", "belongs to another log");
    }

    @Test
    void moreLivingStatesThanTheHeapMayTakeAreRefusedAndRemovalsGoOn() {
        try (ObjectStore store = Stores.open(Stores.settings(server.url(), "full")
                .set(StoreOption.MAX_LIVE_SIZE, 2 * StoreOption.MIB)
                .set(StoreOption.MAX_STATE_SIZE, 512 * StoreOption.KIB))) {
            byte[] large = new byte[512 << 10];
            for (int i = 0; i < 3; i++) {
                store.write(Stores.key(i), large, Durability.FORCED);
            }
            assertThatThrownBy(() -> store.write(Stores.key(3), large, Durability.FORCED))
                    .isInstanceOf(StoreFullException.class)
                    .hasMessageContaining("tallystick.max-live-size");
            assertThat(store.remove(Stores.key(0), Durability.FORCED)).isTrue();
            store.write(Stores.key(3), large, Durability.FORCED);
        }
    }

    private static void fill(String node) {
        try (ObjectStore store =
                Stores.open(Stores.settings(server.url(), node).set(StoreOption.POSTGRESQL_LANES, 1))) {
            for (int i = 0; i < 10; i++) {
                store.write(Stores.key(i), Stores.state("state " + i), Durability.FORCED);
            }
        }
    }

    private static void assertCorrupt(String node, String reason) throws SQLException {
        String rows = "SELECT md5(string_agg(b::text, ',' ORDER BY seq)) FROM tallystick.tallystick_batch b"
                + " JOIN tallystick.tallystick_log USING (log_id) WHERE node_id = '" + node + "'";
        String before = server.one(rows);
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> Stores.open(Stores.settings(server.url(), node)))
                    .isInstanceOf(CorruptStoreException.class)
                    .hasMessageContaining(reason)
                    .hasMessageContaining("node=" + node)
                    .hasMessageContaining("nothing was changed");
        }
        assertThat(server.one(rows)).isEqualTo(before);
    }
}
