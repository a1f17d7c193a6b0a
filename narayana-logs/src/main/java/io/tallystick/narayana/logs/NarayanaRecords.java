package io.tallystick.narayana.logs;

import java.util.List;

/** The types of records that stand for work which a process must finish. */
public final class NarayanaRecords {
    /** The type under which Narayana logs its transactions. */
    public static final String ACTIONS = "/StateManager/BasicAction";

    // Actions of every transaction manager; what JTS writes for a resource and its coordinator; participants of XTS and
    // REST-AT.
    private static final List<String> WORK = List.of(
            ACTIONS,
            "/StateManager/AbstractRecord",
            "/CosTransactions",
            "/RecoveryCoordinator",
            "/Resources/Arjuna",
            "/XTS",
            "/REST-AT");
    private static final String GIVEN_UP = "/Expired";

    private NarayanaRecords() {}

    /**
     * Whether a record of this type is a transaction's or a participant's, and was not given up by the expiry
     * scanner.
     *
     * @param type with one slash before each element
     */
    public static boolean isWork(String type) {
        return !type.endsWith(GIVEN_UP)
                && WORK.stream().anyMatch(work -> type.equals(work) || type.startsWith(work + "/"));
    }

    /** The first elements of the types that {@link #isWork} knows: the directories in which a tree keeps them. */
    static List<String> roots() {
        return WORK.stream().map(type -> type.split("/")[1]).distinct().toList();
    }
}
