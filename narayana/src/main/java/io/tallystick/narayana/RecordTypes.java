package io.tallystick.narayana;

import java.util.List;

/** The types of records that stand for work which a process of this node must finish. */
final class RecordTypes {
    // Actions of every transaction manager; records of JTS for a resource and its coordinator; participants of XTS and
    // REST-AT.
    private static final List<String> WORK = List.of(
            TallystickDrain.ACTIONS,
            "/StateManager/AbstractRecord",
            "/CosTransactions",
            "/RecoveryCoordinator",
            "/Resources/Arjuna",
            "/XTS",
            "/REST-AT");
    private static final String GIVEN_UP = "/Expired";

    private RecordTypes() {}

    /**
     * Whether a record of this type belongs to a transaction or a participant that the expiry scanner has not given up.
     */
    static boolean isWork(String type) {
        return !type.endsWith(GIVEN_UP)
                && WORK.stream().anyMatch(work -> type.equals(work) || type.startsWith(work + "/"));
    }
}
