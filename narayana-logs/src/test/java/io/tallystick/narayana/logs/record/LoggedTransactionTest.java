package io.tallystick.narayana.logs.record;

import static io.tallystick.narayana.logs.record.RecordBytes.ATOMIC_ACTION;
import static io.tallystick.narayana.logs.record.RecordBytes.COMMITTED;
import static io.tallystick.narayana.logs.record.RecordBytes.ended;
import static io.tallystick.narayana.logs.record.RecordBytes.header;
import static io.tallystick.narayana.logs.record.RecordBytes.xaResource;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.narayana.logs.PackedBytes;
import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LoggedTransactionTest {
    private static final StateKey KEY = StateKey.of(ATOMIC_ACTION, ObjectId.of(RecordBytes.uid(1)));
    private static final int HEURISTIC_ROLLBACK = 3;
    private static final int HEURISTIC_HAZARD = 6;

    private static byte[] heuristic(int outcome) {
        return xaResource(header().number(NarayanaCodes.END_OF_LIST).number(1), outcome)
                .number(NarayanaCodes.END_OF_LIST)
                .number(COMMITTED)
                .number(0)
                .number(RecordBytes.FINISH_OK)
                .toBytes();
    }

    @Test
    void aRecordTellsPhaseDecisionNodeAndParticipants() {
        LoggedTransaction logged =
                LoggedTransaction.of(KEY, ended(xaResource(header(), RecordBytes.FINISH_OK), COMMITTED));

        assertThat(logged.phase()).hasValue("COMMITTED");
        assertThat(logged.decision()).isEqualTo(Decision.COMMIT);
        assertThat(logged.node()).hasValue("n1");
        assertThat(logged.parent()).isEmpty();
        assertThat(logged.remark()).isEmpty();
        assertThat(logged.participants()).hasSize(1);
        assertThat(logged.participants().get(0).state()).isEqualTo(InDoubtParticipant.State.WAITING);
    }

    /** The record of a transaction that was rolled back has this status too, if a resource answered with an error. */
    @Test
    void committedProvesNoCommitWhereOnlyAHazardIsLeft() {
        assertThat(LoggedTransaction.of(KEY, heuristic(HEURISTIC_HAZARD)).decision())
                .isEqualTo(Decision.UNKNOWN);
        assertThat(LoggedTransaction.of(KEY, heuristic(HEURISTIC_ROLLBACK)).decision())
                .isEqualTo(Decision.COMMIT);
        assertThat(LoggedTransaction.of(KEY, ended(header(), COMMITTED)).decision())
                .isEqualTo(Decision.COMMIT);
    }

    /**
     * Narayana writes the record before the CommitMarkableResource commits, and a row in the database of that resource
     * tells the outcome. Recovery rolls the others back if the row is not there.
     */
    @ParameterizedTest
    @CsvSource({
        // status, past the first participant, completed, committed
        "5, 0, false, false, UNKNOWN",
        "7, 0, false, false, UNKNOWN",
        "5, 0, true, false, ROLLBACK",
        "5, 1, true, false, UNKNOWN",
        "5, 0, true, true, COMMIT",
        "7, 1, true, true, COMMIT",
        "4, 0, false, false, ROLLBACK",
        "4, 0, true, true, UNKNOWN"
    })
    void besideACommitMarkableResourceTheStatusProvesNoCommit(
            int status, int pastFirst, boolean isCompleted, boolean isCommitted, Decision expected) {
        PackedBytes record = RecordBytes.header(0L).number(pastFirst);
        xaResource(RecordBytes.markable(record, isCompleted, isCommitted), RecordBytes.FINISH_OK);

        LoggedTransaction logged = LoggedTransaction.of(KEY, ended(record, status));

        assertThat(logged.state()).isEqualTo(RecordState.IN_DOUBT);
        assertThat(logged.decision()).isEqualTo(expected);
    }

    @Test
    void theResourceWhoseDatabaseTellsTheOutcomeIsNamed() {
        PackedBytes record = xaResource(RecordBytes.markable(header(), false, false), RecordBytes.FINISH_OK);

        assertThat(LoggedTransaction.of(KEY, ended(record, RecordBytes.PREPARED))
                        .markable())
                .flatMap(InDoubtParticipant::resource)
                .hasValue("java:/stock");
        assertThat(LoggedTransaction.of(KEY, ended(header(), COMMITTED)).markable())
                .isEmpty();
    }

    @Test
    void aCommitMarkableResourceThatCannotBeReadLeavesTheOutcomeOpen() {
        PackedBytes record =
                header().number(NarayanaCodes.PARTICIPANT_OF_MARKABLE_RESOURCE).number(-1);

        LoggedTransaction logged =
                LoggedTransaction.of(KEY, ended(xaResource(record, RecordBytes.FINISH_OK), COMMITTED));

        assertThat(logged.decision()).isEqualTo(Decision.UNKNOWN);
    }

    @Test
    void anImportedTransactionThatIsPreparedWaitsForItsParent() {
        StateKey imported = StateKey.of(
                "/StateManager/BasicAction/TwoPhaseCoordinator/ArjunaTransactionImple/ServerTransaction", KEY.id());

        LoggedTransaction logged = LoggedTransaction.of(
                imported, ended(RecordBytes.headerBehind(new PackedBytes().number(0)), RecordBytes.PREPARED));

        assertThat(logged.decision()).isEqualTo(Decision.PARENT);
    }

    @Test
    void aRecordThatIsCutSaysWhy() {
        LoggedTransaction logged = LoggedTransaction.of(KEY, new byte[0]);

        assertThat(logged.state()).isEqualTo(RecordState.UNREADABLE);
        assertThat(logged.decision()).isEqualTo(Decision.UNKNOWN);
        assertThat(logged.remark()).isPresent();
        assertThat(logged.participants()).isEmpty();
    }

    @Test
    void recordsOfTransactionsAreToldByTheirType() {
        assertThat(LoggedTransaction.isOf(ATOMIC_ACTION)).isTrue();
        assertThat(LoggedTransaction.isOf(ATOMIC_ACTION + "/Expired")).isTrue();
        assertThat(LoggedTransaction.isOf("/EISNAME")).isFalse();
    }
}
