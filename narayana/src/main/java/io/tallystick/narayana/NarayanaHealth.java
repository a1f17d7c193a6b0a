package io.tallystick.narayana;

import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreException;
import io.tallystick.store.StoreHealth;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * How the log of a transaction manager is, for the health checks of frameworks.
 *
 * @param store the health of the store
 * @param inDoubt records of transactions and of their participants, with those that are being committed at this moment;
 *     empty where the store cannot be listed, as when it is closed. Records that Narayana's expiry scanner has given
 *     up, and LRAs that have failed, are not counted
 */
public record NarayanaHealth(StoreHealth store, OptionalLong inDoubt) {
    public NarayanaHealth {
        Objects.requireNonNull(store);
        Objects.requireNonNull(inDoubt);
    }

    /**
     * The health of this log now. Never throws. It reads counts that the log keeps, and lists no record, so it costs
     * about the same with any number of records. {@link NarayanaStores#inDoubt()} does not: docs/lab/stores.md.
     */
    public static NarayanaHealth of(ObjectStore log) {
        return new NarayanaHealth(log.health(), inDoubt(log));
    }

    private static OptionalLong inDoubt(ObjectStore log) {
        try {
            return OptionalLong.of(TallystickDrain.of(log).pendingActions());
        } catch (StoreException closedOrDamaged) {
            return OptionalLong.empty();
        }
    }

    /** Whether transactions can be logged: what readiness asks. */
    public boolean isServing() {
        return store.isServing();
    }

    /** Whether only a new start of the process can help: what liveness asks. */
    public boolean isFailed() {
        return store.state() == StoreHealth.State.FAILED;
    }

    /**
     * The figures for people, in this order: {@code state}, {@code failure}, {@code usableBytes}, {@code
     * oldestRecordAge} (ISO 8601), {@code inDoubt}. A figure that is not known is left out. No path is among them,
     * except in the text of a failure.
     */
    public Map<String, Object> details() {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("state", store.state().name());
        store.failure().ifPresent(why -> details.put("failure", why.messageId() + " " + why.getMessage()));
        store.usableBytes().ifPresent(bytes -> details.put("usableBytes", bytes));
        store.oldestRecordAge().ifPresent(age -> details.put("oldestRecordAge", age.toString()));
        inDoubt.ifPresent(count -> details.put("inDoubt", count));
        return details;
    }
}
