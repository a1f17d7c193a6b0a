package io.tallystick.store.spi;

import io.tallystick.store.RecoveryStore;
import java.util.Map;
import java.util.Set;

/**
 * The types under which a transaction manager keeps notes of its own. No transaction waits for these notes, and they
 * stay in the store for ever. They are no work, and their age means nothing.
 */
public final class BookkeepingTypes {
    // Narayana: names of resource managers in application servers, how a process can be asked, and in JTS where a
    // factory and the coordinator of recovery are.
    private static final Set<String> TYPES = Set.of(
            "/EISNAME", "/Recovery/TransactionStatusManager", "/Recovery/FactoryContact", "/RecoveryCoordinator");

    private BookkeepingTypes() {}

    /** Whether records of this type are such notes. */
    public static boolean contains(String type) {
        return TYPES.contains(type);
    }

    /** How many such notes the store holds. */
    public static long countIn(RecoveryStore store) {
        Map<String, Integer> counts = store.countByType();
        return TYPES.stream().mapToLong(type -> counts.getOrDefault(type, 0)).sum();
    }
}
