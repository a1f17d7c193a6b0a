package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.inmemory.InMemoryStore;
import io.tallystick.store.spi.ForwardingStore;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NarayanaHealthTest {
    @Test
    void aProbeCountsTheRecordsInDoubtAndListsNone() {
        try (ObjectStore store = InMemoryStore.open()) {
            write(store, "/StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction", 1);
            write(store, "/StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction", 2);
            write(store, "/StateManager/AbstractRecord/Some", 1);
            write(store, "/StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction/Expired", 1);
            write(store, "/Recovery/TransactionStatusManager", 1);
            ObjectStore unlisted = new ForwardingStore(store) {
                @Override
                public Set<String> types() {
                    throw new AssertionError("a probe walks all records for their types");
                }

                @Override
                public List<StateKey> keys(String type) {
                    throw new AssertionError("a probe lists the records of type=" + type);
                }
            };
            assertThat(NarayanaHealth.of(unlisted).inDoubt()).hasValue(3);
        }
    }

    private static void write(ObjectStore store, String type, int number) {
        store.write(StateKey.of(type, ObjectId.of(new byte[] {(byte) number})), new byte[1], Durability.FORCED);
    }
}
