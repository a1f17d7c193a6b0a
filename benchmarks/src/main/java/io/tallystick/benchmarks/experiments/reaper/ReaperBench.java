package io.tallystick.benchmarks.experiments.reaper;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs {@link RegisterCancelBenchmark} for every timer, number of threads and number of live registrations, and prints
 * one table. The timers take turns, each in a JVM of its own.
 *
 * <p>Arguments, all optional: {@code rounds=2 millis=500 threads=1,4,16,100,400 live=10,10000,1000000
 * timers=TALLYSTICK,NARAYANA}.
 */
public final class ReaperBench {
    /** A timer that needs longer for an iteration gets no figure. */
    private static final int PATIENCE_SECONDS = 10;

    private final int millis;
    private final Map<Cell, List<RunResult>> results = new LinkedHashMap<>();

    private ReaperBench(int millis) {
        this.millis = millis;
    }

    /** Measures and prints; see the class. */
    public static void main(String[] arguments) {
        Map<String, String> given = new LinkedHashMap<>();
        for (String argument : arguments) {
            String[] parts = argument.split("=", 2);
            given.put(parts[0], parts.length == 2 ? parts[1] : "");
        }
        int rounds = Integer.parseInt(given.getOrDefault("rounds", "2"));
        List<Integer> threads = numbers(given.getOrDefault("threads", "1,4,16,100,400"));
        List<Integer> live = numbers(given.getOrDefault("live", "10,10000,1000000"));
        List<TimerKind> timers = given.containsKey("timers")
                ? Arrays.stream(given.get("timers").split(","))
                        .map(TimerKind::valueOf)
                        .toList()
                : List.of(TimerKind.values());
        new ReaperBench(Integer.parseInt(given.getOrDefault("millis", "500"))).run(rounds, threads, live, timers);
    }

    private void run(int rounds, List<Integer> threads, List<Integer> live, List<TimerKind> timers) {
        for (int round = 1; round <= rounds; round++) {
            for (int liveOnes : live) {
                for (int threadCount : threads) {
                    for (TimerKind timer : timers) {
                        measure(new Cell(timer, liveOnes, threadCount));
                    }
                }
            }
        }
        System.out.println(table(threads, live, timers));
    }

    private void measure(Cell cell) {
        List<RunResult> all = results.computeIfAbsent(cell, unused -> new ArrayList<>());
        try {
            all.addAll(runOnce(cell));
        } catch (RunnerException failed) {
            System.out.println(cell + ": " + failed);
        }
        System.out.println(cell + ": " + nanos(cell, CpuMeter.CPU) + " ns of CPU, " + nanos(cell, CpuMeter.WALL)
                + " ns on the wall");
    }

    private Collection<RunResult> runOnce(Cell cell) throws RunnerException {
        return new Runner(new OptionsBuilder()
                        .include(RegisterCancelBenchmark.class.getName() + ".*")
                        .param("timer", cell.timer.name())
                        .param("live", Integer.toString(cell.live))
                        .threads(cell.threads)
                        .forks(1)
                        .warmupIterations(2)
                        .warmupTime(TimeValue.milliseconds(millis))
                        .measurementIterations(3)
                        .measurementTime(TimeValue.milliseconds(millis))
                        .addProfiler(CpuMeter.class)
                        .jvmArgsAppend(
                                "-Xmx2g",
                                "-XX:+ExitOnOutOfMemoryError",
                                "-Djmh.shutdownTimeout=1",
                                "-Djmh.shutdownTimeout.step=1")
                        .timeout(TimeValue.seconds(PATIENCE_SECONDS))
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .run();
    }

    private String table(List<Integer> threads, List<Integer> live, List<TimerKind> timers) {
        StringBuilder table = new StringBuilder("nanoseconds of CPU for each register and cancel"
                + " (in parentheses: nanoseconds on the wall)\n\n| live | timer |");
        threads.forEach(count -> table.append(' ').append(count).append(" |"));
        table.append("\n|---|---|").append("---|".repeat(threads.size())).append('\n');
        for (int liveOnes : live) {
            for (TimerKind timer : timers) {
                table.append(String.format(Locale.ROOT, "| %,d | %s |", liveOnes, timer.label()));
                for (int count : threads) {
                    Cell cell = new Cell(timer, liveOnes, count);
                    table.append(' ')
                            .append(nanos(cell, CpuMeter.CPU))
                            .append(" (")
                            .append(nanos(cell, CpuMeter.WALL))
                            .append(") |");
                }
                table.append('\n');
            }
        }
        return table.toString();
    }

    /** The best of the rounds: a neighbour on the machine can only make them worse. */
    private String nanos(Cell cell, String label) {
        ToDoubleFunction<RunResult> score =
                result -> result.getSecondaryResults().get(label).getScore();
        return results.get(cell).stream().mapToDouble(score).min().stream()
                .mapToObj(best -> String.format(Locale.ROOT, "%,.0f", best))
                .findFirst()
                .orElse("failed");
    }

    private static List<Integer> numbers(String text) {
        return Arrays.stream(text.split(",")).map(Integer::valueOf).toList();
    }

    private record Cell(TimerKind timer, int live, int threads) {
        @Override
        public String toString() {
            return timer.label() + ", live=" + live + ", threads=" + threads;
        }
    }
}
