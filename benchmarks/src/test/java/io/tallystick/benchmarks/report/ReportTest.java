package io.tallystick.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.benchmarks.Samples;
import io.tallystick.benchmarks.Terminal;
import io.tallystick.benchmarks.measure.DiskKind;
import io.tallystick.benchmarks.measure.Machine;
import io.tallystick.benchmarks.measure.Metric;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {
    @TempDir
    private Path directory;

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    @Test
    void everyFigureIsAlsoAShareOfThePeerOfMemoryAndOfTheLimit() throws IOException {
        Results results = new Samples()
                .disk(DiskKind.DIRECT, 1, 40, 20_000)
                .transactions("inmemory", "2PC", 1, Map.of(Metric.CPU, 10.0), 100_000)
                .transactions("narayana-file", "2PC", 1, 4_000, 6_000)
                .transactions("journal-segmented-auto", "2PC", 1, 10_000)
                .read(directory);

        new Report(results, plain()).print();

        assertThat(lines())
                .contains("limit 20,000 tx/s: a durable write takes 40.0 us, a commit in memory 10.0 us of CPU")
                .anyMatch(
                        line -> line.matches("journal-segmented-auto +10,000 +10,000 .. 10,000 +2.00x +10 % +50 % +-"))
                .anyMatch(line -> line.matches("narayana-file +5,000 +4,000 .. 6,000 +1.00x +5.0 % +25 % +-"))
                .anyMatch(line -> line.matches("inmemory +100,000 +100,000 .. 100,000 +- +- +- +10.0 us"));
    }

    @Test
    void onePhaseFiguresAreNeverShownWithoutSayingThatNoStoreIsTouched() throws IOException {
        Results results =
                new Samples().transactions("inmemory", "1PC", 1, 500_000).read(directory);

        new Report(results, plain()).print();

        assertThat(lines()).anyMatch(line -> line.contains("no store is touched"));
    }

    @Test
    void syncsPerSecondFollowFromSyncsPerTransaction() throws IOException {
        Results results = new Samples()
                .transactions("file", "2PC", 1, Map.of(Metric.FORCES, 0.25, Metric.RECORDS_PER_FORCE, 7.5), 8_000)
                .read(directory);

        new Report(results, plain()).print();

        assertThat(lines()).anyMatch(line -> line.matches("file +8,000 .* 2,000 +7.50"));
    }

    @Test
    void directoryInMemoryIsShoutedAt() {
        Report.printMachine(new Machine(Map.of(Machine.FILE_SYSTEM, "tmpfs")), coloured());

        assertThat(lines()).anyMatch(line -> line.startsWith("\033[1;31m") && line.contains("nothing here is durable"));
    }

    @Test
    void busyMachineIsSaidBeforeTheRun() {
        Report.printMachine(new Machine(Map.of(Machine.OTHERS, "25 %")), plain());
        Report.printMachine(new Machine(Map.of(Machine.OTHERS, "3 %")), plain());
        Report.printMachine(Machine.UNKNOWN, plain());

        assertThat(lines()).filteredOn(line -> line.contains("is busy")).hasSize(1);
    }

    @Test
    void whatAStoreChoseForItselfStandsWithTheMachine() throws IOException {
        Machine machine = Machine.UNKNOWN.withChoice("journal-segmented-auto", "io=direct");
        Results results = new Samples()
                .on(machine.facts())
                .transactions("journal-segmented-auto", "2PC", 1, 1)
                .read(directory);

        Report.printMachine(results.machine(), plain());

        assertThat(lines()).contains("Chosen by trial", "journal-segmented-auto  io=direct");
    }

    @Test
    void figuresThatOthersHaveSpoiledAreSaidToBeSo() throws IOException {
        Results quiet = new Samples()
                .transactions("file", "2PC", 1, Map.of(Metric.OTHERS, 0.02), 1)
                .read(directory);
        Results disturbed = new Samples()
                .transactions("file", "2PC", 1, Map.of(Metric.OTHERS, 0.3), 1)
                .transactions("file", "2PC", 4, Map.of(Metric.OTHERS, 0.5), 1)
                .read(directory);

        new Report(quiet, plain()).print();
        assertThat(lines()).noneMatch(line -> line.contains("do not rely"));
        new Report(disturbed, plain()).print();
        assertThat(lines()).anyMatch(line -> line.startsWith("Other programs used 40 %") && line.contains("50 %"));
    }

    @Test
    void fewSpoiledFiguresAreNamedInARunThatWasQuietOtherwise() throws IOException {
        Results results = new Samples()
                .transactions("file", "2PC", 1, Map.of(Metric.OTHERS, 0.66), 1)
                .transactions("file", "2PC", 4, Map.of(Metric.OTHERS, 0.02), 1)
                .transactions("file", "2PC", 16, Map.of(Metric.OTHERS, 0.01), 1)
                .read(directory);

        assertThat(Report.disturbance(results))
                .contains(
                        "Other programs used more than 20 % of the cores while 1 figure of 3 came about; do not rely on"
                                + " those. The worst: file 2PC 1 thread (66 %).");
    }

    private Terminal plain() {
        return Terminal.plain(new PrintStream(printed, true, StandardCharsets.UTF_8));
    }

    private Terminal coloured() {
        return new Terminal(new PrintStream(printed, true, StandardCharsets.UTF_8), true, true, 80);
    }

    private String[] lines() {
        return printed.toString(StandardCharsets.UTF_8).split("\n");
    }
}
