package io.tallystick.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.Samples;
import io.tallystick.benchmarks.UsageException;
import io.tallystick.benchmarks.measure.Cell;
import io.tallystick.benchmarks.measure.DiskKind;
import io.tallystick.benchmarks.measure.Machine;
import io.tallystick.benchmarks.measure.Measurement;
import io.tallystick.benchmarks.measure.Metric;
import io.tallystick.benchmarks.measure.RunState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultsTest {
    private static final Cell FILE = new Cell.Transactions("file", Protocol.TWO_PHASE, 16);

    @TempDir
    private Path directory;

    @Test
    void samplesAreTheIterationsOfAllForks() throws IOException {
        Files.writeString(directory.resolve("jmh.json"), """
                [{"benchmark": "io.tallystick.benchmarks.measure.TransactionBenchmark.commit", "threads": 16,
                  "params": {"store": "file", "protocol": "2PC"},
                  "primaryMetric": {"score": 15, "rawData": [[30.0, 10.0], [20.0]]},
                  "secondaryMetrics": {
                    "cpu": {"rawData": [[4.0, 2.0], [3.0]]},
                    "latency-max": {"rawData": [[7.0, 90.0], ["NaN"]]},
                    "another-profiler": {"rawData": [[1.0]]}}}]
                """);

        Measurement measurement =
                Results.read(directory.resolve("jmh.json")).of(FILE).orElseThrow();

        assertThat(measurement.samples()).containsExactly(10.0, 20.0, 30.0);
        assertThat(measurement.median()).isEqualTo(20);
        assertThat(measurement.metric(Metric.CPU)).contains(3.0);
        assertThat(measurement.metric(Metric.MAX)).contains(90.0);
        assertThat(measurement.metric(Metric.FORCES)).isEmpty();
    }

    @Test
    void factsOfTheMachineAreReadBack() throws IOException {
        Results results = new Samples()
                .on(Map.of(Machine.CORES, "64", Machine.FILE_SYSTEM, "xfs"))
                .transactions("file", "2PC", 16, 1)
                .read(directory);

        assertThat(results.machine().cores()).isEqualTo(64);
        assertThat(results.machine().fact(Machine.FILE_SYSTEM)).isEqualTo("xfs");
        assertThat(results.machine().fact(Machine.JVM)).isEqualTo("not known");
    }

    @Test
    void whatIsWrittenIsReadBack() throws IOException {
        Results results = new Samples()
                .transactions("file", "2PC", 16, 1, 2, 3)
                .disk(DiskKind.DIRECT, 4, 70, 9)
                .read(directory);
        Path copy = directory.resolve("sub/copy.json");

        results.write(copy);

        assertThat(Results.read(copy).measurements()).isEqualTo(results.measurements());
        assertThat(Results.read(copy).machine()).isEqualTo(results.machine());
    }

    @Test
    void howFarARunIsAndWhatIsMissingIsReadBack() throws IOException {
        RunState state = new RunState(9, 4, List.of("--jvm-args", "-Da=b -Dc=d"), Map.of("disk", "it is full"));
        Results results =
                new Samples().at(state).transactions("file", "2PC", 16, 1).read(directory);
        Path copy = directory.resolve("copy.json");

        results.write(copy);

        assertThat(Results.read(copy).state())
                .isEqualTo(state)
                .extracting(RunState::isPartial)
                .isEqualTo(true);
        assertThat(copy.resolveSibling("copy.json.new")).doesNotExist();
    }

    @Test
    void roundsOfASecondSittingStandBesideThoseOfTheFirst() throws IOException {
        Results first = new Samples()
                .transactions("file", "2PC", 16, Map.of(Metric.CPU, 10.0, Metric.MAX, 5.0), 1, 2)
                .disk(DiskKind.DIRECT, 1, 70, 9)
                .read(directory);
        Results second = new Samples()
                .at(new RunState(3, 3, List.of(), Map.of()))
                .transactions("file", "2PC", 16, Map.of(Metric.CPU, 20.0, Metric.MAX, 7.0), 3, 4)
                .transactions("file", "2PC", 100, 4)
                .read(directory);

        Results both = first.and(second);

        Measurement merged = both.of(FILE).orElseThrow();
        assertThat(merged.samples()).containsExactly(1.0, 2.0, 3.0, 4.0);
        assertThat(merged.metric(Metric.CPU)).contains(15.0);
        assertThat(merged.metric(Metric.MAX)).contains(7.0);
        assertThat(both.rounds()).containsEntry(FILE, 2).hasSize(3);
        assertThat(both.state().isPartial()).isFalse();
        assertThat(first.rounds()).containsEntry(FILE, 1);
    }

    @Test
    void fileOfAnotherBenchmarkIsRefusedInOneLine() throws IOException {
        Path other = Files.writeString(directory.resolve("other.json"), "[{\"benchmark\": \"a.B.c\", \"threads\": 1}]");
        Path noJson = Files.writeString(directory.resolve("no.json"), "hello");
        Path cut = Files.writeString(
                directory.resolve("cut.json"),
                "[{\"benchmark\": \"io.tallystick.benchmarks.measure.TransactionBenchmark.commit\", \"threads\": 1}]");

        assertThatThrownBy(() -> Results.read(directory.resolve("none.json")))
                .isInstanceOf(UsageException.class)
                .hasMessageEndingWith("does not exist");
        assertThatThrownBy(() -> Results.read(other))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("has no results of this benchmark");
        assertThatThrownBy(() -> Results.read(noJson)).isInstanceOf(UsageException.class);
        assertThatThrownBy(() -> Results.read(cut)).isInstanceOf(UsageException.class);
    }
}
