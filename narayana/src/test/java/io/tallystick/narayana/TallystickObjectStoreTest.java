package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.arjuna.ats.arjuna.common.Uid;
import com.arjuna.ats.arjuna.exceptions.ObjectStoreException;
import com.arjuna.ats.arjuna.objectstore.StateStatus;
import com.arjuna.ats.arjuna.state.InputObjectState;
import com.arjuna.ats.arjuna.state.OutputObjectState;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreClosedException;
import io.tallystick.store.StoreFencedException;
import io.tallystick.store.StoreOption;
import io.tallystick.store.spi.ForwardingStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TallystickObjectStoreTest {
    private static final String TYPE = "/StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction";

    @TempDir
    private Path directory;

    private ObjectStore store;
    private TallystickObjectStore adaptor;

    @BeforeEach
    void open() {
        store = StoreKind.INMEMORY.open(directory);
        adaptor = new TallystickObjectStore(store);
    }

    @AfterEach
    void stop() {
        adaptor.stop();
    }

    @ParameterizedTest
    @MethodSource("io.tallystick.narayana.StoreKind#plain")
    void anAdaptorThatWasNeverUsedClosesTheStoreItWasGiven(StoreKind kind) {
        ObjectStore given = kind.open(directory);
        new TallystickObjectStore(given).stop();
        assertThatThrownBy(given::force).isInstanceOf(StoreClosedException.class);
    }

    @Test
    void aStateIsStoredUnderTheTypeAndTheBytesOfTheUid() throws ObjectStoreException {
        Uid uid = new Uid();
        OutputObjectState state = NarayanaView.state(uid, TYPE, "log record");
        adaptor.write_committed(uid, TYPE, state);
        assertThat(store.read(StateKey.of(TYPE, ObjectId.of(uid.getBytes())))).contains(state.buffer());
    }

    @Test
    void noRecordOfATransactionIsSaidToBeMissingUntilTheLogIsProvenToBeOurs() throws ObjectStoreException {
        Uid uid = new Uid();
        adaptor.write_committed(uid, TYPE, NarayanaView.state(uid, TYPE, "decided here"));
        TallystickObjectStore fenced = new TallystickObjectStore(new ForwardingStore(store) {
            @Override
            public void proveOwned() {
                throw new StoreFencedException("taken over", null);
            }
        });

        assertThat(fenced.currentState(uid, TYPE)).isEqualTo(StateStatus.OS_COMMITTED);
        assertThatThrownBy(() -> fenced.currentState(new Uid(), TYPE))
                .isInstanceOf(ObjectStoreException.class)
                .hasMessageContaining("taken over");
        assertThat(adaptor.currentState(new Uid(), TYPE)).isEqualTo(StateStatus.OS_UNKNOWN);
    }

    /** The proof shows what another owner's memory has, or this one's by now. */
    @Test
    void theRecordIsLookedUpAfterTheProof() throws ObjectStoreException {
        Uid uid = new Uid();
        TallystickObjectStore proving = new TallystickObjectStore(new ForwardingStore(store) {
            @Override
            public void proveOwned() {
                store.write(StateKey.of(TYPE, ObjectId.of(uid.getBytes())), new byte[10], Durability.FORCED);
            }
        });

        assertThat(proving.currentState(uid, TYPE)).isEqualTo(StateStatus.OS_COMMITTED);
    }

    @Test
    void typeNamesComeWithAndWithoutSlashes() throws ObjectStoreException {
        Uid uid = new Uid();
        adaptor.write_committed(uid, "A/B", NarayanaView.state(uid, "A/B", "1"));
        for (String name : List.of("A/B", "/A/B", "A/B/", "/A/B/", "//A//B")) {
            assertThat(NarayanaView.text(adaptor.read_committed(uid, name)))
                    .as(name)
                    .isEqualTo("1");
            assertThat(NarayanaView.uids(adaptor, name)).as(name).containsExactly(uid);
        }
        assertThat(store.types()).containsExactly("/A/B");
        assertThat(NarayanaView.types(adaptor)).containsExactly("A", "A/B");
    }

    @Test
    void moreTypeNamesThanTheCacheHoldsAreKeptApart() throws ObjectStoreException {
        Uid uid = new Uid();
        for (int i = 0; i < 1_500; i++) {
            adaptor.write_committed(uid, "/Type/" + i, NarayanaView.state(uid, "", "" + i));
        }
        for (int i = 0; i < 1_500; i++) {
            assertThat(NarayanaView.text(adaptor.read_committed(uid, "Type/" + i)))
                    .isEqualTo("" + i);
        }
    }

    @Test
    void aReadStateKnowsItsUidAndItsTypeAsTheCallerNamedThem() throws ObjectStoreException {
        Uid uid = new Uid();
        adaptor.write_committed(uid, TYPE, NarayanaView.state(uid, TYPE, "1"));
        adaptor.write_uncommitted(uid, TYPE, NarayanaView.state(uid, TYPE, "2"));
        for (InputObjectState read : List.of(adaptor.read_committed(uid, TYPE), adaptor.read_uncommitted(uid, TYPE))) {
            assertThat(read.stateUid()).isEqualTo(uid);
            assertThat(read.type()).isEqualTo(TYPE);
            assertThat(read.valid()).isTrue();
        }
    }

    @Test
    void aScanLeavesOutWhatIsNotNarayanasAndTheNullUid() throws ObjectStoreException {
        Uid uid = new Uid();
        adaptor.write_committed(uid, TYPE, NarayanaView.state(uid, TYPE, "1"));
        store.write(StateKey.of(TYPE, ObjectId.of(new byte[5])), new byte[10], Durability.FORCED);
        store.write(StateKey.of(TYPE, ObjectId.of(Uid.nullUid().getBytes())), new byte[10], Durability.FORCED);
        Uid later = new Uid();
        adaptor.write_committed(later, TYPE, NarayanaView.state(later, TYPE, "2"));
        assertThat(NarayanaView.uids(adaptor, TYPE)).containsExactlyInAnyOrder(uid, later);
        assertThat(NarayanaView.uids(adaptor, TYPE, StateStatus.OS_COMMITTED)).containsExactlyInAnyOrder(uid, later);
    }

    @Test
    void parentsOfTypesAreListedOnceAndBeforeTheirChildren() throws ObjectStoreException {
        Uid uid = new Uid();
        for (String type : List.of("/B/C/E", "/A", "/B/C/D", "/B/C", "/Bx")) {
            adaptor.write_committed(uid, type, NarayanaView.state(uid, type, "1"));
        }
        List<String> types = NarayanaView.types(adaptor);
        assertThat(types).containsExactlyInAnyOrder("A", "B", "B/C", "B/C/D", "B/C/E", "Bx");
        assertThat(types.indexOf("B")).isLessThan(types.indexOf("B/C"));
        assertThat(types.indexOf("B/C")).isLessThan(types.indexOf("B/C/D"));
    }

    @TestFactory
    Stream<DynamicTest> whatIsNoUidTypeNameOrStateIsRefusedAndChangesNothing() {
        Uid uid = new Uid();
        Uid invalid = new Uid("not a uid");
        Map<String, Call> calls = new LinkedHashMap<>();
        addOperations(calls, "null Uid", null, TYPE);
        addOperations(calls, "invalid Uid", invalid, TYPE);
        Map<String, String> badTypes =
                Map.of("empty type", "", "type of slashes", "//", "type of half a character", "/\ud800");
        badTypes.forEach((name, type) -> addOperations(calls, name, uid, type));
        addOperations(calls, "null type", uid, null);
        calls.put("allObjUids, type of half a character", () -> adaptor.allObjUids("/\ud800", new InputObjectState()));
        calls.put("allObjUids, null place", () -> adaptor.allObjUids(TYPE, null));
        calls.put("allTypes, null place", () -> adaptor.allTypes(null));
        calls.put("write_committed, null state", () -> adaptor.write_committed(uid, TYPE, null));
        calls.put("write_uncommitted, null state", () -> adaptor.write_uncommitted(uid, TYPE, null));
        return calls.entrySet().stream()
                .map(entry -> dynamicTest(entry.getKey(), () -> {
                    assertThatThrownBy(entry.getValue()::run)
                            .isInstanceOf(ObjectStoreException.class)
                            .hasCauseInstanceOf(IllegalArgumentException.class)
                            .hasMessageContaining(entry.getKey().split(",")[0]);
                    assertThat(store.types()).isEmpty();
                }));
    }

    private Map<String, Call> operations(Uid uid, String type) {
        Map<String, Call> calls = new LinkedHashMap<>();
        calls.put("write_committed", () -> adaptor.write_committed(uid, type, new OutputObjectState()));
        calls.put("write_uncommitted", () -> adaptor.write_uncommitted(uid, type, new OutputObjectState()));
        calls.put("remove_committed", () -> adaptor.remove_committed(uid, type));
        calls.put("remove_uncommitted", () -> adaptor.remove_uncommitted(uid, type));
        calls.put("commit_state", () -> adaptor.commit_state(uid, type));
        calls.put("read_committed", () -> adaptor.read_committed(uid, type));
        calls.put("read_uncommitted", () -> adaptor.read_uncommitted(uid, type));
        calls.put("currentState", () -> adaptor.currentState(uid, type));
        calls.put("hide_state", () -> adaptor.hide_state(uid, type));
        calls.put("reveal_state", () -> adaptor.reveal_state(uid, type));
        return calls;
    }

    private void addOperations(Map<String, Call> calls, String bad, Uid uid, String type) {
        operations(uid, type).forEach((name, call) -> calls.put(name + ", " + bad, call));
    }

    @Test
    void aStateThatIsTooLargeIsRefusedWithTheReason() {
        Uid uid = new Uid();
        byte[] large = new byte
                [Math.toIntExact(StoreOption.MAX_STATE_SIZE.defaultValue().orElseThrow() + 1)];
        OutputObjectState state = new OutputObjectState(uid, TYPE, large);
        assertThatThrownBy(() -> adaptor.write_committed(uid, TYPE, state))
                .isInstanceOf(ObjectStoreException.class)
                .hasCauseInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(String.valueOf(state.length()));
        assertThat(store.types()).isEmpty();
    }

    @Test
    void controlCharactersInANameDoNotReachAMessage() {
        assertThatThrownBy(() -> adaptor.write_committed(new Uid(), "/a\n\u001b[31m", null))
                .isInstanceOf(ObjectStoreException.class)
                .satisfies(refused ->
                        assertThat(refused.getMessage()).doesNotContain("\n").doesNotContain("\u001b"));
    }

    @Test
    void aStoppedAdaptorRefusesEveryOperationUntilItIsStarted() {
        adaptor.stop();
        adaptor.stop();
        for (Map.Entry<String, Call> entry : operations(new Uid(), TYPE).entrySet()) {
            assertThatThrownBy(entry.getValue()::run)
                    .as(entry.getKey())
                    .isInstanceOf(ObjectStoreException.class)
                    .hasCauseInstanceOf(StoreClosedException.class)
                    .hasMessageContaining("start()");
        }
        for (Call call : List.<Call>of(
                () -> {
                    adaptor.sync();
                    return null;
                },
                () -> adaptor.allTypes(new InputObjectState()),
                () -> adaptor.allObjUids(TYPE, new InputObjectState()))) {
            assertThatThrownBy(call::run)
                    .isInstanceOf(ObjectStoreException.class)
                    .hasCauseInstanceOf(StoreClosedException.class);
        }
        assertThatThrownBy(() -> adaptor.store()).isInstanceOf(StoreClosedException.class);
    }

    @Test
    void aConfiguredAdaptorOpensAtTheFirstOperationAndAgainAfterStart() throws ObjectStoreException {
        TallystickStoreEnvironmentBean bean = new TallystickStoreEnvironmentBean();
        bean.setStore("inmemory");
        TallystickObjectStore configured = new TallystickObjectStore(bean);
        Uid uid = new Uid();
        assertThat(configured.write_committed(uid, TYPE, NarayanaView.state(uid, TYPE, "1")))
                .isTrue();
        ObjectStore first = configured.store();
        configured.start();
        configured.start();
        assertThat(configured.store()).isSameAs(first);
        configured.stop();
        assertThatThrownBy(() -> configured.read_committed(uid, TYPE)).isInstanceOf(ObjectStoreException.class);
        configured.start();
        assertThat(configured.store()).isNotSameAs(first);
        configured.stop();
    }

    @Test
    void aStoreThatCannotBeOpenedFailsTheOperationThatWantedItAndStart() {
        TallystickStoreEnvironmentBean bean = new TallystickStoreEnvironmentBean();
        bean.setStore("nosuchstore");
        TallystickObjectStore configured = new TallystickObjectStore(bean);
        assertThatThrownBy(() -> configured.read_committed(new Uid(), TYPE))
                .isInstanceOf(ObjectStoreException.class)
                .hasCauseInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("nosuchstore");
        assertThatThrownBy(configured::start)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("nosuchstore");
        configured.stop();
    }

    @Test
    void removalsAreDeferredUnlessConfiguredOtherwise() throws ObjectStoreException {
        assertThat(durabilitiesOfRemovals(TYPE, null)).containsOnly(Durability.DEFERRED);
        assertThat(durabilitiesOfRemovals(TYPE, "forced")).containsOnly(Durability.FORCED);
    }

    /** An ended LRA that came back would call its participants once more, and they may not know that. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/StateManager/BasicAction/LongRunningAction",
                "StateManager/BasicAction/AtomicAction/Sagas/BACoordinator",
                "/StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction/OfSomeone",
                "/XTS/WSBA/ParticipantRecoveryRecord",
                "/REST-AT/participant"
            })
    void removalsOfRecordsWhoseParticipantsAreNoXaResourcesAreForced(String type) throws ObjectStoreException {
        assertThat(durabilitiesOfRemovals(type, null)).containsOnly(Durability.FORCED);
        assertThat(durabilitiesOfRemovals(type, "deferred")).containsOnly(Durability.DEFERRED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction",
                "/StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction/SubordinateAtomicAction/JCA",
                "/StateManager/BasicAction/TwoPhaseCoordinator/ArjunaTransactionImple/ServerTransaction/JCA",
                "/CosTransactions/XAResourceRecord",
                "/StateManager/LockManager/Account"
            })
    void removalsOfXaTransactionsAreDeferred(String type) throws ObjectStoreException {
        assertThat(durabilitiesOfRemovals(type, null)).containsOnly(Durability.DEFERRED);
    }

    private List<Durability> durabilitiesOfRemovals(String type, String configured) throws ObjectStoreException {
        List<Durability> seen = new ArrayList<>();
        ObjectStore observed = Faults.observing(store, (method, arguments) -> {
            if (method.equals("remove") || method.equals("discardShadow")) {
                seen.add((Durability) arguments[1]);
            }
        });
        try {
            if (configured != null) {
                System.setProperty(StoreOption.REMOVE_DURABILITY.key(), configured);
            }
            TallystickObjectStore observedAdaptor = new TallystickObjectStore(observed);
            Uid uid = new Uid();
            observedAdaptor.write_committed(uid, type, NarayanaView.state(uid, type, "1"));
            observedAdaptor.write_uncommitted(uid, type, NarayanaView.state(uid, type, "2"));
            assertThat(observedAdaptor.remove_uncommitted(uid, type)).isTrue();
            assertThat(observedAdaptor.remove_committed(uid, type)).isTrue();
        } finally {
            System.clearProperty(StoreOption.REMOVE_DURABILITY.key());
        }
        assertThat(seen).hasSize(2);
        return seen;
    }

    @Test
    void everythingButRemovalsIsForced() throws ObjectStoreException {
        List<Durability> seen = new ArrayList<>();
        TallystickObjectStore observed = new TallystickObjectStore(Faults.observing(store, (method, arguments) -> {
            if (method.equals("write") || method.equals("writeShadow")) {
                seen.add((Durability) arguments[2]);
            } else if (method.equals("commitShadow")) {
                seen.add((Durability) arguments[1]);
            }
        }));
        Uid uid = new Uid();
        observed.write_committed(uid, TYPE, NarayanaView.state(uid, TYPE, "1"));
        observed.write_uncommitted(uid, TYPE, NarayanaView.state(uid, TYPE, "2"));
        observed.commit_state(uid, TYPE);
        assertThat(seen).containsExactly(Durability.FORCED, Durability.FORCED, Durability.FORCED);
    }

    @Test
    void syncForcesTheStore() throws ObjectStoreException {
        List<String> seen = new ArrayList<>();
        TallystickObjectStore observed =
                new TallystickObjectStore(Faults.observing(store, (method, arguments) -> seen.add(method)));
        seen.clear();
        observed.sync();
        assertThat(seen).containsExactly("force");
    }

    @Test
    void aFailureToCloseIsLoggedAndNotThrown() {
        TallystickObjectStore failing = new TallystickObjectStore(Faults.observing(store, (method, arguments) -> {
            if (method.equals("close")) {
                throw new StoreClosedException("as if the disk had failed");
            }
        }));
        failing.start();
        try (LogOf log = new LogOf(TallystickObjectStore.class)) {
            failing.stop();
            assertThat(log.messages()).hasSize(1).first().asString().startsWith("TALLY0402");
        }
        assertThatThrownBy(() -> failing.store()).isInstanceOf(StoreClosedException.class);
    }

    @Test
    void theNameIsTheSameForAllAdaptorsAndNeedsNoStore() {
        adaptor.stop();
        assertThat(adaptor.getStoreName())
                .isEqualTo(new TallystickObjectStore(new TallystickStoreEnvironmentBean()).getStoreName())
                .isNotBlank();
    }

    private interface Call {
        Object run() throws Exception;
    }
}
