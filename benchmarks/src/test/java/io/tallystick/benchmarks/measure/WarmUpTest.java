package io.tallystick.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class WarmUpTest {
    @Test
    void twoSuccessiveSecondsThatDifferByLessThanFivePercentAreSteady() {
        assertThat(WarmUp.isSteady(List.of(1_000L))).isFalse();
        assertThat(WarmUp.isSteady(List.of(1_000L, 1_049L))).isTrue();
        assertThat(WarmUp.isSteady(List.of(1_049L, 1_000L))).isTrue();
        assertThat(WarmUp.isSteady(List.of(1_000L, 1_060L))).isFalse();
        assertThat(WarmUp.isSteady(List.of(1_000L, 1_000L, 2_000L))).isFalse();
        assertThat(WarmUp.isSteady(List.of(0L, 0L))).as("nothing was done").isFalse();
    }
}
