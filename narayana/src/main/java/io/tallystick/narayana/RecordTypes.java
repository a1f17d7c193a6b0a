package io.tallystick.narayana;

import java.util.List;

/** Which records stand for work that some process must finish, by the type under which Narayana writes them. */
final class RecordTypes {
    // Actions of every transaction manager; what JTS writes for a resource and its coordinator; participants of XTS and
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
     * Whether a record of this type is a transaction's or a participant's, and was not given up by the expiry
     * scanner.
     */
    static boolean isWork(String type) {
        return !type.endsWith(GIVEN_UP)
                && WORK.stream().anyMatch(work -> type.equals(work) || type.startsWith(work + "/"));
    }
}
