package io.tallystick.narayana.logs.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.narayana.logs.record.InDoubtParticipant.State;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InDoubtParticipantTest {
    private static InDoubtParticipant of(String outcome, boolean isHeuristic) {
        Fields fields =
                new Fields().put(Participants.RECORD, "XAResourceRecord").put(Participants.OUTCOME, outcome);
        return InDoubtParticipant.of(fields, isHeuristic);
    }

    @ParameterizedTest
    @CsvSource({
        "FINISH_OK, WAITING, HEURISTIC_UNKNOWN",
        "PREPARE_OK, WAITING, HEURISTIC_UNKNOWN",
        "FINISH_ERROR, FAILED, HEURISTIC_UNKNOWN",
        "HEURISTIC_COMMIT, HEURISTIC_COMMIT, HEURISTIC_COMMIT",
        "HEURISTIC_MIXED, HEURISTIC_MIXED, HEURISTIC_MIXED"
    })
    void theOutcomeTellsTheState(String outcome, State waiting, State heuristic) {
        assertThat(of(outcome, false).state()).isEqualTo(waiting);
        assertThat(of(outcome, true).state()).isEqualTo(heuristic);
    }

    @Test
    void onlyAnErrorIsTheLastError() {
        assertThat(of("FINISH_ERROR", false).lastError()).hasValue("FINISH_ERROR");
        assertThat(of("FINISH_OK", false).lastError()).isEmpty();
        assertThat(of("HEURISTIC_MIXED", false).lastError()).isEmpty();
        assertThat(of("", false).lastError()).isEmpty();
    }

    @Test
    void aPartThatIsNotUnderstoodIsUnreadable() {
        InDoubtParticipant participant =
                InDoubtParticipant.of(new Fields().put(ActionRecord.NOT_UNDERSTOOD, "cut"), true);

        assertThat(participant.state()).isEqualTo(State.UNREADABLE);
        assertThat(participant.record()).isEqualTo("unknown");
    }

    @Test
    void anErrorThatIsKnownReplacesTheOneBefore() {
        InDoubtParticipant participant = of("FINISH_ERROR", false);

        assertThat(participant.withLastError(Optional.empty())).isSameAs(participant);
        assertThat(participant.withLastError(Optional.of("XAER_RMERR")).lastError())
                .hasValue("XAER_RMERR");
    }

    @Test
    void whatIsNotKnownIsLeftOut() {
        assertThat(of("FINISH_OK", false).details()).containsOnlyKeys("record", "state");
        assertThat(State.HEURISTIC_MIXED.label()).isEqualTo("heuristic-mixed");
        assertThat(State.HEURISTIC_MIXED.isHeuristic()).isTrue();
        assertThat(State.FAILED.isHeuristic()).isFalse();
    }
}
