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
import java.time.Duration;
import java.util.regex.Pattern;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
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
    /** The commands. */
    static final String WARM = "warm";

    static final String MEASURE = "measure";

    private static final Plan.Timing THROWN_AWAY =
            new Plan.Timing(Plan.STEP_START, Duration.ofMillis(200), 1, Duration.ofMillis(300));

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
            return switch (words[0]) {
                case WARM -> warm(words);
                default -> measure(words);
            };
        } catch (Exception | LinkageError failed) {
            return BenchmarkRun.reasonOf(failed);
        }
    }

    /** {@code warm STORE PROTOCOL THREADS MOST_SECONDS MEASURED_THREADS,...}. */
    private static String warm(String[] words) throws Exception {
        String store = words[1];
        Protocol protocol = Protocol.labelled(words[2]);
        String kind = "warm-up of " + store + " " + words[2];
        System.out.println(kind + ", commits in each second: "
                + WarmUp.untilSteady(store, protocol, Integer.parseInt(words[3]), Integer.parseInt(words[4])));
        for (String measured : words[5].split(",")) {
            System.out.println(kind + " with " + measured + " threads, commits in each window: "
                    + WarmUp.untilCalm(store, protocol, Integer.parseInt(measured)));
        }
        // The way through JMH is cold, too. This figure is thrown away.
        measured(words, Integer.parseInt(words[3]), THROWN_AWAY, BenchmarkRun.STUCK_AFTER);
        Settling.await();
        return DONE;
    }

    /** {@code measure STORE PROTOCOL THREADS WARMUP_MILLIS ITERATIONS MILLIS PATIENCE_MILLIS FILE}. */
    private static String measure(String[] words) throws Exception {
        Plan.Timing timing = new Plan.Timing(
                Plan.STEP_START,
                Duration.ofMillis(Long.parseLong(words[4])),
                Integer.parseInt(words[5]),
                Duration.ofMillis(Long.parseLong(words[6])));
        RunResult result =
                measured(words, Integer.parseInt(words[3]), timing, Duration.ofMillis(Long.parseLong(words[7])));
        try (ObjectOutputStream file = new ObjectOutputStream(Files.newOutputStream(Path.of(words[8])))) {
            file.writeObject(result);
        }
        Settling.await();
        return DONE;
    }

    /** A run of JMH over the store and the protocol of this command. */
    private static RunResult measured(String[] words, int threads, Plan.Timing timing, Duration stuckAfter)
            throws RunnerException {
        return new Runner(new OptionsBuilder()
                        .include("^" + Pattern.quote(TransactionBenchmark.class.getName()) + "\\.")
                        .param("store", words[1])
                        .param("protocol", words[2])
                        .threads(threads)
                        .warmupIterations(1)
                        .warmupTime(TimeValue.milliseconds(timing.warmup().toMillis()))
                        .measurementIterations(timing.iterations())
                        .measurementTime(
                                TimeValue.milliseconds(timing.iteration().toMillis()))
                        .timeout(TimeValue.milliseconds(stuckAfter.toMillis()))
                        // The gate of the benchmark holds the threads together. JMH's own way lets them run until
                        // the last of them has had a processor, which with hundreds of them takes many seconds.
                        .syncIterations(false)
                        .addProfiler(ProcessProfiler.class)
                        .shouldFailOnError(true)
                        .forks(0)
                        .build())
                .runSingle();
    }
}
