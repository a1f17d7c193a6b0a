package io.tallystick.benchmarks.experiments;

import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.Terminal;
import io.tallystick.benchmarks.Text;
import io.tallystick.benchmarks.measure.Cell;
import io.tallystick.benchmarks.measure.Measurement;
import io.tallystick.benchmarks.measure.Metric;
import io.tallystick.benchmarks.run.BenchmarkRun;
import io.tallystick.benchmarks.run.ForkLog;
import io.tallystick.benchmarks.run.ForkedJvm;
import io.tallystick.benchmarks.run.Plan;
import io.tallystick.benchmarks.run.Progress;
import io.tallystick.benchmarks.run.RunContext;
import io.tallystick.benchmarks.run.RunDirectory;
import io.tallystick.benchmarks.run.Selection;
import io.tallystick.benchmarks.subject.Subject;
import io.tallystick.storage.NanoClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.RunResult;

/**
 * The cost of a time limit for a one-phase commit, more exactly than a whole {@code ./bench} can measure it. Stores
 * with and without time limits take turns, each in a new JVM, and each share compares two JVMs of the same round.
 *
 * <p>Arguments, all optional: {@code rounds=3 threads=1,4,16,100,400 iterations=6 millis=300 warmup=1500
 * stores=inmemory,inmemory-narayana-reaper} (the others are compared with the first one).
 */
public final class TimeLimitBench {
    private final List<String> stores;
    private final List<Integer> threads;
    private final Plan plan;

    private TimeLimitBench(Map<String, String> given) {
        stores = Selection.stores(List.of(given.getOrDefault(
                        "stores",
                        "inmemory,inmemory-narayana-reaper,inmemory-tallystick-reaper,inmemory-tallystick-manager")))
                .stream()
                .map(Subject::name)
                .toList();
        threads = Selection.threads(List.of(given.getOrDefault("threads", "1,4,16,100,400")));
        int rounds = Integer.parseInt(given.getOrDefault("rounds", "3"));
        Plan.Timing timing = new Plan.Timing(
                Plan.START,
                Duration.ofMillis(Long.parseLong(given.getOrDefault("warmup", "1500"))),
                Integer.parseInt(given.getOrDefault("iterations", "6")),
                Duration.ofMillis(Long.parseLong(given.getOrDefault("millis", "300"))));
        List<Cell> steps = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            List<String> order = new ArrayList<>(stores);
            Collections.rotate(order, -round);
            threads.forEach(count ->
                    order.forEach(store -> steps.add(new Cell.Transactions(store, Protocol.ONE_PHASE, count))));
        }
        plan = new Plan(steps, rounds, timing, timing);
    }

    /** Measures and prints; see the class. */
    public static void main(String[] arguments) throws IOException {
        Map<String, String> given = new LinkedHashMap<>();
        Arrays.stream(arguments)
                .map(argument -> argument.split("=", 2))
                .forEach(parts -> given.put(parts[0], parts[parts.length - 1]));
        new TimeLimitBench(given).run();
    }

    private void run() throws IOException {
        RunDirectory directory = RunDirectory.create(Path.of("benchmarks/target/bench-stores"));
        Terminal err = Terminal.standardError(System.getProperties(), System.getenv());
        Progress progress = new Progress(err, NanoClock.SYSTEM);
        RunContext context = new RunContext(directory, progress);
        context.interruption().arm();
        try {
            ForkedJvm.prepare(directory.path());
            ForkLog log = new ForkLog(directory.path().resolve("log"));
            BenchmarkRun benchmark = new BenchmarkRun(plan, context, log, List.of(), after -> {});
            progress.start(plan.steps().size(), plan.estimate());
            log.capturing(benchmark::run);
            log.end();
            progress.close();
            benchmark.failures().forEach((cell, reason) -> err.line(cell.label() + ": " + reason));
            print(benchmark.results());
        } finally {
            context.interruption().disarm();
        }
    }

    private void print(List<RunResult> results) {
        for (int count : threads) {
            System.out.printf(
                    Locale.ROOT,
                    "%n| %s | tx/s | share of %s (each round) | CPU/tx | share | B/tx |%n|---|---|---|---|---|---|%n",
                    Text.counted(count, "thread"),
                    stores.get(0));
            List<BenchmarkResult> base = forks(results, stores.get(0), count);
            for (String store : stores) {
                List<BenchmarkResult> forks = forks(results, store, count);
                List<Double> speeds = shares(forks, base, TimeLimitBench::speed);
                List<Double> cpu = shares(forks, base, fork -> median(fork, Metric.CPU));
                System.out.printf(
                        Locale.ROOT,
                        "| %s | %s | %.3f (%s) | %.0f ns | %.3f | %.0f |%n",
                        store,
                        Text.whole(middle(forks, TimeLimitBench::speed)),
                        Measurement.median(speeds),
                        String.join(
                                " ",
                                speeds.stream()
                                        .map(share -> String.format(Locale.ROOT, "%.2f", share))
                                        .toList()),
                        1000 * middle(forks, fork -> median(fork, Metric.CPU)),
                        Measurement.median(cpu),
                        middle(forks, fork -> median(fork, Metric.ALLOCATED)));
            }
        }
    }

    private static List<BenchmarkResult> forks(List<RunResult> results, String store, int threads) {
        return results.stream()
                .filter(result -> result.getParams().getParam("store").equals(store)
                        && result.getParams().getThreads() == threads)
                .flatMap(result -> result.getBenchmarkResults().stream())
                .toList();
    }

    private static List<Double> shares(
            List<BenchmarkResult> forks, List<BenchmarkResult> base, ToDoubleFunction<BenchmarkResult> figure) {
        return IntStream.range(0, Math.min(forks.size(), base.size()))
                .mapToObj(round -> figure.applyAsDouble(forks.get(round)) / figure.applyAsDouble(base.get(round)))
                .toList();
    }

    private static double middle(List<BenchmarkResult> forks, ToDoubleFunction<BenchmarkResult> figure) {
        return Measurement.median(forks.stream().map(figure::applyAsDouble).toList());
    }

    private static double speed(BenchmarkResult fork) {
        return Measurement.median(fork.getIterationResults().stream()
                .map(iteration -> iteration.getPrimaryResult().getScore())
                .toList());
    }

    private static double median(BenchmarkResult fork, Metric metric) {
        return Measurement.median(fork.getIterationResults().stream()
                .map(iteration ->
                        iteration.getSecondaryResults().get(metric.label()).getScore())
                .toList());
    }
}
