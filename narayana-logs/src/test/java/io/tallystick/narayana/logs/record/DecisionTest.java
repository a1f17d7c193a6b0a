package io.tallystick.narayana.logs.record;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DecisionTest {
    @ParameterizedTest
    @CsvSource({
        "PREPARED, COMMIT, PARENT",
        "COMMITTING, COMMIT, PARENT",
        "COMMITTED, COMMIT, COMMIT",
        "H_COMMIT, COMMIT, COMMIT",
        "H_MIXED, COMMIT, COMMIT",
        "H_HAZARD, COMMIT, COMMIT",
        "ABORTED, ROLLBACK, ROLLBACK",
        "H_ROLLBACK, ROLLBACK, ROLLBACK",
        "ABORTING, ROLLBACK, ROLLBACK",
        "ABORT_ONLY, ROLLBACK, ROLLBACK",
        "RUNNING, UNKNOWN, UNKNOWN",
        "unknown 99, UNKNOWN, UNKNOWN"
    })
    void theStatusDecidesUnlessAParentDoes(String status, Decision own, Decision imported) {
        assertThat(Decision.of(status, false)).isEqualTo(own);
        assertThat(Decision.of(status, true)).isEqualTo(imported);
    }

    @Test
    void theWordForPeopleIsInLowerCase() {
        assertThat(Decision.ROLLBACK.label()).isEqualTo("rollback");
    }
}
