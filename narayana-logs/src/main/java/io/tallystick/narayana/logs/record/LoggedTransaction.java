package io.tallystick.narayana.logs.record;

import io.tallystick.narayana.logs.NarayanaRecords;
import io.tallystick.narayana.logs.NarayanaUid;
import io.tallystick.narayana.logs.record.InDoubtParticipant.State;
import io.tallystick.store.StateKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * A transaction as its record in the log tells of it. No state bytes, no user and no password are part of it.
 *
 * @param key of the record
 * @param state the duty of recovery for it
 * @param phase Narayana's status in the record, such as {@code COMMITTED}; empty where it cannot be read
 * @param decision the outcome that recovery carries out; unknown where the record does not tell it
 * @param node the node that began it; empty where no branch tells
 * @param parent the Xid of its parent, if it was imported
 * @param created when it began; empty where the record does not tell
 * @param participants those that stand in the record
 * @param remark the reason why the record cannot be read to its end; empty if it can
 */
public record LoggedTransaction(
        StateKey key,
        RecordState state,
        Optional<String> phase,
        Decision decision,
        Optional<String> node,
        Optional<BranchId> parent,
        Optional<Instant> created,
        List<InDoubtParticipant> participants,
        Optional<String> remark) {
    // How participants also stand in the record of a transaction that was rolled back.
    private static final Set<State> SAME_AFTER_A_ROLLBACK =
            EnumSet.of(State.HEURISTIC_COMMIT, State.HEURISTIC_MIXED, State.HEURISTIC_HAZARD, State.HEURISTIC_UNKNOWN);

    public LoggedTransaction {
        Objects.requireNonNull(key);
        Objects.requireNonNull(state);
        Objects.requireNonNull(decision);
        participants = List.copyOf(participants);
    }

    /** The transaction whose record has these bytes. Never fails: what cannot be read is left out. */
    public static LoggedTransaction of(StateKey key, byte[] record) {
        return of(key, ActionRecord.decode(key.type(), record));
    }

    /** The transaction of a decoded record. */
    public static LoggedTransaction of(StateKey key, ActionRecord record) {
        Fields fields = record.fields();
        Optional<String> phase =
                Optional.ofNullable(fields.get(ActionRecord.STATUS)).map(Object::toString);
        List<InDoubtParticipant> participants = new ArrayList<>();
        addAll(fields.get(ActionRecord.PARTICIPANTS), false, participants);
        addAll(fields.get(ActionRecord.HEURISTICS), true, participants);
        return new LoggedTransaction(
                key,
                record.state(),
                phase,
                MarkableOutcome.limited(fields, decision(phase.orElse(""), isImported(key.type()), participants)),
                participants.stream()
                        .flatMap(participant -> participant.xid().stream())
                        .flatMap(xid -> xid.node().stream())
                        .findFirst(),
                BranchId.of(fields.get(ActionRecord.PARENT_XID)),
                record.created(),
                participants,
                Optional.ofNullable(fields.get(ActionRecord.NOT_UNDERSTOOD)).map(Object::toString));
    }

    /**
     * Recovery writes {@code COMMITTED} into the record of a rolled back transaction, too, if nothing is left to tell:
     * a resource has answered the rollback with {@code XAER_RMERR}, which is a hazard (one scan of 7.3.4 does so). So
     * the status proves a commit only together with a participant that waits for it, or that has rolled back.
     */
    private static Decision decision(String status, boolean isImported, List<InDoubtParticipant> participants) {
        Decision decision = Decision.of(status, isImported);
        boolean isUnproven = !participants.isEmpty()
                && participants.stream().map(InDoubtParticipant::state).allMatch(SAME_AFTER_A_ROLLBACK::contains);
        return decision == Decision.COMMIT && isUnproven ? Decision.UNKNOWN : decision;
    }

    private static boolean isImported(String type) {
        return type.contains(ActionRecord.SUBORDINATE) || type.contains(ActionRecord.SERVER);
    }

    private static void addAll(Object list, boolean isHeuristic, List<InDoubtParticipant> participants) {
        if (list instanceof List<?> entries) {
            for (Object each : entries) {
                if (each instanceof Fields fields) {
                    participants.add(InDoubtParticipant.of(fields, isHeuristic));
                }
            }
        }
    }

    /**
     * Whether a record of this type is a transaction's, a participant's, or one that recovery has given up.
     *
     * @param type with one slash before each element
     */
    public static boolean isOf(String type) {
        return NarayanaRecords.isWork(type) || NarayanaRecords.isGivenUp(type);
    }

    /** Whether another transaction manager has begun it, and its branches have the Xid of that one. */
    public boolean isImported() {
        return isImported(key.type());
    }

    /**
     * The participant whose own database tells the outcome, in the place of the record: a {@code
     * CommitMarkableResource}.
     */
    public Optional<InDoubtParticipant> markable() {
        return participants.stream()
                .filter(participant -> participant.record().equals(MarkableOutcome.RECORD))
                .findFirst();
    }

    /** The id of the record as Narayana prints it. */
    public String uid() {
        return NarayanaUid.text(key.id());
    }

    /** The same with the last errors that are known of its branches. */
    LoggedTransaction withParticipants(List<InDoubtParticipant> others) {
        return new LoggedTransaction(key, state, phase, decision, node, parent, created, others, remark);
    }
}
