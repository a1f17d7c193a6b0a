package io.tallystick.narayana.logs;

import java.util.List;
import java.util.Set;

/** The types of records that stand for work which a process must finish. */
public final class NarayanaRecords {
    /** The type under which Narayana logs its transactions. */
    public static final String ACTIONS = "/StateManager/BasicAction";

    // Actions of every transaction manager; what JTS writes for a resource; participants of XTS and REST-AT.
    private static final List<String> WORK = List.of(
            ACTIONS, "/StateManager/AbstractRecord", "/CosTransactions", "/Resources/Arjuna", "/XTS", "/REST-AT");
    // Types of WORK whose participants answer a second commit with "not known" and change nothing: XA resources, and
    // the resources of JTS. A subclass of AtomicAction may have others.
    private static final Set<String> REPEATABLE = Set.of(
            ACTIONS + "/TwoPhaseCoordinator/AtomicAction",
            ACTIONS + "/TwoPhaseCoordinator/AtomicAction/SubordinateAtomicAction",
            ACTIONS + "/TwoPhaseCoordinator/AtomicAction/SubordinateAtomicAction/JCA");
    private static final List<String> REPEATABLE_BELOW = List.of(
            ACTIONS + "/TwoPhaseCoordinator/ArjunaTransactionImple",
            "/StateManager/AbstractRecord",
            "/CosTransactions",
            "/Resources/Arjuna");
    private static final String EXPIRED = "/Expired";
    private static final String FAILED_LRA = ACTIONS + "/LongRunningAction/Failed";

    private NarayanaRecords() {}

    /**
     * Whether a record of this type is a transaction's or a participant's, and was not {@linkplain #isGivenUp given
     * up}.
     *
     * @param type with one slash before each element
     */
    public static boolean isWork(String type) {
        return !isGivenUp(type) && isAtOrBelow(WORK, type);
    }

    /**
     * Whether a record of this type stays until a person deletes it, and recovery does nothing with it: the expiry
     * scanner has given it up, or it is a long running action (LRA) that has failed.
     *
     * @param type with one slash before each element
     */
    public static boolean isGivenUp(String type) {
        return type.endsWith(EXPIRED) || type.equals(FAILED_LRA);
    }

    /**
     * Whether recovery may finish a transaction again whose record of this type came back, because a crash lost its
     * removal. It may where all participants are XA resources, or resources of JTS: they know nothing of the
     * transaction any more. A participant of an LRA, of REST-AT or of XTS would be called a second time. True also
     * for records that are no transaction's.
     *
     * @param type with one slash before each element
     */
    public static boolean isRepeatable(String type) {
        return REPEATABLE.contains(type) || isAtOrBelow(REPEATABLE_BELOW, type) || !isWork(type);
    }

    private static boolean isAtOrBelow(List<String> types, String type) {
        return types.stream().anyMatch(each -> type.equals(each) || type.startsWith(each + "/"));
    }

    /** The first elements of the types that {@link #isWork} knows: the directories in which a tree keeps them. */
    static List<String> roots() {
        return WORK.stream().map(type -> type.split("/")[1]).distinct().toList();
    }
}
