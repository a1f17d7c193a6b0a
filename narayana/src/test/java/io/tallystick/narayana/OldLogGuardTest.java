package io.tallystick.narayana;

import static io.tallystick.store.Durability.FORCED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.narayana.logs.FileTreeSource;
import io.tallystick.narayana.logs.Findings;
import io.tallystick.narayana.logs.MigrationMark;
import io.tallystick.storage.Disk;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreClosedException;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When the guard looks, and what its refusal tells to do. The tool's test of this name has logs of Narayana itself. */
class OldLogGuardTest {
    private static final String ACTION =
            "StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction/0_ffff7f000001_8c2b_6560f5a3_1";

    @TempDir
    private Path directory;

    private final ObjectStore store =
            ObjectStores.open(StoreConfiguration.builder().store("inmemory").build());

    /** Leaves a transaction where Narayana's default store would. */
    static void putTransaction(Path objectStoreDir) throws IOException {
        Path action =
                objectStoreDir.resolve("ShadowNoFileLockStore/defaultStore").resolve(ACTION);
        Files.createDirectories(action.getParent());
        Files.write(action, new byte[1]);
    }

    @BeforeEach
    void leaveATransaction() throws IOException {
        putTransaction(directory);
    }

    private OldLogGuard guard() {
        return new OldLogGuard(new SystemDisk(), () -> Set.of(directory), configuration -> true);
    }

    private ObjectStore open() {
        // The directory belongs to another store, and says nothing about this one.
        return guard().open(
                        StoreConfiguration.builder()
                                .store("postgresql")
                                .directory(directory.resolve("other"))
                                .build(),
                        configuration -> store);
    }

    private StoreConfiguration inFiles() {
        return StoreConfiguration.builder()
                .store("file")
                .directory(directory.resolve("ours"))
                .build();
    }

    private InstallationException refusalOf(StoreConfiguration configuration) {
        return catchThrowableOfType(InstallationException.class, () -> guard().open(configuration, ObjectStores::open));
    }

    private static String word(String text) {
        return OldLogGuard.quoted(text, FileSystems.getDefault().getSeparator().equals("\\"));
    }

    private Path log() {
        return directory.resolve("ShadowNoFileLockStore/defaultStore");
    }

    private void markAsMigratedTo(StoreConfiguration configuration) throws IOException {
        Disk disk = new SystemDisk();
        MigrationMark mark = new MigrationMark();
        new FileTreeSource(disk, log()).read(mark::add, new Findings());
        mark.write(disk, log(), configuration.find(StoreOption.DIRECTORY).orElseThrow());
    }

    /** A trial start, then Narayana's own store again, then ours. */
    @Test
    void aStoreThatWasUsedBeforeIsRefusedToo() {
        ObjectStores.open(inFiles()).close();

        assertThat(refusalOf(inFiles()))
                .hasMessageStartingWith("TALLY0412 the store was used before, but 1 transaction lies in ")
                .hasMessageContaining("start once more with the old store")
                .hasMessageContaining("JTAEnvironmentBean.orphanSafetyInterval")
                .hasMessageNotContaining("tallystick migrate");
    }

    @Test
    void aStoreThatLacksThemIsRefusedThoughItHasATransactionOfItsOwn() {
        try (ObjectStore trial = ObjectStores.open(inFiles())) {
            trial.write(StateKey.of(TallystickDrain.ACTIONS + "/A", ObjectId.of(new byte[28])), new byte[1], FORCED);
        }
        assertThat(refusalOf(inFiles())).isNotNull();
    }

    @Test
    void theStoreThatAMigrationMadeOpensAndOneThatReplacesItDoesNot() throws IOException {
        ObjectStores.open(inFiles()).close();
        markAsMigratedTo(inFiles());
        guard().open(inFiles(), ObjectStores::open).close();

        // Moved, it is the same store.
        Path moved = Files.move(directory.resolve("ours"), directory.resolve("moved"));
        guard().open(inFiles().toBuilder().directory(moved).build(), ObjectStores::open)
                .close();

        assertThat(refusalOf(inFiles()))
                .hasMessageStartingWith("TALLY0412 the store is new, but 1 transaction lies in ")
                .hasMessageContaining("bring back the store that has them, " + directory.resolve("ours"))
                .hasMessageNotContaining("tallystick migrate");
        Files.move(moved, directory.resolve("ours"));
        assertThat(refusalOf(inFiles().toBuilder()
                        .directory(directory.resolve("new"))
                        .build()))
                .hasMessageContaining(
                        "use the store that has them, with tallystick.directory=" + directory.resolve("ours"));
    }

    @Test
    void theMarkOfAStoreInNoDirectoryDoesNotCountForAnotherOneInItsPlace() throws IOException {
        StoreConfiguration elsewhere =
                StoreConfiguration.builder().store("postgresql").build();
        ObjectStore made = ObjectStores.open(inFiles());
        MigrationMark mark = new MigrationMark();
        new FileTreeSource(new SystemDisk(), log()).read(mark::add, new Findings());
        mark.write(
                new SystemDisk(),
                log(),
                "node=orders-1",
                made.health().storeId().orElseThrow().toString());

        assertThat(guard().open(elsewhere, configuration -> made)).isSameAs(made);
        made.close();

        Files.move(directory.resolve("ours"), directory.resolve("moved"));
        assertThatThrownBy(() -> guard().open(elsewhere, configuration -> ObjectStores.open(inFiles())))
                .isInstanceOf(InstallationException.class)
                .hasMessageContaining("bring back the store that has them, node=orders-1");
    }

    @Test
    void theCommandOfTheRefusalHasATargetBesideTheLog() {
        assertThat(refusalOf(inFiles()))
                .hasMessageContaining(
                        "run: tallystick migrate --to=file " + log() + ' ' + directory.resolve("ours") + ". Or ");
        assertThat(refusalOf(inFiles().toBuilder().directory(log()).build()))
                .hasMessageContaining(log() + " NEW-DIRECTORY. Then set tallystick.directory=NEW-DIRECTORY");
        // The log lies below the directory of ours.
        assertThat(refusalOf(inFiles().toBuilder().directory(directory).build()))
                .hasMessageContaining(log() + " NEW-DIRECTORY. Then set tallystick.directory=NEW-DIRECTORY");
    }

    @Test
    void thePathOfACommandIsQuotedAsTheShellOfItsSystemReadsIt() {
        assertThat(OldLogGuard.quoted("C:\\tx\\log~1", true)).isEqualTo("C:\\tx\\log~1");
        assertThat(OldLogGuard.quoted("C:\\Program Files\\tx", true)).isEqualTo("\"C:\\Program Files\\tx\"");
        assertThat(OldLogGuard.quoted("/var/lib/tx", false)).isEqualTo("/var/lib/tx");
        assertThat(OldLogGuard.quoted("/var/tx of '26", false)).isEqualTo("'/var/tx of '\\''26'");
        assertThat(OldLogGuard.quoted("C:\\tx", false)).isEqualTo("'C:\\tx'");
    }

    @Test
    void aLogOfUnknownFormIsNotToBeMigrated() throws IOException {
        Files.delete(log().resolve(ACTION));
        Files.write(directory.resolve("slotstore.pmem"), new byte[1]);

        assertThat(refusalOf(inFiles()))
                .hasMessageContaining("persistent memory")
                .hasMessageContaining("start once more with the old store")
                .hasMessageNotContaining("tallystick migrate");
    }

    @Test
    void aStoreThatDoesNotServeTheLogIsNotAsked() {
        OldLogGuard guard = new OldLogGuard(new SystemDisk(), () -> Set.of(directory), configuration -> configuration
                .get(StoreOption.STORE)
                .equals("inmemory"));
        guard.open(inFiles(), ObjectStores::open).close();
    }

    @Test
    void anEmptyStoreInNoDirectoryIsNewAndClosedAgain() {
        assertThatThrownBy(this::open)
                .isInstanceOf(InstallationException.class)
                .hasMessageStartingWith("TALLY0412 the store is new, but 1 transaction lies in ")
                .hasMessageContaining("tallystick migrate --to=postgresql --url=URL --node=NODE " + log() + '.')
                .hasMessageContaining(". Or start once more with the old store");
        assertThatThrownBy(store::types).isInstanceOf(StoreClosedException.class);
    }

    @Test
    void theCommandForALogInADatabaseNamesItAndNoPassword() {
        StoreConfiguration configuration = StoreConfiguration.builder()
                .store("postgresql")
                .set(StoreOption.POSTGRESQL_URL, "jdbc:postgresql://db1,db2/tx?sslmode=require&password=secret")
                .set(StoreOption.NODE_ID, "orders-1")
                .set(StoreOption.POSTGRESQL_SCHEMA, "other")
                .set(StoreOption.POSTGRESQL_USER, "the user")
                .set(StoreOption.POSTGRESQL_PASSWORD_FILE, Path.of("/run/secrets/tx"))
                .set(StoreOption.REQUIRE_REPLICATION, StoreOption.Replication.NONE)
                .build();
        assertThatThrownBy(() -> guard().open(configuration, each -> store))
                .hasMessageContaining("run: tallystick migrate --to=postgresql --url="
                        + word("jdbc:postgresql://db1,db2/tx") + " --node=orders-1 --schema=other --user="
                        + word("the user") + " --password-file=" + Path.of("/run/secrets/tx")
                        + " -Dtallystick.require-replication=none " + log()
                        + ". Give --url the parameters of tallystick.postgresql.url too.")
                .hasMessageNotContaining("secret&")
                .hasMessageNotContaining("password=");
    }

    @Test
    void aDatabaseThatWasUsedBeforeTakesNoOldLog() {
        store.write(StateKey.of("/EISNAME", ObjectId.of(new byte[28])), new byte[1], FORCED);
        assertThatThrownBy(this::open)
                .hasMessageContaining("they cannot be moved into this store")
                .hasMessageNotContaining("tallystick migrate");
    }

    @Test
    void aStoreInNoDirectoryIsAskedUntilItHasATransaction() {
        store.write(StateKey.of(TallystickDrain.ACTIONS + "/A", ObjectId.of(new byte[28])), new byte[1], FORCED);
        assertThat(open()).isSameAs(store);
        store.remove(StateKey.of(TallystickDrain.ACTIONS + "/A", ObjectId.of(new byte[28])), FORCED);

        store.write(StateKey.of("/EISNAME", ObjectId.of(new byte[28])), new byte[1], FORCED);
        assertThatThrownBy(this::open)
                .isInstanceOf(InstallationException.class)
                .hasMessageStartingWith("TALLY0412 the store was used before, but ");
    }
}
