package io.tallystick.narayana.logs.record;

import java.util.List;
import java.util.Map;

/** Narayana's numbers and the names of its constants. */
final class NarayanaCodes {
    static final int PARTICIPANT_OF_MARKABLE_RESOURCE = 50;
    static final int PARTICIPANT_RECOVERY = 101;
    static final int PARTICIPANT_PERSISTENCE = 111;
    static final int PARTICIPANT_LOGGED_PERSISTENCE = 112;
    static final int PARTICIPANT_XA_RESOURCE = 171;
    static final int PARTICIPANT_CADAVER = 201;
    static final int PARTICIPANT_DISPOSE = 211;
    static final int END_OF_LIST = 463;

    private static final List<String> ACTION_STATUS = List.of(
            "RUNNING",
            "PREPARING",
            "ABORTING",
            "ABORT_ONLY",
            "ABORTED",
            "PREPARED",
            "COMMITTING",
            "COMMITTED",
            "CREATED",
            "INVALID",
            "CLEANUP",
            "H_ROLLBACK",
            "H_COMMIT",
            "H_MIXED",
            "H_HAZARD",
            "DISABLED",
            "NO_ACTION");
    private static final List<String> ACTION_TYPE = List.of("TOP_LEVEL", "NESTED");
    private static final List<String> OUTCOME = List.of(
            "PREPARE_OK",
            "PREPARE_NOTOK",
            "PREPARE_READONLY",
            "HEURISTIC_ROLLBACK",
            "HEURISTIC_COMMIT",
            "HEURISTIC_MIXED",
            "HEURISTIC_HAZARD",
            "FINISH_OK",
            "FINISH_ERROR",
            "NOT_PREPARED",
            "ONE_PHASE_ERROR",
            "INVALID_TRANSACTION",
            "PREPARE_ONE_PHASE_COMMITTED");
    private static final Map<Integer, String> PARTICIPANT = Map.ofEntries(
            Map.entry(PARTICIPANT_OF_MARKABLE_RESOURCE, "CommitMarkableResourceRecord"),
            Map.entry(PARTICIPANT_RECOVERY, "RecoveryRecord"),
            Map.entry(PARTICIPANT_PERSISTENCE, "PersistenceRecord"),
            Map.entry(PARTICIPANT_LOGGED_PERSISTENCE, "TxLogWritePersistenceRecord"),
            Map.entry(121, "LockRecord"),
            Map.entry(131, "ActivationRecord"),
            Map.entry(141, "ResourceRecord (OTS)"),
            Map.entry(151, "OTSAbstractRecord"),
            Map.entry(161, "ParticipantRecord (WS-AT)"),
            Map.entry(162, "ParticipantRecord (WS-BA)"),
            Map.entry(165, "RESTRecord"),
            Map.entry(166, "LRAParticipantRecord"),
            Map.entry(167, "LRAChildAbstractRecord"),
            Map.entry(168, "LRAParentAbstractRecord"),
            Map.entry(PARTICIPANT_XA_RESOURCE, "XAResourceRecord"),
            Map.entry(172, "ExtendedResourceRecord (OTS)"),
            Map.entry(PARTICIPANT_CADAVER, "CadaverRecord"),
            Map.entry(PARTICIPANT_DISPOSE, "DisposeRecord"));

    private NarayanaCodes() {}

    static String participant(int code) {
        return PARTICIPANT.getOrDefault(code, "unknown type " + code);
    }

    static boolean isActionStatus(int code) {
        return isIn(ACTION_STATUS, code);
    }

    static boolean isActionType(int code) {
        return isIn(ACTION_TYPE, code);
    }

    static boolean isOutcome(int code) {
        return isIn(OUTCOME, code);
    }

    static String actionStatus(int code) {
        return name(ACTION_STATUS, code);
    }

    static String actionType(int code) {
        return name(ACTION_TYPE, code);
    }

    static String outcome(int code) {
        return name(OUTCOME, code);
    }

    private static boolean isIn(List<String> names, int code) {
        return code >= 0 && code < names.size();
    }

    private static String name(List<String> names, int code) {
        return isIn(names, code) ? names.get(code) : "unknown " + code;
    }
}
