package io.tallystick.narayana.logs.record;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NarayanaCodesTest {
    @Test
    void numbersFromZeroToTheLastNameAreKnown() {
        assertThat(NarayanaCodes.isActionStatus(-1)).isFalse();
        assertThat(NarayanaCodes.isActionStatus(0)).isTrue();
        assertThat(NarayanaCodes.isActionStatus(16)).isTrue();
        assertThat(NarayanaCodes.isActionStatus(17)).isFalse();
        assertThat(NarayanaCodes.isActionType(1)).isTrue();
        assertThat(NarayanaCodes.isActionType(2)).isFalse();
        assertThat(NarayanaCodes.isOutcome(12)).isTrue();
        assertThat(NarayanaCodes.isOutcome(13)).isFalse();
    }

    @Test
    void eachNumberHasItsNameAndUnknownOnesAreShown() {
        assertThat(NarayanaCodes.actionStatus(RecordBytes.PREPARED)).isEqualTo("PREPARED");
        assertThat(NarayanaCodes.actionStatus(RecordBytes.COMMITTED)).isEqualTo("COMMITTED");
        assertThat(NarayanaCodes.actionType(0)).isEqualTo("TOP_LEVEL");
        assertThat(NarayanaCodes.outcome(RecordBytes.FINISH_ERROR)).isEqualTo("FINISH_ERROR");
        assertThat(NarayanaCodes.outcome(13)).isEqualTo("unknown 13");
        assertThat(NarayanaCodes.participant(171)).isEqualTo("XAResourceRecord");
        assertThat(NarayanaCodes.participant(172)).isEqualTo("ExtendedResourceRecord (OTS)");
        assertThat(NarayanaCodes.participant(1)).isEqualTo("unknown type 1");
    }
}
