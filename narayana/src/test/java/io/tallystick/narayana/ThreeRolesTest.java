package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.arjuna.ats.arjuna.common.Uid;
import com.arjuna.ats.arjuna.objectstore.ObjectStoreAPI;
import com.arjuna.ats.arjuna.objectstore.StateType;
import com.arjuna.ats.arjuna.objectstore.StoreManager;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreClosedException;
import io.tallystick.store.StoreLockedException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Three adaptors, as Narayana makes them, over one directory. */
class ThreeRolesTest {
    private static final String TYPE = "/StateManager/Thing";

    @TempDir
    private Path directory;

    @AfterEach
    void shutdown() {
        StoreManager.shutdown();
    }

    @ParameterizedTest
    @MethodSource("io.tallystick.narayana.StoreKind#durable")
    void theRolesShareOneStoreWithoutBeingStartedAndFindItAgain(StoreKind kind) throws Exception {
        kind.assumeAvailable(directory.getParent());
        Uid uid = new Uid();
        StoreManager.shutdown(); // of a store that another test in this process has left
        for (String life : List.of("first", "second")) {
            new StoreManager(adaptor(kind), adaptor(kind), adaptor(kind));
            ObjectStoreAPI log = (ObjectStoreAPI) StoreManager.getRecoveryStore();
            ObjectStoreAPI states = (ObjectStoreAPI) StoreManager.setupStore(null, StateType.OS_UNSHARED);
            ObjectStoreAPI messages = (ObjectStoreAPI) StoreManager.getCommunicationStore();
            if (life.equals("first")) {
                log.write_committed(uid, TYPE + "/Log", NarayanaView.state(uid, TYPE, "log"));
                states.write_committed(uid, TYPE + "/State", NarayanaView.state(uid, TYPE, "state"));
                messages.write_committed(uid, TYPE + "/Message", NarayanaView.state(uid, TYPE, "message"));
            }
            for (ObjectStoreAPI role : List.of(log, states, messages)) {
                assertThat(NarayanaView.text(role.read_committed(uid, TYPE + "/Log")))
                        .isEqualTo("log");
                assertThat(NarayanaView.text(role.read_committed(uid, TYPE + "/State")))
                        .isEqualTo("state");
                assertThat(NarayanaView.text(role.read_committed(uid, TYPE + "/Message")))
                        .isEqualTo("message");
            }
            StoreManager.shutdown();
        }
    }

    @Test
    void theStoreIsClosedByTheLastRoleAndThenAnotherProcessMayHaveIt() throws Exception {
        StoreKind kind = StoreKind.SEGMENTED_CHANNEL;
        TallystickObjectStore log = adaptor(kind);
        TallystickObjectStore states = adaptor(kind);
        log.start();
        states.start();
        ObjectStore shared = log.store();
        log.stop();
        assertThat(states.store()).isSameAs(shared);
        assertThatThrownBy(() -> kind.open(directory)).isInstanceOf(StoreLockedException.class);
        states.stop();
        assertThatThrownBy(shared::types).isInstanceOf(StoreClosedException.class);
        kind.open(directory).close();
    }

    @Test
    void aDirectoryThatSomebodyElseHasIsRefusedTellingWho() {
        StoreKind kind = StoreKind.SEGMENTED_CHANNEL;
        try (ObjectStore other = kind.open(directory)) {
            assertThat(other.types()).isEmpty();
            TallystickObjectStore log = adaptor(kind);
            assertThatThrownBy(log::start)
                    .isInstanceOf(StoreLockedException.class)
                    .hasMessageContaining("pid=" + ProcessHandle.current().pid());
        }
    }

    private TallystickObjectStore adaptor(StoreKind kind) {
        TallystickStoreEnvironmentBean bean = new TallystickStoreEnvironmentBean();
        bean.setDirectory(directory.toString());
        bean.setStore(kind.settings().get("tallystick.store"));
        bean.setJournalEngine(kind.settings().get("tallystick.journal.engine"));
        bean.setJournalIo(kind.settings().get("tallystick.journal.io"));
        bean.setJournalSegmentSize(kind.settings().get("tallystick.journal.segment-size"));
        bean.setMaxStateSize(kind.settings().get("tallystick.max-state-size"));
        return new TallystickObjectStore(bean);
    }
}
