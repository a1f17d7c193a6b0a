package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.arjuna.ats.arjuna.objectstore.StoreManager;
import com.arjuna.ats.jta.TransactionManager;
import io.tallystick.storage.ChildJvm;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.OutcomeUnknownException;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreFailedException;
import io.tallystick.store.StoreFullException;
import jakarta.transaction.RollbackException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a transaction asks of the store, and what Narayana makes of its errors. */
class UnknownOutcomeTest {
    /** How {@code tallystick.on-unknown-outcome=halt} ends a process. */
    private static final int HALTED = 70;

    @TempDir
    private Path directory;

    private final List<String> calls = new ArrayList<>();
    private RuntimeException failure;

    @BeforeEach
    void useOurStore() {
        ObjectStore store = Faults.observing(StoreKind.INMEMORY.open(directory), (method, arguments) -> {
            // Once in its life a process also writes where it can be asked about transactions; that is no transaction.
            if (arguments != null
                    && arguments[0] instanceof StateKey key
                    && key.type().startsWith("/StateManager/BasicAction")) {
                calls.add(method + ' ' + key.type());
                if (method.equals("write") && failure != null) {
                    throw failure;
                }
            }
        });
        StoreManager.shutdown(); // of a store that another test in this process has left
        new StoreManager(
                new TallystickObjectStore(store), new TallystickObjectStore(store), new TallystickObjectStore(store));
    }

    @AfterEach
    void useNone() {
        StoreManager.shutdown();
    }

    @Test
    void aTransactionOverTwoResourcesWritesOneRecordAndRemovesIt() throws Exception {
        commitOver(2);
        assertThat(committed()).containsExactly(1, 1);
        String type = "/StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction";
        assertThat(calls).containsExactly("write " + type, "remove " + type);
    }

    @Test
    void aTransactionOverOneResourceNeverTouchesTheStore() throws Exception {
        commitOver(1);
        assertThat(committed()).containsExactly(1, 0);
        assertThat(calls).isEmpty();
    }

    @Test
    void narayanaRollsBackWhatCouldNotBeWrittenAndTheLogSaysWhy() throws Exception {
        failure = new StoreFullException("there is no room on the test's disk");
        try (LogOf log = new LogOf(TallystickObjectStore.class)) {
            assertThatThrownBy(() -> commitOver(2)).isInstanceOf(RollbackException.class);
            assertThat(log.messages()).hasSize(1);
            assertThat(log.messages().get(0)).startsWith("TALLY0403").contains("no room on the test's disk");
        }
        assertThat(committed()).containsExactly(0, 0);
    }

    @Test
    void narayanaRollsBackEvenWhereTheOutcomeIsUnknownAndTheLogSaysSo() throws Exception {
        failure = new OutcomeUnknownException("the test's disk failed", new IOException("as if"));
        try (LogOf log = new LogOf(TallystickObjectStore.class)) {
            assertThatThrownBy(() -> commitOver(2)).isInstanceOf(RollbackException.class);
            assertThat(log.levels()).containsExactly(Level.SEVERE);
            assertThat(log.messages().get(0)).startsWith("TALLY0401").contains("tallystick.on-unknown-outcome=halt");
        }
        assertThat(committed()).containsExactly(0, 0);
    }

    /** An outage ends with one failure, and hundreds of transactions may have waited. */
    @Test
    void onlyTheFirstOfManyUnknownOutcomesOfOneFailureHasAStack() throws Exception {
        IOException outage = new IOException("the test's server was gone");
        try (LogOf log = new LogOf(TallystickObjectStore.class)) {
            for (int i = 0; i < 5; i++) {
                failure = new OutcomeUnknownException("unknown", outage);
                assertThatThrownBy(() -> commitOver(2)).isInstanceOf(RollbackException.class);
            }
            assertThat(log.messagesAt(Level.SEVERE)).hasSize(5).allMatch(line -> line.startsWith("TALLY0401"));
            assertThat(log.stacks()).isEqualTo(1);
        }
    }

    @Test
    void aStoreThatHasFailedDoesNotFillTheLogWithRefusals() throws Exception {
        IOException outage = new IOException("the test's server was gone");
        try (LogOf log = new LogOf(TallystickObjectStore.class)) {
            for (int i = 0; i < 5; i++) {
                failure = new StoreFailedException("failed stop", outage);
                assertThatThrownBy(() -> commitOver(2)).isInstanceOf(RollbackException.class);
            }
            assertThat(log.messages()).hasSize(1);
            assertThat(log.messages().get(0)).startsWith("TALLY0403").contains("failed stop");

            failure = new StoreFullException("another reason");
            assertThatThrownBy(() -> commitOver(2)).isInstanceOf(RollbackException.class);
            assertThat(log.messages()).hasSize(2);
        }
    }

    @Test
    void haltEndsTheProcessWithItsResourcesPrepared() throws IOException {
        Map<String, String> properties = unknownOutcomeOver(StoreKind.INMEMORY);
        properties.put("tallystick.on-unknown-outcome", "halt");
        String printed = ChildJvm.of(CrashingProcess.class)
                .in(directory)
                .withProperties(properties)
                .endsWith(HALTED, "never", "1", transaction().toString());
        assertThat(printed).contains("TALLY0002");
        assertThat(FileResource.transactions(transaction().resolve("a"), "prepared"))
                .hasSize(1);
        assertThat(FileResource.transactions(transaction().resolve("b"), "prepared"))
                .hasSize(1);
    }

    /**
     * Why there is such a setting: the decision is on disk, and the process dies before it has rolled back
     * everything.
     */
    @Test
    void aRollbackAfterAnUnknownOutcomeMayDivideTheResourcesAndHaltDoesNot() throws IOException {
        Map<String, String> properties = unknownOutcomeOver(StoreKind.SEGMENTED_CHANNEL);
        ChildJvm.of(CrashingProcess.class)
                .in(directory)
                .withProperties(properties)
                .endsWith(
                        CrashingProcess.STATUS,
                        "before rollback",
                        "2",
                        transaction().toString());
        recoverFrom(StoreKind.SEGMENTED_CHANNEL);
        assertThat(List.of(states("a"), states("b"))).containsExactlyInAnyOrder("rolledback", "committed");

        properties.put("tallystick.on-unknown-outcome", "halt");
        Path second = transaction().resolveSibling("second");
        ChildJvm.of(CrashingProcess.class)
                .in(directory)
                .withProperties(properties)
                .endsWith(HALTED, "never", "1", second.toString());
        recoverFrom(StoreKind.SEGMENTED_CHANNEL);
        assertThat(FileResource.transactions(second.resolve("a"), "committed")).hasSize(1);
        assertThat(FileResource.transactions(second.resolve("b"), "committed")).hasSize(1);
    }

    private String states(String resource) throws IOException {
        StringBuilder states = new StringBuilder();
        for (String state : List.of("prepared", "committed", "rolledback")) {
            if (!FileResource.transactions(transaction().resolve(resource), state)
                    .isEmpty()) {
                states.append(state);
            }
        }
        return states.toString();
    }

    private void recoverFrom(StoreKind kind) {
        ChildJvm.of(RecoveringProcess.class)
                .in(directory)
                .withProperties(NarayanaProcess.properties(kind.settings(), directory.resolve("store")))
                .endsWith(0, transaction().getParent().toString());
    }

    private Map<String, String> unknownOutcomeOver(StoreKind kind) {
        Map<String, String> properties = NarayanaProcess.properties(kind.settings(), directory.resolve("store"));
        properties.put(UnknownOutcomeProvider.BELOW, properties.put("tallystick.store", UnknownOutcomeProvider.NAME));
        return properties;
    }

    private void commitOver(int resources) throws Exception {
        jakarta.transaction.TransactionManager manager = TransactionManager.transactionManager();
        manager.begin();
        for (FileResource resource :
                CrashingProcess.resources(transaction(), event -> {}).subList(0, resources)) {
            manager.getTransaction().enlistResource(resource);
        }
        manager.commit();
    }

    private List<Integer> committed() throws IOException {
        return List.of(
                FileResource.transactions(transaction().resolve("a"), "committed")
                        .size(),
                FileResource.transactions(transaction().resolve("b"), "committed")
                        .size());
    }

    private Path transaction() {
        return directory.resolve("resources").resolve("transaction");
    }
}
