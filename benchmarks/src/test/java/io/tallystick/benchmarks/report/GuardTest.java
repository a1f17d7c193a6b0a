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
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GuardTest {
    private static final String JOURNAL = "journal-segmented-auto";
    private static final Map<String, String> HERE = Map.of(
            Machine.CORES, "2",
            Machine.CPU, "a processor",
            Machine.FILE_SYSTEM, "ext4",
            Machine.JVM, "OpenJDK 64-Bit Server VM 17.0.15+6-Debian-1deb12u1");
    private static final double[] NOISE = {0.97, 1.02, 0.99, 1.03, 1.0, 0.98};

    @TempDir
    private Path directory;

    @Test
    void aJournalThatIsSlowerBySeventeenPercentOrMoreIsFoundThroughTheNoise() throws IOException {
        Guard guard = Guard.of(run(1, 1, HERE), run(0.83, 1, HERE));

        assertThat(guard.isSlower()).isTrue();
        assertThat(guard.rows()).extracting(Guard.Row::verdict).containsOnly(Guard.Verdict.SLOWER);
        assertThat(printed(guard))
                .contains("SLOWER than the baseline", "journal / inmemory, 16 threads", "journal / narayana-slots, 16");
    }

    @Test
    void noiseAndASlowerMachineMakeNoAlarm() throws IOException {
        Guard noisy = Guard.of(run(1, 1, HERE), run(0.96, 1, HERE));
        assertThat(noisy.isSlower()).isFalse();
        assertThat(noisy.isComplete()).isTrue();
        assertThat(noisy.rows()).extracting(Guard.Row::verdict).containsOnly(Guard.Verdict.REACHED);

        Guard slowMachine = Guard.of(run(1, 1, HERE), run(1, 0.6, HERE));
        assertThat(slowMachine.isSlower()).isFalse();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    cores      | 8              | cores was 2, is 8
                    cpu        | another        | cpu was a processor, is another
                    cpu        | not known      | cpu was a processor, is not known
                    fileSystem | xfs            | fileSystem was ext4, is xfs
                    jvm        | OpenJDK 64-Bit Server VM 25.0.1+8-LTS | is OpenJDK 64-Bit Server VM 25.0.1+8-LTS
                    """)
    void onAnotherKindOfMachineNothingIsCompared(String fact, String value, String said) throws IOException {
        Map<String, String> elsewhere = new LinkedHashMap<>(HERE);
        elsewhere.put(fact, value);

        Guard guard = Guard.of(run(1, 1, HERE), run(0.5, 1, elsewhere));

        assertThat(guard.isSlower()).isFalse();
        assertThat(guard.isComplete()).isFalse();
        assertThat(printed(guard)).contains("nothing is compared: ", said).doesNotContain("SLOWER");
    }

    @Test
    void aNewBuildOfTheSameJavaIsTheSameKindOfMachine() throws IOException {
        Map<String, String> later = new LinkedHashMap<>(HERE);
        later.put(Machine.JVM, "OpenJDK 64-Bit Server VM 17.0.16+8-Debian-1deb12u1");

        assertThat(Guard.of(run(1, 1, HERE), run(0.5, 1, later)).isSlower()).isTrue();
    }

    @Test
    void withADiskOfAnotherSpeedNothingIsCompared() throws IOException {
        Guard guard = Guard.of(run(1, 1, HERE), figures(0.5, 1, HERE, Map.of(), 3_000));

        assertThat(guard.isSlower()).isFalse();
        assertThat(printed(guard)).contains("the disk did 8,000 durable writes a second, and does 3,000");
    }

    @Test
    void figuresInDoubtAreNotCompared() throws IOException {
        Guard guard = Guard.of(run(1, 1, HERE), figures(0.5, 1, HERE, Map.of(Metric.OTHERS, 0.4), 8_000));

        assertThat(guard.isSlower()).isFalse();
        assertThat(guard.isComplete()).isFalse();
        assertThat(printed(guard))
                .contains("not compared: journal / inmemory, 16 threads: " + JOURNAL
                        + " 2PC 16 threads: company: other programs used 40 % of the cores");
    }

    @Test
    void aBaselineInDoubtComparesNothing() throws IOException {
        Guard guard = Guard.of(figures(1, 1, HERE, Map.of(Metric.OTHERS, 0.4), 8_000), run(0.5, 1, HERE));

        assertThat(guard.isSlower()).isFalse();
        assertThat(guard.isComplete()).isFalse();
        assertThat(printed(guard)).contains(JOURNAL + " 2PC 16 threads: in the baseline, company: ");
    }

    @Test
    void aFigureThatIsMissingIsNotCompared() throws IOException {
        Results without = new Samples()
                .on(HERE)
                .disk(DiskKind.FORCED, 1, 125, 8_000)
                .turns(JOURNAL, 16, Map.of(), NOISE)
                .read(directory);

        Guard guard = Guard.of(run(1, 1, HERE), without);

        assertThat(guard.isSlower()).isFalse();
        assertThat(printed(guard)).contains("inmemory 2PC 16 threads: not measured");
    }

    private Results run(double journal, double machine, Map<String, String> facts) throws IOException {
        return figures(journal, machine, facts, Map.of(), 8_000);
    }

    private Results figures(
            double journal, double machine, Map<String, String> facts, Map<Metric, Double> metrics, double disk)
            throws IOException {
        double[] even = new double[NOISE.length];
        Arrays.fill(even, machine);
        return new Samples()
                .on(facts)
                .disk(DiskKind.FORCED, 1, 1e6 / disk, disk)
                .turns("inmemory", 16, Map.of(), scaled(even, 300_000))
                .turns("narayana-slots", 16, Map.of(), scaled(even, 20_000))
                .turns("narayana-journal-nio-tuned", 16, Map.of(), scaled(even, 10_000))
                .turns(JOURNAL, 16, metrics, scaled(NOISE, 80_000 * machine * journal))
                .read(directory);
    }

    private static double[] scaled(double[] values, double factor) {
        return Arrays.stream(values).map(value -> value * factor).toArray();
    }

    private static String printed(Guard guard) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        guard.print(Terminal.plain(new PrintStream(bytes, true, StandardCharsets.UTF_8)));
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
