package io.tallystick.narayana.logs.record;

import java.util.ArrayList;
import java.util.List;

/**
 * What the {@code CommitMarkableResourceRecord}s in a record tell about the decision.
 *
 * <p>Narayana writes the record as {@code PREPARED} before such a resource commits, which is the first of the list. So
 * the status proves nothing: the outcome is a row in the database of the resource. Recovery looks for the row, and
 * notes in the record whether it was there. Without it recovery rolls back all other participants
 * (CommitMarkableResourceRecord.commit, BasicAction.doCommit, 7.3.4), unless one was told to commit before.
 */
final class MarkableOutcome {
    static final String RECORD = NarayanaCodes.participant(NarayanaCodes.PARTICIPANT_OF_MARKABLE_RESOURCE);

    private MarkableOutcome() {}

    /**
     * The decision, as far as these participants leave it proven.
     *
     * @param record all fields of the record
     * @param decision what its status tells
     */
    static Decision limited(Fields record, Decision decision) {
        List<String> outcomes = new ArrayList<>();
        for (String list : List.of(ActionRecord.PARTICIPANTS, ActionRecord.HEURISTICS)) {
            if (record.get(list) instanceof List<?> entries) {
                for (Object each : entries) {
                    if (each instanceof Fields fields && RECORD.equals(fields.get(Participants.RECORD))) {
                        outcomes.add(String.valueOf(fields.get(Participants.COMMITTED)));
                    }
                }
            }
        }
        if (outcomes.isEmpty()) {
            return decision;
        }
        return switch (decision) {
            case COMMIT -> outcomes.stream().allMatch("true"::equals) ? decision : notCommitted(record, outcomes);
            case ROLLBACK -> outcomes.contains("true") ? Decision.UNKNOWN : Decision.ROLLBACK;
            case PARENT, UNKNOWN -> decision;
        };
    }

    private static Decision notCommitted(Fields record, List<String> outcomes) {
        boolean isFirst = Boolean.FALSE.equals(record.get(ActionRecord.PAST_FIRST));
        return isFirst && outcomes.stream().allMatch("false"::equals) ? Decision.ROLLBACK : Decision.UNKNOWN;
    }
}
