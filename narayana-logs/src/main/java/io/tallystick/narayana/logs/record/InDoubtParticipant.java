package io.tallystick.narayana.logs.record;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A participant that stands in a transaction's record. Participants that were read-only or have finished do not stand
 * there.
 *
 * @param record Narayana's class of participants, such as {@code XAResourceRecord}
 * @param resource the name of the resource in the log, as a JNDI name; empty if it has none
 * @param product the product that the resource names
 * @param state what it is known to have done
 * @param xid its branch; empty if it has none that can be read
 * @param lastError the last error of its second phase; empty where none is known
 */
public record InDoubtParticipant(
        String record,
        Optional<String> resource,
        Optional<String> product,
        State state,
        Optional<BranchId> xid,
        Optional<String> lastError) {
    private static final String HEURISTIC = "HEURISTIC_";
    private static final String FINISH_OK = "FINISH_OK";
    private static final String PREPARE_OK = "PREPARE_OK";

    public InDoubtParticipant {
        Objects.requireNonNull(record);
        Objects.requireNonNull(state);
    }

    /** What a participant has done, as far as the log tells. */
    public enum State {
        /** It may not know the outcome yet. */
        WAITING,
        /** It was told the outcome, and answered with an error. */
        FAILED,
        /** It has committed on its own. */
        HEURISTIC_COMMIT,
        /** It has rolled back on its own. */
        HEURISTIC_ROLLBACK,
        /** It has committed a part of its work and rolled back another, on its own. */
        HEURISTIC_MIXED,
        /** It may have decided on its own. */
        HEURISTIC_HAZARD,
        /**
         * It has decided on its own, and the record does not tell how: so it is for an XA resource that answers
         * {@code XA_HEURMIX} (Narayana 7.3.4).
         */
        HEURISTIC_UNKNOWN,
        /** Its part of the record cannot be read. */
        UNREADABLE;

        /** One word for people. */
        public String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        /** Whether it has decided, or may have decided, on its own. */
        public boolean isHeuristic() {
            return name().startsWith(HEURISTIC);
        }
    }

    static InDoubtParticipant of(Fields participant, boolean isHeuristic) {
        String outcome = text(participant, Participants.OUTCOME).orElse("");
        boolean isUnreadable = participant.get(ActionRecord.NOT_UNDERSTOOD) != null;
        return new InDoubtParticipant(
                text(participant, Participants.RECORD).orElse("unknown"),
                text(participant, Participants.JNDI_NAME),
                text(participant, Participants.PRODUCT),
                isUnreadable ? State.UNREADABLE : stateOf(outcome, isHeuristic),
                BranchId.of(participant.get(Participants.XID)),
                isError(outcome) ? Optional.of(outcome) : Optional.empty());
    }

    private static State stateOf(String outcome, boolean isHeuristic) {
        for (State state : State.values()) {
            if (state.isHeuristic() && state.name().equals(outcome)) {
                return state;
            }
        }
        if (isHeuristic) {
            return State.HEURISTIC_UNKNOWN;
        }
        return isError(outcome) ? State.FAILED : State.WAITING;
    }

    private static boolean isError(String outcome) {
        return !outcome.isEmpty()
                && !outcome.equals(FINISH_OK)
                && !outcome.equals(PREPARE_OK)
                && !outcome.startsWith(HEURISTIC);
    }

    private static Optional<String> text(Fields fields, String name) {
        return Optional.ofNullable(fields.get(name)).map(Object::toString).filter(text -> !text.isEmpty());
    }

    /** The same with this error, if there is one. */
    public InDoubtParticipant withLastError(Optional<String> error) {
        return error.isEmpty() ? this : new InDoubtParticipant(record, resource, product, state, xid, error);
    }

    /** The values by their names, in their order; text alone. A value that is not known is left out. */
    public Map<String, Object> details() {
        Map<String, Object> details = new LinkedHashMap<>();
        resource.ifPresent(name -> details.put("resource", name));
        product.ifPresent(name -> details.put("product", name));
        details.put("record", record);
        details.put("state", state.label());
        lastError.ifPresent(error -> details.put("lastError", error));
        xid.ifPresent(branch -> details.put("xid", branch.toString()));
        return details;
    }
}
