package io.tallystick.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LaneTest {
    /** Each try is a line in its log: a full disk, too many connections, a missing right, a server that only reads. */
    @ParameterizedTest
    @ValueSource(strings = {"53100", "53300", "42501", "25006"})
    void aServerThatRefusesForAWhileIsAskedAFewTimesASecond(String state) {
        assertThat(Lane.pauseAfter(new SQLException("refused", state)))
                .isGreaterThan(Lane.pauseAfter(new SQLException("gone", "08006")));
    }
}
