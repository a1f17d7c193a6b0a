package io.tallystick.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class RankCorrelationTest {
    @Test
    void sameOrderIsOneAndOppositeOrderMinusOneWhateverTheDistances() {
        assertThat(RankCorrelation.spearman(List.of(1.0, 2.0, 3.0), List.of(10.0, 11.0, 1e6)))
                .isCloseTo(1, within(1e-12));
        assertThat(RankCorrelation.spearman(List.of(1.0, 2.0, 3.0), List.of(3.0, 2.9, 0.1)))
                .isCloseTo(-1, within(1e-12));
    }

    @Test
    void oneExchangeInFiveLeavesNineTenths() {
        // 1 - 6 * 2 / (5 * 24)
        assertThat(RankCorrelation.spearman(List.of(1.0, 2.0, 3.0, 4.0, 5.0), List.of(1.0, 2.0, 3.0, 5.0, 4.0)))
                .isCloseTo(0.9, within(1e-12));
    }

    @Test
    void equalValuesShareTheirRanks() {
        assertThat(RankCorrelation.spearman(List.of(1.0, 1.0, 2.0), List.of(1.0, 1.0, 2.0)))
                .isCloseTo(1, within(1e-12));
        assertThat(RankCorrelation.spearman(List.of(1.0, 1.0), List.of(1.0, 2.0)))
                .isZero();
    }
}
