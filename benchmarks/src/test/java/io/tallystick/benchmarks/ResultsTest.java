package io.tallystick.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
                [{"benchmark": "io.tallystick.benchmarks.TransactionBenchmark.commit", "threads": 16,
                  "params": {"store": "file", "protocol": "2PC"},
                  "primaryMetric": {"score": 15, "rawData": [[30.0, 10.0], [20.0]]},
                  "secondaryMetrics": {
                    "cpu": {"rawData": [[4.0, 2.0], [3.0]]},
                    "latency-max": {"rawData": [[7.0, 90.0], ["NaN"]]},
                    "somebody-else": {"rawData": [[1.0]]}}}]
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
    void fileOfAnotherBenchmarkIsRefusedInOneLine() throws IOException {
        Path other = Files.writeString(directory.resolve("other.json"), "[{\"benchmark\": \"a.B.c\", \"threads\": 1}]");
        Path noJson = Files.writeString(directory.resolve("no.json"), "hello");
        Path cut = Files.writeString(
                directory.resolve("cut.json"),
                "[{\"benchmark\": \"io.tallystick.benchmarks.TransactionBenchmark.commit\", \"threads\": 1}]");

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
