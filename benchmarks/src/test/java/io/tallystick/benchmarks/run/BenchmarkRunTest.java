package io.tallystick.benchmarks.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.Terminal;
import io.tallystick.benchmarks.measure.Cell;
import io.tallystick.benchmarks.measure.DiskKind;
import io.tallystick.benchmarks.measure.Machine;
import io.tallystick.benchmarks.measure.Measurement;
import io.tallystick.benchmarks.measure.Metric;
import io.tallystick.benchmarks.measure.RunState;
import io.tallystick.benchmarks.report.Results;
import io.tallystick.benchmarks.subject.Subject;
import io.tallystick.storage.NanoClock;
import io.tallystick.storage.SystemDisk;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Measures for real, for fractions of a second: what comes out must be complete, not right. */
@Tag("long")
class BenchmarkRunTest {
    private static final Plan.Timing BRIEF =
            new Plan.Timing(Duration.ZERO, Duration.ofMillis(50), 2, Duration.ofMillis(120));

    @TempDir
    private Path directory;

    private RunDirectory run;

    @BeforeEach
    void prepare() throws IOException {
        run = RunDirectory.create(directory);
        ForkedJvm.prepare(run.path());
    }

    @Test
    void transactionsAreMeasuredWithEveryMetricInAJvmOfTheirOwn() throws IOException {
        Cell cell = new Cell.Transactions("narayana-volatile", Protocol.TWO_PHASE, 2);

        Results results = measure(List.of(cell, cell)).results();

        Measurement measurement = results.of(cell).orElseThrow();
        assertThat(measurement.turns()).hasSize(2);
        assertThat(measurement.samples()).isNotEmpty().allMatch(sample -> sample > 0);
        assertThat(measurement.metrics().keySet())
                .contains(Metric.CPU, Metric.ALLOCATED, Metric.P50, Metric.P99, Metric.P999, Metric.MAX);
        assertThat(measurement.metric(Metric.CPU).orElseThrow()).isPositive();
        assertThat(measurement.slices()).hasSizeGreaterThanOrEqualTo(4).allMatch(rate -> rate > 0);
    }

    @Test
    void aSecondLookIsTakenInTheJvmThatIsWarmAndIsNoStepOfThePlan() throws IOException {
        Cell.Transactions cell = new Cell.Transactions("narayana-volatile", Protocol.TWO_PHASE, 2);
        List<String> seen = new ArrayList<>();

        Results results = measure(
                        List.of(cell), after -> seen.add(after.done() + " of " + after.planned()), List.of(cell))
                .results();

        assertThat(results.of(cell).orElseThrow().turns()).hasSize(2);
        assertThat(seen).containsExactly("1 of 1", "1 of 1");
        assertThat(Files.readAllLines(directory.resolve("log")))
                .filteredOn(line -> line.startsWith("warm-up of") && line.contains("each second"))
                .hasSize(1);
    }

    @Test
    void whatWasFoundIsShownAfterEachStep() throws IOException {
        Cell sound = new Cell.DiskWrites(DiskKind.FORCED.label(), 1);
        Cell broken = new Cell.Transactions("narayana-journal-aio", Protocol.TWO_PHASE, 1);
        List<String> seen = new ArrayList<>();

        measure(
                List.of(sound, broken, sound),
                so -> seen.add(so.done() + " of " + so.planned() + ": "
                        + so.results().size() + " found, " + so.failures().size() + " failed"));

        assertThat(seen)
                .containsExactly("1 of 3: 1 found, 0 failed", "2 of 3: 1 found, 1 failed", "3 of 3: 1 found, 1 failed");
    }

    @Test
    void manyThreadsOnFewCoresAreNotSaidToDoMoreThanTheCoresCan() throws IOException {
        int cores = Runtime.getRuntime().availableProcessors();
        Cell cell = new Cell.Transactions("narayana-volatile", Protocol.ONE_PHASE, 50 * cores);

        Measurement measurement = measure(List.of(cell)).results().of(cell).orElseThrow();

        double cpuSeconds = measurement.metric(Metric.CPU).orElseThrow() / 1e6;
        assertThat(measurement.lowest() * cpuSeconds).isLessThan(2.0 * cores);
    }

    @Test
    void diskIsMeasuredAndItsFilesAreTakenAway() throws IOException {
        Cell cell = new Cell.DiskWrites(DiskKind.FORCED.label(), 2);

        Results results = measure(List.of(cell)).results();

        Measurement measurement = results.of(cell).orElseThrow();
        assertThat(measurement.samples()).hasSize(2).allMatch(sample -> sample > 0);
        assertThat(measurement.metric(Metric.P50).orElseThrow()).isPositive();
        try (var files = Files.list(run.path())) {
            assertThat(files.map(file -> file.getFileName().toString())).containsExactly("logging.properties");
        }
    }

    @ParameterizedTest
    @EnumSource
    void manyWritersMeasureTheDiskSideBySide(DiskKind kind) throws IOException {
        Optional<String> reason = kind.unavailableBecause(new SystemDisk(), run.path());
        Assumptions.assumeTrue(reason.isEmpty(), () -> "this disk has no such way: " + reason.orElseThrow());
        Cell cell = new Cell.DiskWrites(kind.label(), 8);

        assertThat(measure(List.of(cell)).failures()).isEmpty();
    }

    @Test
    void storeThatDoesNotRunAsItsNameSaysFailsAndTheRestGoesOn() throws IOException {
        // The library was not unpacked, so the peer would silently have used NIO.
        Cell pretender = new Cell.Transactions("narayana-journal-aio", Protocol.TWO_PHASE, 1);
        Cell sound = new Cell.Transactions("narayana-volatile", Protocol.ONE_PHASE, 1);

        Outcome outcome = measure(List.of(pretender, sound));

        assertThat(outcome.failures())
                .containsOnlyKeys(pretender)
                .extractingByKey(pretender)
                .asString()
                .contains("AIO library of artemis-native is not loaded");
        assertThat(outcome.results().of(sound)).isPresent();
    }

    @Test
    void whoKeepsTheTimeLimitsIsWhoTheNameSays() throws IOException {
        List<Cell> cells = Selection.stores(
                        List.of("inmemory-narayana-reaper,inmemory-tallystick-reaper" + ",inmemory-tallystick-manager"))
                .stream()
                .map(subject -> (Cell) new Cell.Transactions(subject.name(), Protocol.ONE_PHASE, 1))
                .toList();

        Outcome outcome = measure(cells);

        assertThat(outcome.failures()).isEmpty();
        assertThat(cells)
                .allSatisfy(cell -> assertThat(outcome.results().of(cell)).isPresent());
    }

    @Test
    void ourStoreTellsHowManySyncsATransactionCosts() throws IOException {
        Cell cell = new Cell.Transactions("journal-segmented-channel", Protocol.TWO_PHASE, 1);

        Results results = measure(List.of(cell)).results();

        assertThat(results.of(cell).orElseThrow().metric(Metric.FORCES).orElseThrow())
                .isBetween(1.0, 3.0);
    }

    @Test
    void transactionsWithWorkAndRecoveryAreMeasuredAndReadBack() throws IOException {
        Cell work = new Cell.Work("journal-segmented-channel", 2);
        Cell recovery = new Cell.Recovery("journal-segmented-channel");

        Outcome outcome = measure(List.of(work, recovery));

        assertThat(outcome.failures()).isEmpty();
        assertThat(outcome.results().of(work).orElseThrow().lowest()).isPositive();
        assertThat(outcome.results().of(work).orElseThrow().metrics()).containsKeys(Metric.CPU, Metric.P99);
        assertThat(outcome.results().of(recovery).orElseThrow().median()).isPositive();
    }

    @Test
    void everyStoreIsTriedAndThoseThatWorkAreDescribed() throws IOException, InterruptedException {
        List<Subject> subjects = Selection.stores(List.of("inmemory,journal-segmented-channel,narayana-file"));

        assertThat(SubjectCheck.of(subjects, run.path()))
                .containsEntry("inmemory", new SubjectCheck.Finding(true, "inmemory (nothing survives the process)"))
                .containsEntry("narayana-file", new SubjectCheck.Finding(true, ""))
                .extractingByKey("journal-segmented-channel")
                .satisfies(finding -> assertThat(finding.remark()).startsWith("journal engine=segmented io=channel"));
    }

    private Outcome measure(List<Cell> steps) throws IOException {
        return measure(steps, after -> {});
    }

    private Outcome measure(List<Cell> steps, Consumer<BenchmarkRun> afterStep) throws IOException {
        return measure(steps, afterStep, List.of());
    }

    private Outcome measure(List<Cell> steps, Consumer<BenchmarkRun> afterStep, List<Cell.Transactions> again)
            throws IOException {
        Terminal nowhere = Terminal.plain(new PrintStream(PrintStream.nullOutputStream()));
        Progress progress = new Progress(nowhere, NanoClock.SYSTEM);
        ForkLog log = new ForkLog(directory.resolve("log"));
        Plan plan = new Plan(steps, 1, BRIEF, BRIEF);
        BenchmarkRun benchmark = new BenchmarkRun(plan, new RunContext(run, progress), log, List.of(), afterStep);
        log.capturing(() -> benchmark.run(() -> again));
        log.end();
        return new Outcome(
                Optional.of(benchmark.results())
                        .filter(results -> !results.isEmpty())
                        .map(results -> Results.of(results, Machine.UNKNOWN, RunState.UNKNOWN))
                        .orElseThrow(),
                benchmark.failures());
    }

    private record Outcome(Results results, Map<Cell, String> failures) {}
}
