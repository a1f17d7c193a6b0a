package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.arjuna.ats.arjuna.common.CoreEnvironmentBean;
import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.ats.arjuna.common.Uid;
import com.arjuna.ats.arjuna.common.arjPropertyManager;
import com.arjuna.ats.arjuna.exceptions.ObjectStoreException;
import com.arjuna.ats.arjuna.objectstore.ObjectStoreAPI;
import com.arjuna.ats.arjuna.objectstore.StateType;
import com.arjuna.ats.arjuna.objectstore.StoreManager;
import com.arjuna.ats.arjuna.utils.Utility;
import com.arjuna.ats.internal.arjuna.objectstore.VolatileStore;
import com.arjuna.ats.internal.arjuna.recovery.TransactionStatusManagerItem;
import com.arjuna.common.internal.util.propertyservice.BeanPopulator;
import io.tallystick.narayana.NarayanaStores.Role;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreClosedException;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreHealth;
import io.tallystick.store.StoreOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NarayanaStoresTest {
    private static final String TYPE = "/StateManager/Thing";
    private static final String STATES = "stateStore";

    @TempDir
    private Path directory;

    private final ObjectStoreEnvironmentBean statesBean =
            BeanPopulator.getNamedInstance(ObjectStoreEnvironmentBean.class, STATES);
    private final ObjectStoreEnvironmentBean logBean =
            BeanPopulator.getDefaultInstance(ObjectStoreEnvironmentBean.class);
    private final CoreEnvironmentBean core = arjPropertyManager.getCoreEnvironmentBean();
    private String typeOfStates;
    private String objectStoreDir;
    private String node;

    @BeforeEach
    void remember() {
        StoreManager.shutdown(); // of a store that another test in this process has left
        typeOfStates = statesBean.getObjectStoreType();
        objectStoreDir = logBean.getObjectStoreDir();
        node = core.getNodeIdentifier();
    }

    @AfterEach
    void restore() throws Exception {
        StoreManager.shutdown();
        statesBean.setObjectStoreType(typeOfStates);
        logBean.setObjectStoreDir(objectStoreDir);
        core.setNodeIdentifier(node);
    }

    private StoreConfiguration.Builder inFiles(String name) {
        return StoreConfiguration.builder().store("file").directory(directory.resolve(name));
    }

    private static Stream<ObjectStoreAPI> roles() {
        return Stream.of(
                (ObjectStoreAPI) StoreManager.getRecoveryStore(),
                (ObjectStoreAPI) StoreManager.setupStore(null, StateType.OS_UNSHARED),
                (ObjectStoreAPI) StoreManager.getCommunicationStore());
    }

    @Test
    void aConfiguredStoreServesAllThreeRolesUntilItsHandleIsClosedAndThenANewOneMayCome() throws Exception {
        Uid uid = new Uid();
        for (int life = 1; life <= 3; life++) {
            NarayanaStores stores = NarayanaStores.install(inFiles("store").build());

            assertThat(stores.roles()).containsExactlyInAnyOrder(Role.values());
            assertThat(roles()).allSatisfy(role -> assertThat(((TallystickObjectStore) role).store())
                    .isSameAs(stores.store()));
            if (life == 1) {
                StoreManager.getRecoveryStore().write_committed(uid, TYPE, NarayanaView.state(uid, TYPE, "kept"));
            }
            assertThat(NarayanaView.text(StoreManager.getRecoveryStore().read_committed(uid, TYPE)))
                    .isEqualTo("kept");

            stores.close();
            stores.close();
            assertThatThrownBy(() -> stores.store().types()).isInstanceOf(StoreClosedException.class);
        }
    }

    @Test
    void anOpenStoreServesAllThreeRolesAndIsClosedWithItsHandle() {
        ObjectStore store = ObjectStores.open(inFiles("store").build());
        try (NarayanaStores stores = NarayanaStores.install(store)) {
            assertThat(stores.store()).isSameAs(store);
            assertThat(roles()).allSatisfy(role -> assertThat(((TallystickObjectStore) role).store())
                    .isSameAs(store));
        }
        assertThatThrownBy(store::types).isInstanceOf(StoreClosedException.class);
    }

    @Test
    void aStoreThatIsInstalledForLaterIsOpenedByItsFirstUseWithWhatNarayanaSaysThen() throws Exception {
        try (NarayanaStores stores = NarayanaStores.installLater(
                () -> StoreConfiguration.builder().store("file").build())) {
            logBean.setObjectStoreDir(directory.resolve("narayana").toString());
            core.setNodeIdentifier("node-7");
            assertThat(directory).isEmptyDirectory();

            Uid uid = new Uid();
            StoreManager.getRecoveryStore().write_committed(uid, TYPE, NarayanaView.state(uid, TYPE, "kept"));

            assertThat(stores.store().description().directory())
                    .contains(directory.resolve("narayana").resolve("TallystickObjectStore"));
            assertThat(roles()).allSatisfy(role -> assertThat(((TallystickObjectStore) role).store())
                    .isSameAs(stores.store()));
        }
        assertThatThrownBy(() -> NarayanaStores.install(StoreConfiguration.builder()
                        .store("file")
                        .set(StoreOption.NODE_ID, "node-8")
                        .build()))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("node-7");
    }

    @Test
    void aStoreForLaterThatCannotBeOpenedRefusesEveryUseUntilItCan() throws Exception {
        Path blocked = Files.createFile(directory.resolve("store"));
        try (NarayanaStores stores =
                NarayanaStores.installLater(() -> inFiles("store").build())) {
            Uid uid = new Uid();
            assertThatThrownBy(stores::store)
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining(blocked.toString());
            assertThatThrownBy(() -> StoreManager.getRecoveryStore()
                            .write_committed(uid, TYPE, NarayanaView.state(uid, TYPE, "lost")))
                    .isInstanceOf(ObjectStoreException.class);

            Files.delete(blocked);

            StoreManager.getRecoveryStore().write_committed(uid, TYPE, NarayanaView.state(uid, TYPE, "kept"));
            assertThat(stores.store().keys(TYPE)).hasSize(1);
        }
    }

    @Test
    void aStoreForLaterThatWasNeverUsedLeavesNothingAndItsPlaceToTheNext() throws Exception {
        NarayanaStores unused =
                NarayanaStores.installLater(() -> inFiles("unused").build());
        ObjectStoreAPI first = (ObjectStoreAPI) StoreManager.getRecoveryStore();
        assertThatThrownBy(
                        () -> NarayanaStores.installLater(() -> inFiles("other").build()))
                .isInstanceOf(InstallationException.class)
                .hasMessageContaining("TALLY0413");
        StoreManager.shutdown();
        assertThatThrownBy(() -> first.currentState(new Uid(), TYPE)).isInstanceOf(ObjectStoreException.class);
        unused.close();
        assertThat(directory).isEmptyDirectory();

        try (NarayanaStores next =
                NarayanaStores.installLater(() -> inFiles("next").build())) {
            Uid uid = new Uid();
            first.write_committed(uid, TYPE, NarayanaView.state(uid, TYPE, "kept"));
            assertThat(next.store().keys(TYPE)).hasSize(1);
        }
    }

    @Test
    void aRoleThatIsLeftOutKeepsWhatNarayanaWouldUse() {
        statesBean.setObjectStoreType(VolatileStore.class.getName());
        try (NarayanaStores stores =
                NarayanaStores.install(inFiles("store").build(), Set.of(Role.LOG, Role.MESSAGES))) {
            assertThat(stores.roles()).containsExactlyInAnyOrder(Role.LOG, Role.MESSAGES);
            assertThat(roles().map(Object::getClass))
                    .containsExactly(TallystickObjectStore.class, VolatileStore.class, TallystickObjectStore.class);
        }
    }

    @Test
    void noRoleIsRefused() {
        assertThatThrownBy(() -> NarayanaStores.install(inFiles("store").build(), Set.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("LOG");
    }

    @Test
    void theSameSettingsAgainShareTheStoreUntilTheLastHandleIsClosed() {
        NarayanaStores first = NarayanaStores.install(inFiles("store").build());
        NarayanaStores second = NarayanaStores.install(inFiles("other/../store").build());

        assertThat(second.store()).isSameAs(first.store());
        assertThat(List.of(first.isShared(), second.isShared())).containsExactly(true, true);
        first.close();
        first.close();
        assertThat(second.isShared()).isFalse();
        assertThat(second.store().types()).isEmpty();
        assertThat(roles()).allSatisfy(role -> assertThat(((TallystickObjectStore) role).store())
                .isSameAs(second.store()));
        second.close();
        assertThatThrownBy(() -> second.store().types()).isInstanceOf(StoreClosedException.class);
    }

    @Test
    void theLastHandleTakesTheEntryOfThisProcessOutOfTheStoreAndLeavesThoseOfOthers() throws Exception {
        Uid other = new Uid();
        String type = TransactionStatusManagerItem.typeName();
        NarayanaStores first = NarayanaStores.install(inFiles("store").build());
        NarayanaStores second = NarayanaStores.install(inFiles("store").build());
        for (Uid process : List.of(Utility.getProcessUid(), other)) {
            StoreManager.getCommunicationStore().write_committed(process, type, NarayanaView.state(process, type, ""));
        }
        first.close();
        assertThat(NarayanaView.uids((ObjectStoreAPI) StoreManager.getRecoveryStore(), type))
                .contains(Utility.getProcessUid());
        second.close();

        try (NarayanaStores again = NarayanaStores.install(inFiles("store").build())) {
            assertThat(again.store().statistics().records()).isEqualTo(1);
            assertThat(NarayanaView.uids((ObjectStoreAPI) StoreManager.getRecoveryStore(), type))
                    .containsExactly(other);
        }
    }

    @Test
    void theSameStoreAgainIsShared() {
        ObjectStore store = ObjectStores.open(inFiles("store").build());
        NarayanaStores first = NarayanaStores.install(store);
        NarayanaStores second = NarayanaStores.install(store);
        first.close();
        assertThat(store.types()).isEmpty();
        second.close();
        assertThatThrownBy(store::types).isInstanceOf(StoreClosedException.class);
    }

    @Test
    void otherSettingsAreRefusedNamingTheDifferencesAndTheRemedyAndLeaveTheFirstAsItIs() {
        try (NarayanaStores first = NarayanaStores.install(inFiles("store").build());
                LogOf log = new LogOf(TallystickObjectStore.class)) {
            assertThatThrownBy(() -> NarayanaStores.install(
                            inFiles("other")
                                    .set("tallystick.max-state-size", "64KiB")
                                    .build(),
                            Set.of(Role.LOG)))
                    .isInstanceOfSatisfying(InstallationException.class, refused -> {
                        assertThat(refused.messageId()).isEqualTo("TALLY0418");
                        assertThat(refused.remedy()).contains("@DirtiesContext", "same settings");
                    })
                    .hasMessageStartingWith("TALLY0418 ")
                    .hasMessageContaining("tallystick.directory=" + directory.resolve("store") + " against "
                            + directory.resolve("other"))
                    .hasMessageContaining("tallystick.max-state-size=1048576 against 65536")
                    .hasMessageContaining("roles [LOG, STATES, MESSAGES] against [LOG]");
            assertThat(log.messages()).singleElement().asString().contains("TALLY0415", "TALLY0418");
            assertThat(first.store().types()).isEmpty();
            assertThat(directory.resolve("other")).doesNotExist();
        }
    }

    @Test
    void anOpenStoreIsRefusedWhereAnotherOneIsInstalledAndStaysOpen() {
        try (NarayanaStores first = NarayanaStores.install(inFiles("store").build());
                ObjectStore other = ObjectStores.open(inFiles("other").build())) {
            assertThatThrownBy(() -> NarayanaStores.install(other))
                    .isInstanceOf(InstallationException.class)
                    .hasMessageContaining(directory.resolve("other").toString())
                    .hasMessageContaining(directory.resolve("store").toString());
            assertThat(other.types()).isEmpty();
            assertThat(first.store().types()).isEmpty();
        }
    }

    @Test
    void tooLateIsRefusedNamingTheStoreThatCameFirstAndOpensNothing() {
        statesBean.setObjectStoreType(VolatileStore.class.getName());
        statesBean.setObjectStoreDir(directory.resolve("narayana").toString());
        StoreManager.setupStore(null, StateType.OS_UNSHARED);

        assertThatThrownBy(() -> NarayanaStores.install(inFiles("store").build()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("TALLY0413 ")
                .hasMessageContaining("stateStore=" + VolatileStore.class.getName())
                .hasMessageContaining(directory.resolve("narayana").toString())
                .hasMessageContaining("before its recovery manager starts");
        assertThat(directory.resolve("store")).doesNotExist();

        ObjectStore open = ObjectStores.open(inFiles("store").build());
        assertThatThrownBy(() -> NarayanaStores.install(open)).hasMessageStartingWith("TALLY0413 ");
        assertThat(open.types()).isEmpty();
        open.close();
        StoreManager.shutdown();
        NarayanaStores.install(inFiles("store").build()).close();
    }

    /** A store of Narayana's that is being opened by another thread, until the latch lets it go on. */
    public static final class SlowStore extends VolatileStore {
        private static final CountDownLatch BEGUN = new CountDownLatch(1);
        private static final CountDownLatch MAY_END = new CountDownLatch(1);

        /** Called by Narayana. */
        public SlowStore(ObjectStoreEnvironmentBean bean) throws ObjectStoreException {
            super(bean);
        }

        @Override
        public void start() {
            BEGUN.countDown();
            try {
                MAY_END.await();
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Test
    void aStoreThatNarayanaIsMakingMeanwhileIsWaitedForAndNotReplacedOrReplacing() throws Exception {
        statesBean.setObjectStoreType(SlowStore.class.getName());
        Thread narayana = new Thread(() -> StoreManager.setupStore(null, StateType.OS_UNSHARED));
        narayana.start();
        SlowStore.BEGUN.await();
        AtomicReference<Throwable> refused = new AtomicReference<>();
        Thread installing = new Thread(() -> refused.set(
                catchThrowable(() -> NarayanaStores.install(inFiles("store").build()))));
        installing.start();
        while (installing.getState() != Thread.State.BLOCKED && installing.isAlive()) {
            Thread.onSpinWait();
        }
        SlowStore.MAY_END.countDown();
        narayana.join();
        installing.join();

        assertThat(refused.get()).isInstanceOf(InstallationException.class).hasMessageStartingWith("TALLY0413 ");
        assertThat(directory.resolve("store")).doesNotExist();
    }

    @Test
    void tooLateBecauseOfOurOwnAdaptorNamesItsDirectory() {
        ObjectStore store = ObjectStores.open(inFiles("first").build());
        TallystickObjectStore adaptor = new TallystickObjectStore(store);
        adaptor.start();
        new StoreManager(adaptor, adaptor, adaptor);

        assertThatThrownBy(() -> NarayanaStores.install(inFiles("second").build()))
                .hasMessageStartingWith("TALLY0413 ")
                .hasMessageContaining(directory.resolve("first").toString());
    }

    @Test
    void aStoreThatCannotBeOpenedLeavesNarayanaWithoutOne() throws Exception {
        Path file = Files.createFile(directory.resolve("file"));
        StoreConfiguration bad =
                StoreConfiguration.builder().store("file").directory(file).build();

        assertThatThrownBy(() -> NarayanaStores.install(bad)).isInstanceOf(StoreException.class);

        NarayanaStores.install(inFiles("store").build()).close();
    }

    @Test
    void afterAShutdownBySomebodyElseTheHandleDoesNothingAndANewStoreMayCome() {
        NarayanaStores first = NarayanaStores.install(inFiles("first").build());
        StoreManager.shutdown();
        assertThatThrownBy(() -> first.store().types()).isInstanceOf(StoreClosedException.class);

        NarayanaStores second = NarayanaStores.install(inFiles("second").build());
        first.close();

        assertThat(second.store().types()).isEmpty();
        second.close();
    }

    @Test
    void theFirstAdaptorWorksOnTheStoreThatIsInstalledLaterInAnotherDirectory() throws Exception {
        NarayanaStores first = NarayanaStores.install(inFiles("first").build());
        ObjectStoreAPI keptByRecovery = (ObjectStoreAPI) StoreManager.getRecoveryStore();
        first.close();
        Uid uid = new Uid();
        NarayanaStores second = NarayanaStores.install(inFiles("second").build());
        StoreManager.getRecoveryStore().write_committed(uid, TYPE, NarayanaView.state(uid, TYPE, "new"));

        assertThat(NarayanaView.uids(keptByRecovery, TYPE)).containsExactly(uid);

        second.close();
        assertThatThrownBy(() -> keptByRecovery.read_committed(uid, TYPE))
                .hasCauseInstanceOf(StoreClosedException.class);
    }

    @Test
    void anOpenStoreThatCannotBeInstalledLeavesNarayanaWithoutOneAndStaysOpen() {
        try (ObjectStore store = ObjectStores.open(inFiles("store").build())) {
            System.setProperty("tallystick.remove-durability", "never");
            try {
                assertThatThrownBy(() -> NarayanaStores.install(store))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("tallystick.remove-durability");
            } finally {
                System.clearProperty("tallystick.remove-durability");
            }
            assertThat(NarayanaOccupant.find()).isEmpty();
            assertThat(store.types()).isEmpty();
            NarayanaStores.install(store).close();
        }
    }

    @Test
    void aRefusalThatTheCallerPrintsIsNoErrorInTheLog() throws Exception {
        Path file = Files.createFile(directory.resolve("file"));
        StoreConfiguration refused =
                StoreConfiguration.builder().store("file").directory(file).build();
        try (LogOf log = new LogOf(TallystickObjectStore.class)) {
            assertThatThrownBy(() -> NarayanaStores.installQuietly(refused, Set.of(Role.values())))
                    .isInstanceOf(StoreException.class);

            assertThat(log.messages()).singleElement().asString().contains("TALLY0415", file.toString());
            assertThat(log.levels()).containsExactly(Level.FINE);
        }
    }

    @Test
    void aStoreThatIsRefusedForAnOldLogLeavesNothingBehind() throws Exception {
        logBean.setObjectStoreDir(directory.resolve("narayana").toString());
        OldLogGuardTest.putTransaction(directory.resolve("narayana"));

        assertThatThrownBy(() -> NarayanaStores.install(inFiles("store").build()))
                .isInstanceOf(InstallationException.class)
                .hasMessageStartingWith("TALLY0412 the store is new, but 1 transaction lies in ");
        assertThat(NarayanaOccupant.find()).isEmpty();
        assertThat(directory.resolve("store")).doesNotExist();

        NarayanaStores.install(
                        inFiles("store").set("tallystick.on-old-log", "ignore").build())
                .close();
    }

    /** Narayana's own log stays in use, and its recovery sees what lies there. */
    @Test
    void aStoreThatIsNotForTheLogOpensBesideNarayanasOwnLog() throws Exception {
        logBean.setObjectStoreDir(directory.resolve("narayana").toString());
        OldLogGuardTest.putTransaction(directory.resolve("narayana"));

        NarayanaStores.install(inFiles("store").build(), Set.of(Role.STATES, Role.MESSAGES))
                .close();
        assertThatThrownBy(() -> NarayanaStores.install(inFiles("log").build(), Set.of(Role.LOG)))
                .isInstanceOf(InstallationException.class)
                .hasMessageContaining("TALLY0412");
    }

    /** Narayana makes stores of its own under this monitor, and shuts them down without it. */
    @Test
    void theLastHandleShutsNarayanasStoresDownWhileNarayanaMakesNone() {
        ObjectStore store = ObjectStores.open(inFiles("store").build());
        AtomicReference<Boolean> isHeld = new AtomicReference<>();
        NarayanaStores.install(Faults.observing(store, (method, arguments) -> {
                    if (method.equals("close")) {
                        isHeld.set(Thread.holdsLock(StoreManager.class));
                    }
                }))
                .close();

        assertThat(isHeld).hasValue(true);
    }

    @Test
    void withoutADirectoryTheStoreLivesBelowNarayanasDirectory() {
        logBean.setObjectStoreDir(directory.toString());
        try (NarayanaStores stores = NarayanaStores.install(
                StoreConfiguration.builder().store("file").build())) {
            assertThat(stores.store().description().directory()).contains(directory.resolve("TallystickObjectStore"));
        }
    }

    @Test
    void theStoreBelongsToNarayanasNodeIfSomebodyHasChosenIt() throws Exception {
        core.setNodeIdentifier("orders-7");
        try (NarayanaStores stores = NarayanaStores.install(inFiles("chosen").build())) {
            assertThat(stores.store().health().nodeId()).contains("orders-7");
        }
        core.setNodeIdentifier("orders-8");
        assertThatThrownBy(() -> NarayanaStores.install(inFiles("chosen").build()))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("orders-7");
        core.setNodeIdentifier("1");
        try (NarayanaStores stores = NarayanaStores.install(inFiles("default").build())) {
            assertThat(stores.store().health().nodeId()).isEmpty();
        }
        core.setNodeIdentifier("with a space");
        try (NarayanaStores stores = NarayanaStores.install(inFiles("odd").build())) {
            assertThat(stores.store().health().nodeId()).isEmpty();
        }
        try (NarayanaStores stores = NarayanaStores.install(
                inFiles("told").set(StoreOption.NODE_ID, "told").build())) {
            assertThat(stores.store().health().nodeId()).contains("told");
        }
    }

    @Test
    void aDefaultNodeIsWarnedOfOnceWhereTheStoreIsNotNew() throws Exception {
        core.setNodeIdentifier("1");
        try (LogOf log = new LogOf(TallystickObjectStore.class)) {
            NarayanaStores.install(inFiles("store").build()).close();
            assertThat(log.messages()).isEmpty();
            NarayanaStores.install(inFiles("store").build()).close();
            NarayanaStores.install(inFiles("store").build()).close();
            assertThat(log.messages())
                    .singleElement()
                    .asString()
                    .startsWith("TALLY0419 ")
                    .contains("'1'", directory.resolve("store").toString());
        }
    }

    @Test
    void theHealthHasTheFiguresOfTheLogAndItsTransactionsInDoubt() {
        NarayanaStores stores = NarayanaStores.install(inFiles("store").build());
        stores.store()
                .write(
                        StateKey.of(TallystickDrain.ACTIONS + "/TwoPhase", ObjectId.of(new byte[28])),
                        new byte[1],
                        Durability.FORCED);
        stores.store().write(StateKey.of("/EISNAME", ObjectId.of(new byte[28])), new byte[1], Durability.FORCED);

        NarayanaHealth health = stores.health();
        assertThat(health.isServing()).isTrue();
        assertThat(health.isFailed()).isFalse();
        assertThat(health.inDoubt()).isEqualTo(OptionalLong.of(1));
        assertThat(health.details()).containsEntry("state", "OPEN").containsEntry("inDoubt", 1L);
        assertThat(health.details().keySet()).containsExactly("state", "usableBytes", "oldestRecordAge", "inDoubt");

        stores.close();
        assertThat(stores.health().isServing()).isFalse();
        assertThat(stores.health().store().state()).isEqualTo(StoreHealth.State.CLOSED);
        assertThat(stores.health().details()).containsEntry("state", "CLOSED").doesNotContainKey("inDoubt");
    }
}
