package io.tallystick.benchmarks.measure;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * The statement of our store in PostgreSQL, sent by pgbench: the rate of the server without a store. One operation is
 * one run of pgbench; {@link StatementProfiler} reports the statements a second.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.SECONDS)
public class StatementBenchmark {
    /** Seconds of one run. */
    public static final int SECONDS = 4;

    /** System property: words of the command that this class completes, separated by line feeds. */
    public static final String COMMAND_KEY = "bench.pgbench";

    private static final String SCRIPT = "statement.sql";

    // The profiler reads them: JMH makes both.
    private static volatile StatementProfiler.Run last;

    /** Name of the store whose servers they are. */
    @Param("")
    public String store;

    /** Bytes of the batch. */
    @Param("0")
    public int bytes;

    /** Connections. */
    @Param("0")
    public int clients;

    /** The last run; null before the first. */
    static StatementProfiler.Run last() {
        return last;
    }

    /** One run of pgbench. */
    @Benchmark
    public void run() throws IOException, InterruptedException {
        Path script = Files.createTempFile("bench", ".sql");
        try (InputStream text = StatementBenchmark.class.getResourceAsStream(SCRIPT)) {
            Files.write(script, text.readAllBytes());
            List<String> command =
                    new ArrayList<>(List.of(System.getProperty(COMMAND_KEY).split("\n")));
            command.addAll(List.of(
                    "--no-vacuum",
                    "--protocol=prepared",
                    "--client=" + clients,
                    "--jobs=1",
                    "--time=" + SECONDS,
                    "--file=" + script,
                    "--define=n=1000",
                    "--define=body=" + "x".repeat(bytes)));
            long before = ServerCpu.nanos();
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IOException("pgbench failed: " + output);
            }
            last = StatementProfiler.Run.of(output, ServerCpu.nanos() - before);
        } finally {
            Files.delete(script);
        }
    }
}
