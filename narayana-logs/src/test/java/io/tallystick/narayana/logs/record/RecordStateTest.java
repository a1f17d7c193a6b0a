package io.tallystick.narayana.logs.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class RecordStateTest {
    private static final String LRA = "/StateManager/BasicAction/LongRunningAction";

    private static Fields status(String status) {
        return new Fields().put(ActionRecord.STATUS, status);
    }

    private static RecordState of(Fields fields) {
        return RecordState.of(RecordBytes.ATOMIC_ACTION, fields);
    }

    private static List<Fields> one() {
        return List.of(new Fields());
    }

    @Test
    void whatNarayanaKeepsForItselfIsBookkeeping() {
        assertThat(RecordState.of("/EISNAME/x", status("COMMITTED"))).isEqualTo(RecordState.BOOKKEEPING);
        assertThat(RecordState.of("/Recovery/x", new Fields())).isEqualTo(RecordState.BOOKKEEPING);
    }

    @Test
    void whatIsNoTransactionIsOther() {
        assertThat(RecordState.of("/StateManager/Mine", status("COMMITTED"))).isEqualTo(RecordState.OTHER);
        assertThat(RecordState.OTHER.label()).isEqualTo("-");
    }

    @Test
    void theParticipantsTellWhetherATransactionIsInDoubt() {
        assertThat(of(status("COMMITTED"))).isEqualTo(RecordState.FINISHED);
        assertThat(of(status("COMMITTED").put(ActionRecord.PARTICIPANTS, List.of())))
                .isEqualTo(RecordState.FINISHED);
        assertThat(of(status("COMMITTED").put(ActionRecord.PARTICIPANTS, one())))
                .isEqualTo(RecordState.IN_DOUBT);
        assertThat(RecordState.IN_DOUBT.label()).isEqualTo("in-doubt");
    }

    @Test
    void aHeuristicOutweighsTheParticipants() {
        assertThat(of(status("H_COMMIT"))).isEqualTo(RecordState.HEURISTIC);
        assertThat(of(status("COMMITTED").put(ActionRecord.PARTICIPANTS, one()).put(ActionRecord.HEURISTICS, one())))
                .isEqualTo(RecordState.HEURISTIC);
    }

    @Test
    void whatCannotBeReadToItsEndIsUnreadable() {
        assertThat(of(new Fields())).isEqualTo(RecordState.UNREADABLE);
        assertThat(of(status("COMMITTED").put(ActionRecord.NOT_UNDERSTOOD, "cut")))
                .isEqualTo(RecordState.UNREADABLE);
    }

    @Test
    void whatRecoveryHasGivenUpIsGivenUpIfItCanBeRead() {
        String expired = RecordBytes.ATOMIC_ACTION + "/Expired";

        assertThat(RecordState.of(expired, status("COMMITTED").put(ActionRecord.PARTICIPANTS, one())))
                .isEqualTo(RecordState.GIVEN_UP);
        assertThat(RecordState.of(expired, new Fields())).isEqualTo(RecordState.UNREADABLE);
    }

    /** The layout of a long running action is not known, so it is never read to its end. */
    @Test
    void aLongRunningActionIsNotDecodedUntilItIsGivenUp() {
        assertThat(RecordState.of(LRA, new Fields())).isEqualTo(RecordState.NOT_DECODED);
        assertThat(RecordState.of(LRA + "/Failed", new Fields().put(ActionRecord.NOT_UNDERSTOOD, "cut")))
                .isEqualTo(RecordState.GIVEN_UP);
    }
}
