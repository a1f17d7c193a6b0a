package io.tallystick.benchmarks.run;

import com.arjuna.ats.arjuna.objectstore.StoreManager;
import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.measure.ProcessProfiler;
import io.tallystick.benchmarks.measure.Settling;
import io.tallystick.benchmarks.measure.TransactionBenchmark;
import io.tallystick.benchmarks.measure.WarmUp;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.ObjectOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * The main class of a JVM that stays for all measurements of one store. It reads commands from its standard input, a
 * line each, and answers each with a line that begins with {@value #ANSWER}; {@link WarmJvm} speaks to it. It ends at
 * the end of the input.
 */
final class WarmProcess {
    static final String ANSWER = "warm-jvm: ";
    static final String DONE = "done";

    private WarmProcess() {}

    /** The arguments are not used: system properties choose the store. */
    public static void main(String[] arguments) throws Exception {
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String command = commands.readLine(); command != null; command = commands.readLine()) {
            String[] words = command.split(" ");
            System.out.println(ANSWER + answer(words));
        }
        StoreManager.shutdown();
        System.exit(0); // peers leave threads behind
    }

    /** {@link #DONE}, or why the command could not be carried out. */
    private static String answer(String[] words) {
        try {
            return words[0].equals("warm") ? warm(words) : measure(words);
        } catch (Exception | LinkageError failed) {
            return BenchmarkRun.reasonOf(failed);
        }
    }

    /** {@code warm STORE PROTOCOL THREADS MOST_SECONDS}. */
    private static String warm(String[] words) throws Exception {
        List<Long> seconds = WarmUp.run(
                words[1], Protocol.labelled(words[2]), Integer.parseInt(words[3]), Integer.parseInt(words[4]));
        Settling.await();
        System.out.println("warm-up of " + words[1] + " " + words[2] + ", commits in each second: " + seconds);
        return DONE;
    }

    /** {@code measure STORE PROTOCOL THREADS WARMUP_MILLIS ITERATIONS MILLIS PATIENCE_MILLIS FILE}. */
    private static String measure(String[] words) throws Exception {
        RunResult result = new Runner(new OptionsBuilder()
                        .include("^" + Pattern.quote(TransactionBenchmark.class.getName()) + "\\.")
                        .param("store", words[1])
                        .param("protocol", words[2])
                        .threads(Integer.parseInt(words[3]))
                        .warmupIterations(1)
                        .warmupTime(TimeValue.milliseconds(Long.parseLong(words[4])))
                        .measurementIterations(Integer.parseInt(words[5]))
                        .measurementTime(TimeValue.milliseconds(Long.parseLong(words[6])))
                        .timeout(TimeValue.milliseconds(Long.parseLong(words[7])))
                        // The gate of the benchmark holds the threads together. JMH's own way lets them run until
                        // the last of them has had a processor, which with hundreds of them takes many seconds.
                        .syncIterations(false)
                        .addProfiler(ProcessProfiler.class)
                        .shouldFailOnError(true)
                        .forks(0)
                        .build())
                .runSingle();
        try (ObjectOutputStream file = new ObjectOutputStream(Files.newOutputStream(Path.of(words[8])))) {
            file.writeObject(result);
        }
        Settling.await();
        return DONE;
    }
}
