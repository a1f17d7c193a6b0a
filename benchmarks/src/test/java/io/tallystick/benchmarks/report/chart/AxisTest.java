package io.tallystick.benchmarks.report.chart;

import static org.assertj.core.api.Assertions.assertThat;

import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class AxisTest {
    private static final Offset<Double> EXACTLY = Offset.offset(1e-9);

    @Test
    void linearAxisStartsAtZeroAndEndsAtARoundNumberThatNothingExceeds() {
        Axis axis = Axis.linear(135_717, 500, 20);

        assertThat(axis.ticks()).first().isEqualTo(0.0);
        assertThat(axis.high()).isEqualTo(150_000);
        assertThat(axis.at(0)).isEqualTo(500, EXACTLY);
        assertThat(axis.at(75_000)).isEqualTo(260, EXACTLY);
        assertThat(axis.at(150_000)).isEqualTo(20, EXACTLY);
    }

    @Test
    void equalRatiosAreEquallyFarApartOnALogarithmicAxis() {
        Axis axis = Axis.logarithmic(237, 316_000, 0, 100);

        assertThat(axis.low()).isEqualTo(200, EXACTLY);
        assertThat(axis.high()).isEqualTo(500_000, EXACTLY);
        assertThat(axis.at(2_000) - axis.at(1_000)).isEqualTo(axis.at(40_000) - axis.at(20_000), EXACTLY);
        assertThat(axis.ticks()).contains(1_000.0, 10_000.0, 100_000.0);
    }

    @Test
    void oneValueAloneStillHasAnAxis() {
        assertThat(Axis.logarithmic(100, 100, 0, 10).at(100)).isEqualTo(0, EXACTLY);
        assertThat(Axis.linear(0, 0, 10).at(0)).isEqualTo(0, EXACTLY);
    }

    @Test
    void labelsAreMovedApartButStayInOrderAndWithinBounds() {
        double[] places = Labels.apart(new double[] {10, 11, 12, 99}, 10, 5, 100);

        assertThat(places).containsExactly(10, 20, 30, 99);
        assertThat(Labels.apart(new double[] {95, 98, 99}, 10, 0, 100)).containsExactly(80, 90, 100);
    }
}
