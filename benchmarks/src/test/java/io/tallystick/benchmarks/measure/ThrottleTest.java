package io.tallystick.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.benchmarks.Samples;
import io.tallystick.benchmarks.report.Results;
import io.tallystick.benchmarks.report.Year2011;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ThrottleTest {
    @TempDir
    private Path directory;

    @Test
    void rateIsWrittenAsTheVersionOfTheCgroupsWantsIt() throws IOException {
        Path file = directory.resolve("rate");

        Throttle.of(Map.of("BENCH_THROTTLE", "1 " + file + " 7:3"))
                .orElseThrow()
                .set(3_300);
        assertThat(file).hasContent("7:3 3300");
        Throttle.of(Map.of("BENCH_THROTTLE", "2 " + file + " 7:3"))
                .orElseThrow()
                .set(1_234);
        assertThat(file).hasContent("7:3 wiops=1234");
        assertThat(Throttle.of(Map.of())).isEmpty();
    }

    @Test
    void scriptSaysWhyNoDiskCanBeSlowedDownHere() throws IOException, InterruptedException {
        assertThat(throttled("many", Map.of())).contains("'many' is not a number of write operations a second");
        Files.createDirectory(directory.resolve("cgroup"));
        String reason =
                throttled("100", Map.of("CGROUPS", directory.resolve("cgroup").toString()));
        assertThat(reason).containsAnyOf("it takes root", "neither a blkio cgroup", "there is no ");
        assertThat(directory.resolve("slow")).doesNotExist();
    }

    @Test
    void figuresOf2011StandBesideOnlyWhereTheDiskWasAsSlow() throws IOException {
        Samples samples = new Samples()
                .transactions("file", "2PC", 100, 1_650)
                .transactions("journal-segmented-auto", "2PC", 400, 72_982);

        assertThat(Year2011.table(samples.read(directory))).isEmpty();
        Results calibrated = new Samples()
                .on(Map.of(Machine.CALIBRATED, "yes"))
                .transactions("file", "2PC", 100, 1_650)
                .transactions("journal-segmented-auto", "2PC", 400, 72_982)
                .read(directory);
        assertThat(Year2011.table(calibrated).orElseThrow().cells())
                .contains(
                        List.of("a sync per transaction", "100", "1,650", "file", "1,650", "1.00x"),
                        List.of("journal, AIO", "400", "36,491", "journal-segmented-auto", "72,982", "2.00x"));
    }

    private String throttled(String rate, Map<String, String> environment) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(
                "sh", "throttled", rate, directory.resolve("slow").toString(), "echo", "never");
        builder.environment().putAll(environment);
        Process process = builder.redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isEqualTo(1);
        return said;
    }
}
