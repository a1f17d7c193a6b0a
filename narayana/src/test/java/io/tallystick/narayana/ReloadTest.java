package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.arjuna.ats.arjuna.common.Uid;
import com.arjuna.ats.arjuna.exceptions.ObjectStoreException;
import io.tallystick.storage.ChildJvm;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreClosedException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A transaction manager that is stopped and started again in one process, as by a container that is reloaded.
 * Narayana's recovery modules keep the first adaptor for ever.
 */
@Tag("long")
class ReloadTest {
    private static final String TYPE = "/StateManager/Thing";

    @TempDir
    private Path directory;

    @ParameterizedTest
    @MethodSource("io.tallystick.narayana.StoreKind#plain")
    void recoveryFinishesABranchThatCouldNotCommitAlsoAfterAReload(StoreKind kind) throws IOException {
        Map<String, String> properties = NarayanaProcess.properties(kind.settings(), directory.resolve("store"));
        assertThatAllRoundsFinish(run(properties));
    }

    @Test
    void soItDoesWhereAProgramOpensTheStoresItself() throws IOException {
        Map<String, String> properties =
                NarayanaProcess.properties(StoreKind.FILE.settings(), directory.resolve("store"));
        assertThatAllRoundsFinish(run(properties, "code"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"install", "move"})
    void soItDoesWhereAProgramInstallsTheStoreInOneDirectoryOrInAnotherEachTime(String how) throws IOException {
        Map<String, String> properties =
                NarayanaProcess.properties(StoreKind.SEGMENTED_CHANNEL.settings(), directory.resolve("store"));
        NarayanaProcess.ROLES.forEach(
                role -> properties.remove("ObjectStoreEnvironmentBean." + role + "objectStoreType"));
        assertThatAllRoundsFinish(run(properties, how));
    }

    /** What the others are compared with. */
    @Test
    void soItDoesOnNarayanasFileStore() throws IOException {
        Map<String, String> properties =
                NarayanaProcess.properties(StoreKind.FILE.settings(), directory.resolve("store"));
        NarayanaProcess.ROLES.forEach(role -> {
            properties.remove("ObjectStoreEnvironmentBean." + role + "objectStoreType");
            properties.put(
                    "ObjectStoreEnvironmentBean." + role + "objectStoreDir",
                    directory.resolve("narayana").toString());
        });
        assertThatAllRoundsFinish(run(properties));
    }

    @ParameterizedTest
    @MethodSource("io.tallystick.narayana.StoreKind#plain")
    void aStoppedAdaptorWorksOnTheStoreThatAnotherHasOpenForItsDirectoryAndKeepsNothingOpen(StoreKind kind)
            throws ObjectStoreException {
        TallystickObjectStore first = adaptor(kind);
        first.start();
        first.stop();
        TallystickObjectStore second = adaptor(kind);
        second.start();
        Uid uid = new Uid();

        assertThat(first.write_committed(uid, TYPE, NarayanaView.state(uid, TYPE, "1")))
                .isTrue();

        assertThat(NarayanaView.uids(second, TYPE)).containsExactly(uid);
        ObjectStore shared = second.store();
        assertThat(first.store()).isSameAs(shared);
        second.stop();
        assertThatThrownBy(shared::types).isInstanceOf(StoreClosedException.class);
    }

    @Test
    void aStoppedAdaptorOpensNothingWhileNobodyHasItsDirectory() {
        StoreKind kind = StoreKind.FILE;
        TallystickObjectStore stopped = adaptor(kind);
        stopped.start();
        stopped.stop();

        assertThatThrownBy(() -> stopped.remove_committed(new Uid(), TYPE))
                .isInstanceOf(ObjectStoreException.class)
                .hasCauseInstanceOf(StoreClosedException.class)
                .hasMessageContaining("no other adaptor of this process has its directory open");

        kind.open(directory.resolve("store")).close();
    }

    @Test
    void anAdaptorThatWasStoppedBeforeItOpenedAnythingJoinsToo() throws ObjectStoreException {
        TallystickObjectStore stopped = adaptor(StoreKind.FILE);
        stopped.stop();
        TallystickObjectStore other = adaptor(StoreKind.FILE);
        other.start();
        assertThat(stopped.store()).isSameAs(other.store());
        other.stop();
    }

    @Test
    void aStoppedAdaptorKeepsToItsDirectoryWhenTheSettingsNameAnother() {
        TallystickStoreEnvironmentBean bean = bean(StoreKind.FILE);
        TallystickObjectStore first = new TallystickObjectStore(bean);
        first.start();
        first.stop();
        bean.setDirectory(directory.resolve("elsewhere").toString());
        TallystickObjectStore second = new TallystickObjectStore(bean);
        second.start();
        assertThatThrownBy(first::store).isInstanceOf(StoreClosedException.class);
        second.stop();
    }

    @Test
    void aStoreThatWasGivenToAnAdaptorIsFoundFromItsFirstUseUntilItIsStopped() {
        Path place = directory.resolve("store");
        TallystickObjectStore stopped = adaptor(StoreKind.FILE);
        stopped.start();
        stopped.stop();
        ObjectStore given = StoreKind.FILE.open(place);
        TallystickObjectStore second = new TallystickObjectStore(given);
        assertThatThrownBy(stopped::store).isInstanceOf(StoreClosedException.class);
        second.start();
        assertThat(stopped.store()).isSameAs(given);
        second.stop();
        assertThatThrownBy(stopped::store).isInstanceOf(StoreClosedException.class);
        assertThatThrownBy(second::store).isInstanceOf(StoreClosedException.class);
        ObjectStore next = StoreKind.FILE.open(place);
        TallystickObjectStore third = new TallystickObjectStore(next);
        third.start();
        assertThat(second.store()).isSameAs(next);
        third.stop();
    }

    private void assertThatAllRoundsFinish(String printed) throws IOException {
        for (int round = 1; round <= ReloadingProcess.ROUNDS; round++) {
            Path resources = directory.resolve("resources").resolve("round" + round);
            assertThat(printed).contains(ReloadingProcess.ROUND + round + ": 0");
            for (String name : new String[] {"a", "b"}) {
                assertThat(FileResource.transactions(resources.resolve(name), "committed"))
                        .as(printed)
                        .hasSize(1);
            }
        }
    }

    private String run(Map<String, String> properties, String... more) {
        String[] arguments = new String[more.length + 1];
        arguments[0] = directory.resolve("resources").toString();
        System.arraycopy(more, 0, arguments, 1, more.length);
        return ChildJvm.of(ReloadingProcess.class)
                .in(directory)
                .withProperties(properties)
                .endsWith(0, arguments);
    }

    private TallystickObjectStore adaptor(StoreKind kind) {
        return new TallystickObjectStore(bean(kind));
    }

    private TallystickStoreEnvironmentBean bean(StoreKind kind) {
        TallystickStoreEnvironmentBean bean = new TallystickStoreEnvironmentBean();
        bean.setDirectory(directory.resolve("store").toString());
        bean.setStore(kind.settings().get("tallystick.store"));
        bean.setJournalEngine(kind.settings().get("tallystick.journal.engine"));
        bean.setJournalIo(kind.settings().get("tallystick.journal.io"));
        bean.setJournalSegmentSize(kind.settings().get("tallystick.journal.segment-size"));
        bean.setMaxStateSize(kind.settings().get("tallystick.max-state-size"));
        return bean;
    }
}
