package io.tallystick.spring.boot;

import io.tallystick.narayana.NarayanaHealth;
import io.tallystick.narayana.NarayanaStores;
import io.tallystick.narayana.TallystickDrain;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreClosedException;
import io.tallystick.store.StoreDescription;
import io.tallystick.store.StoreStatistics;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** {@code /actuator/tallystick}: the store, its health, its counts, and its records by type. Changes nothing. */
@Endpoint(id = "tallystick")
public final class TallystickEndpoint {
    private final NarayanaStores stores;

    TallystickEndpoint(NarayanaStores stores) {
        this.stores = stores;
    }

    /** How the store is now. Lists the keys of all records. */
    @ReadOperation
    public Map<String, Object> store() {
        ObjectStore store = stores.store();
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("store", describe(store.description()));
        answer.put("health", health(stores.health()));
        answer.put("transactions", transactions(TallystickDrain.of(store)));
        answer.put("statistics", statistics(store.statistics()));
        answer.put("records", records(store));
        return answer;
    }

    private static Map<String, Object> describe(StoreDescription description) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("kind", description.store());
        description.engine().ifPresent(engine -> answer.put("engine", engine));
        description.io().ifPresent(io -> answer.put("io", io));
        description.directory().ifPresent(directory -> answer.put("directory", directory.toString()));
        answer.put("place", description.place());
        answer.put("remark", description.remark());
        return answer;
    }

    private static Map<String, Object> health(NarayanaHealth health) {
        Map<String, Object> answer = new LinkedHashMap<>(health.details());
        answer.put("serving", health.isServing());
        answer.put("lockHeld", health.store().lockHeld());
        health.store().lastForceAge().ifPresent(age -> answer.put("lastForceAge", age.toString()));
        health.store().storeId().ifPresent(id -> answer.put("storeId", id.toString()));
        health.store().nodeId().ifPresent(node -> answer.put("nodeId", node));
        return answer;
    }

    private static Map<String, Object> transactions(TallystickDrain drain) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("accepting", drain.isAccepting());
        answer.put("active", drain.activeTransactions());
        return answer;
    }

    private static Map<String, Object> statistics(StoreStatistics statistics) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("records", statistics.records());
        answer.put("bytes", statistics.bytes());
        answer.put("writes", statistics.writes());
        answer.put("removes", statistics.removes());
        answer.put("reads", statistics.reads());
        answer.put("bytesWritten", statistics.bytesWritten());
        answer.put("forces", statistics.forces());
        answer.put("recordsForced", statistics.recordsForced());
        answer.put("forceLatency", statistics.forceLatency());
        return answer;
    }

    private static Map<String, Integer> records(ObjectStore store) {
        try {
            return new TreeMap<>(store.countByType());
        } catch (StoreClosedException closed) {
            return Map.of();
        }
    }
}
