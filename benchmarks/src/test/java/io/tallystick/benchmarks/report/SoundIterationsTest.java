package io.tallystick.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.Samples;
import io.tallystick.benchmarks.measure.Cell;
import io.tallystick.benchmarks.measure.Measurement;
import io.tallystick.benchmarks.measure.Metric;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SoundIterationsTest {
    private static final double[] CALM = {0, 0, 0, 0};

    @TempDir
    private Path directory;

    @Test
    void anIterationOfAColdJvmMakesNoFigure() throws IOException {
        Measurement found = measured(new double[] {0.9, 0, 0.26, 0.25}, CALM, 10, 1_000, 20, 2_000);

        assertThat(found.doubt()).isEmpty();
        assertThat(found.samples()).containsExactly(1_000.0, 2_000.0);
        assertThat(found.metric(Metric.CPU)).contains(1_500.0);
        assertThat(found.metric(Metric.COMPILER)).contains(0.125);
        assertThat(found.turns()).containsExactly(1_500.0);
    }

    @Test
    void anIterationWithCompanyMakesNoFigure() throws IOException {
        Measurement found = measured(CALM, new double[] {0.21, 0.2, 0, 0.5}, 10, 1_000, 2_000, 20);

        assertThat(found.doubt()).isEmpty();
        assertThat(found.samples()).containsExactly(1_000.0, 2_000.0);
    }

    @Test
    void aFastIterationInCompanyIsLeftOutAsWell() throws IOException {
        Measurement found = measured(CALM, new double[] {0.5, 0, 0, 0}, 9_000, 1_000, 1_000, 1_000);

        assertThat(found.highest()).isEqualTo(1_000);
    }

    @Test
    void whereFewerThanHalfAreSoundAllCountAndAreInDoubt() throws IOException {
        Measurement cold = measured(new double[] {0.9, 0.5, 0.4, 0}, CALM, 10, 20, 30, 1_000);

        assertThat(cold.samples()).containsExactly(10.0, 20.0, 30.0, 1_000.0);
        assertThat(cold.doubt()).contains("not warm: the JVM's compilers used 50 % of a core, in 3 of 4 iterations");
    }

    @Test
    void theMoreFrequentReasonIsSaid() throws IOException {
        Measurement found = measured(new double[] {0.9, 0, 0, 0}, new double[] {0, 0.4, 0.6, 0}, 10, 20, 30, 1_000);

        assertThat(found.doubt()).contains("company: other programs used 50 % of the cores, in 2 of 4 iterations");
    }

    private Measurement measured(double[] compiler, double[] others, double... perSecond) throws IOException {
        Results results =
                new Samples().beside("file", 16, compiler, others, perSecond).read(directory);
        return results.of(new Cell.Transactions("file", Protocol.TWO_PHASE, 16)).orElseThrow();
    }
}
