package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.storage.SystemDisk;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreClosedException;
import io.tallystick.store.StoreConfiguration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store whose log is in no directory, as in a database. The tool's test of this name has stores on disk. */
class OldLogGuardTest {
    @TempDir
    private Path directory;

    private final ObjectStore store =
            ObjectStores.open(StoreConfiguration.builder().store("inmemory").build());

    /** Leaves a transaction where Narayana's default store would. */
    static void putTransaction(Path objectStoreDir) throws IOException {
        Path type = objectStoreDir.resolve(
                "ShadowNoFileLockStore/defaultStore/StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction");
        Files.write(Files.createDirectories(type).resolve("0_ffff7f000001_8c2b_6560f5a3_1"), new byte[1]);
    }

    @BeforeEach
    void leaveATransaction() throws IOException {
        putTransaction(directory);
    }

    private ObjectStore open() {
        // The directory belongs to another store, and says nothing about this one.
        return new OldLogGuard(new SystemDisk(), () -> Set.of(directory))
                .open(
                        StoreConfiguration.builder()
                                .store("postgresql")
                                .directory(directory.resolve("other"))
                                .build(),
                        configuration -> store);
    }

    @Test
    void anEmptyStoreInNoDirectoryIsNewAndClosedAgain() {
        assertThatThrownBy(this::open)
                .isInstanceOf(InstallationException.class)
                .hasMessageStartingWith("TALLY0412 the store is new, but 1 transaction lies in ");
        assertThatThrownBy(store::types).isInstanceOf(StoreClosedException.class);
    }

    @Test
    void aStoreInNoDirectoryWithARecordIsNotNew() {
        store.write(StateKey.of("/EISNAME", ObjectId.of(new byte[28])), new byte[1], Durability.FORCED);

        assertThat(open()).isSameAs(store);
        store.close();
    }
}
