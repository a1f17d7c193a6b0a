package io.tallystick.benchmarks.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.benchmarks.Samples;
import io.tallystick.benchmarks.Terminal;
import io.tallystick.benchmarks.measure.Machine;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BenchTest {
    @TempDir
    private Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    --quik              | there is no option '--quik'; did you mean '--quick'? (--help shows all)
                    --store fil         | --store: there is no store 'fil'; did you mean 'file'? (--list shows all)
                    --threads 0         | --threads: '0' is not a number from 1 to 10000; did you mean '1'?
                    --protocol 3PC      | --protocol: there is no protocol '3PC'; did you mean '1PC'?
                    --quick --full      | --quick and --full exclude each other; give one of them or none
                    --against none.json | file none.json does not exist
                    --show none.json    | file none.json does not exist
                    --iops 3300         | --iops and --2011 need the disk that the script ./bench makes; run them \
                    by ./bench, as root
                    --2011 --directory . | --iops and --2011 make a disk of their own; leave --directory out
                    --with wrk          | --with: there is no 'wrk'; did you mean 'work'?
                    --guard none.json   | file none.json does not exist
                    --guard a --quick   | --guard and --baseline choose what they measure; give one of them, with \
                    --directory, --jvm-args or --against at most
                    --guard a --baseline b | --guard and --baseline choose what they measure; give one of them, with \
                    --directory, --jvm-args or --against at most
                    --threads           | Missing required parameter for option '--threads' (N)
                    """)
    void badArgumentsAreAnsweredInOneLine(String arguments, String message) {
        assertThat(run(arguments.split(" "))).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo("bench: " + message + "\n");
        assertThat(out.size()).isZero();
    }

    @Test
    void directoryThatCannotBeUsedIsNamed() {
        assertThat(run("--list", "--directory", "/proc/none")).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .startsWith("bench: --directory: /proc/none cannot be used")
                .hasLineCount(1);
    }

    @Test
    void earlierRunIsShownAgainAndCompared() throws IOException {
        Map<String, String> facts =
                Map.of(Machine.CORES, "2", Machine.COMMAND, "./bench --quick", Machine.DATE, "then");
        Path before = new Samples()
                .on(facts)
                .transactions("file", "2PC", 16, 1_000, 1_000)
                .in(directory);
        Path now = new Samples()
                .on(facts)
                .transactions("file", "2PC", 16, 2_000, 2_000)
                .in(directory);

        assertThat(run("--show", now.toString(), "--against", before.toString()))
                .isZero();
        assertThat(out.toString(StandardCharsets.UTF_8).split("\n"))
                .contains("./bench --quick, then")
                .anyMatch(line -> line.matches("file 2PC 16 threads +1,000 +2,000 +\\+100 % +2.00x .. 2.00x +faster"));
    }

    private int run(String... arguments) {
        return Bench.run(arguments, terminal(out), terminal(err));
    }

    private static Terminal terminal(ByteArrayOutputStream stream) {
        return Terminal.plain(new PrintStream(stream, true, StandardCharsets.UTF_8));
    }
}
