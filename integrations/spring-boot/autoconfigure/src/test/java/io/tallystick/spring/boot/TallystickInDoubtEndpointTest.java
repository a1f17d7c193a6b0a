package io.tallystick.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.narayana.NarayanaStores;
import io.tallystick.narayana.logs.record.InDoubtReport;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.ObjectStores;
import io.tallystick.store.StateKey;
import io.tallystick.store.StoreConfiguration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TallystickInDoubtEndpointTest {
    private static final String ACTION = "/StateManager/BasicAction/TwoPhaseCoordinator/AtomicAction";

    private final ObjectStore store =
            ObjectStores.open(StoreConfiguration.builder().store("inmemory").build());
    private final NarayanaStores stores = NarayanaStores.install(store);

    @AfterEach
    void close() {
        stores.close();
    }

    /** The names are those of every other place. */
    @Test
    void theAnswerIsTheLookWithTheOldestTransactions() {
        for (int number = 0; number <= TallystickInDoubtEndpoint.SHOWN; number++) {
            byte[] id = new byte[28];
            id[27] = (byte) number;
            store.write(StateKey.of(ACTION, ObjectId.of(id)), new byte[9], Durability.FORCED);
        }
        InDoubtReport report = stores.inDoubt().look().orElseThrow();

        Map<String, Object> answer = new TallystickInDoubtEndpoint(stores).inDoubt();

        assertThat(answer)
                .containsEntry("listed", true)
                .containsEntry("countByState", Map.of("unreadable", TallystickInDoubtEndpoint.SHOWN + 1))
                .containsEntry("transactions", report.listed(TallystickInDoubtEndpoint.SHOWN));
        assertThat((List<?>) answer.get("transactions")).hasSize(TallystickInDoubtEndpoint.SHOWN);
    }
}
