package io.tallystick.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.Samples;
import io.tallystick.benchmarks.Terminal;
import io.tallystick.benchmarks.measure.Metric;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AdviceTest {
    private static final String JOURNAL = "journal-segmented-auto";

    @TempDir
    private Path directory;

    @Test
    void theJournalIsAdvisedWhereItIsFasterAndEitherWhereItIsNot() throws IOException {
        Results results = Results.read(new Samples()
                .transactions("file", "2PC", 1, 1_000)
                .transactions(JOURNAL, "2PC", 1, 1_050)
                .transactions("file", "2PC", 100, 1_000)
                .transactions(JOURNAL, "2PC", 100, 20_000)
                .in(directory));

        assertThat(Advice.of(results).orElseThrow().lines())
                .containsExactly(
                        "With 1 thread use file or journal: the journal does 1.05x the commits of the file store.",
                        "With 100 threads use journal: it does 20.0x the commits of the file store.");
    }

    @Test
    void figuresInDoubtAdviseNothing() throws IOException {
        Results results = Results.read(new Samples()
                .transactions("file", "2PC", 1, 1_000)
                .transactions(JOURNAL, "2PC", 1, Map.of(Metric.OTHERS, 0.5), 5_000)
                .transactions("file", "2PC", 16, Map.of(Metric.COMPILER, 0.5), 1_000)
                .transactions(JOURNAL, "2PC", 16, 5_000)
                .in(directory));

        assertThat(Advice.of(results)).isEmpty();
        assertThat(Report.doubts(results))
                .containsOnlyKeys(JOURNAL + " 2PC 1 thread", "file 2PC 16 threads")
                .containsValues(
                        "company: other programs used 50 % of the cores, in 1 of 1 iteration",
                        "not warm: the JVM's compilers used 50 % of a core, in 1 of 1 iteration");
    }

    @Test
    void noRatioIsMadeOfAFigureInDoubt() throws IOException {
        Results results = Results.read(new Samples()
                .transactions("narayana-slots", "2PC", 16, Map.of(Metric.OTHERS, 0.3), 1_000)
                .transactions(JOURNAL, "2PC", 16, 5_000)
                .in(directory));

        String table = String.join(
                "\n",
                new Report(results, Terminal.NOWHERE)
                        .detailsTable(Protocol.TWO_PHASE, 16)
                        .lines(200));
        assertThat(table).contains("1,000~").doesNotContain("5.00x");
    }
}
