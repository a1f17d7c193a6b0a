package io.tallystick.narayana.logs.record;

import io.tallystick.narayana.logs.NarayanaRecords;
import io.tallystick.store.spi.BookkeepingTypes;
import java.util.List;
import java.util.Locale;

/** The duty of recovery for a record of Narayana's. docs/tool.md has the table. */
public enum RecordState {
    /** A transaction with participants that do not know the outcome yet. */
    IN_DOUBT,
    /** A transaction of which a participant decided on its own. */
    HEURISTIC,
    /** A transaction of which only the record is left. */
    FINISHED,
    /** A transaction that recovery has given up. */
    GIVEN_UP,
    /** A transaction whose record cannot be read to its end. */
    UNREADABLE,
    /** A long running action: its class packs fields and participants of a layout that is not known here. */
    NOT_DECODED,
    /** A record that Narayana keeps for itself. */
    BOOKKEEPING,
    /** A record of unknown layout. */
    OTHER;

    private static final String NAMES = "/EISNAME";
    private static final String NOTES = "/Recovery/";
    private static final String ASSUMED_COMPLETE = "/AssumedComplete";
    private static final String LRA = NarayanaRecords.ACTIONS + "/LongRunningAction";
    private static final String HEURISTIC_STATUS = "H_";

    /** One word for people. */
    public String label() {
        return this == OTHER ? "-" : name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static RecordState of(String type, Fields fields) {
        if (BookkeepingTypes.contains(type) || type.startsWith(NAMES + "/") || type.startsWith(NOTES)) {
            return BOOKKEEPING;
        }
        if (!type.contains(ActionRecord.ACTION)) {
            return OTHER;
        }
        boolean isGivenUp = NarayanaRecords.isGivenUp(type) || type.contains(ASSUMED_COMPLETE);
        if (isGivenUp && type.startsWith(LRA + "/")) { // its end is never known
            return GIVEN_UP;
        }
        if (fields.get(ActionRecord.NOT_UNDERSTOOD) != null) {
            return UNREADABLE;
        }
        if (type.equals(LRA)) {
            return NOT_DECODED;
        }
        Object status = fields.get(ActionRecord.STATUS);
        if (status == null) {
            return UNREADABLE;
        }
        if (isGivenUp) {
            return GIVEN_UP;
        }
        if (isAnyIn(fields.get(ActionRecord.HEURISTICS)) || status.toString().startsWith(HEURISTIC_STATUS)) {
            return HEURISTIC;
        }
        return isAnyIn(fields.get(ActionRecord.PARTICIPANTS)) ? IN_DOUBT : FINISHED;
    }

    static boolean isAnyIn(Object list) {
        return list instanceof List<?> entries && !entries.isEmpty();
    }
}
