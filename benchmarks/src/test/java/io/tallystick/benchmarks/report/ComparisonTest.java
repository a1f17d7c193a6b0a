package io.tallystick.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.Samples;
import io.tallystick.benchmarks.measure.Cell;
import io.tallystick.benchmarks.measure.Machine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ComparisonTest {
    @TempDir
    private Path directory;

    @Test
    void onlyRangesThatDoNotOverlapAreADifference() throws IOException {
        Results before = new Samples()
                .transactions("file", "2PC", 1, 100, 110)
                .transactions("file", "2PC", 4, 100, 110)
                .transactions("file", "2PC", 16, 100, 110)
                .read(directory);
        Results now = new Samples()
                .transactions("file", "2PC", 1, 111, 130)
                .transactions("file", "2PC", 4, 80, 99)
                .transactions("file", "2PC", 16, 90, 200)
                .read(directory);

        assertThat(Comparison.of(before, now).rows())
                .extracting(Comparison.Row::verdict)
                .containsExactly(Comparison.Verdict.FASTER, Comparison.Verdict.SLOWER, Comparison.Verdict.SAME);
    }

    @Test
    void oneIterationAloneProvesNothing() throws IOException {
        Results before = new Samples().transactions("file", "2PC", 1, 100, 110).read(directory);
        Results now = new Samples().transactions("file", "2PC", 1, 200).read(directory);

        assertThat(Comparison.of(before, now).rows())
                .extracting(Comparison.Row::verdict)
                .containsExactly(Comparison.Verdict.SAME);
    }

    @Test
    void changeIsThatOfTheMedian() throws IOException {
        Results before =
                new Samples().transactions("file", "2PC", 1, 90, 100, 300).read(directory);
        Results now = new Samples().transactions("file", "2PC", 1, 80, 125, 130).read(directory);

        assertThat(Comparison.of(before, now).rows().get(0).change()).isCloseTo(0.25, within(1e-9));
    }

    @Test
    void onlyCellsOfBothRunsAreCompared() throws IOException {
        Results before = new Samples()
                .transactions("file", "2PC", 1, 1)
                .transactions("file", "1PC", 1, 1)
                .read(directory);
        Results now = new Samples()
                .transactions("file", "2PC", 1, 1)
                .transactions("file", "2PC", 4, 1)
                .read(directory);

        assertThat(Comparison.of(before, now).rows())
                .extracting(Comparison.Row::cell)
                .containsExactly(new Cell.Transactions("file", Protocol.TWO_PHASE, 1));
    }

    @Test
    void anotherMachineIsSaid() throws IOException {
        Results before = new Samples()
                .on(Map.of(Machine.CORES, "2", Machine.DATE, "yesterday"))
                .transactions("file", "2PC", 1, 1)
                .read(directory);
        Results now = new Samples()
                .on(Map.of(Machine.CORES, "64", Machine.DATE, "today"))
                .transactions("file", "2PC", 1, 1)
                .read(directory);

        assertThat(Comparison.of(before, now).differences()).containsExactly("cores was 2, is 64");
        assertThat(Comparison.of(now, now).differences()).isEmpty();
    }
}
