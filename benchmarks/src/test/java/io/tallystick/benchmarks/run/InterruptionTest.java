package io.tallystick.benchmarks.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.benchmarks.report.Results;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InterruptionTest {
    @TempDir
    private Path directory;

    @Test
    void runThatIsTerminatedReportsWhatItHasMeasuredAndLeavesNothingElse() throws IOException, InterruptedException {
        Process bench = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Djmh.ignoreLock=true",
                        "-Dtallystick.bench.results=" + directory.resolve("results"),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Bench.class.getName(),
                        "--quick",
                        "--store",
                        "narayana-volatile",
                        "--threads",
                        "1",
                        "--directory",
                        directory.resolve("stores").toString())
                .start();
        List<String> printed = new ArrayList<>();
        try (BufferedReader progress = bench.errorReader(StandardCharsets.UTF_8);
                BufferedReader tables = bench.inputReader(StandardCharsets.UTF_8)) {
            assertThat(firstStep(progress)).contains("disk").endsWith("left");
            bench.toHandle().destroy(); // SIGTERM, as Ctrl-C and timeout
            progress.lines().forEach(printed::add);
            tables.lines().forEach(printed::add);
        } finally {
            bench.destroyForcibly();
        }

        assertThat(bench.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(printed)
                .anyMatch(line -> line.matches("stopped after [1-9]\\d* of \\d+ steps"))
                .contains("The disk")
                .anyMatch(line -> line.startsWith("Partial: the run ended after "));
        assertThat(directory.resolve("stores")).isEmptyDirectory();
        Results saved = Results.read(fileEndingWith(".json"));
        assertThat(saved.state().isPartial()).isTrue();
        assertThat(saved.state().arguments()).startsWith("--quick", "--store", "narayana-volatile");
        assertThat(fileEndingWith(".txt")).content().contains("Partial: ");
    }

    /** The first line of progress; a later JDK may warn about the libraries before it. */
    private static String firstStep(BufferedReader progress) {
        return progress.lines().filter(line -> line.contains("1/")).findFirst().orElseThrow();
    }

    private Path fileEndingWith(String suffix) throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve("results"))) {
            return files.filter(file -> file.toString().endsWith(suffix))
                    .findFirst()
                    .orElseThrow();
        }
    }
}
