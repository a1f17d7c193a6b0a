package io.tallystick.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Carries a {@link Plan} out: each step is one run of JMH, for transactions in a JVM of its own with a store directory of
 * its own. A step that fails is remembered with its reason, and the rest goes on.
 */
final class BenchmarkRun {
    /** A transaction that takes longer is stuck. */
    private static final Duration STUCK_AFTER = Duration.ofSeconds(30);

    private final Plan plan;
    private final RunDirectory directory;
    private final ForkLog log;
    private final Progress progress;
    private final Interruption interruption;
    private final List<String> jvmArguments;
    private final Consumer<BenchmarkRun> afterStep;
    private final Map<Cell, List<RunResult>> results = new LinkedHashMap<>();
    private final Map<Cell, String> failures = new LinkedHashMap<>();
    private int done;

    /**
     * @param jvmArguments further arguments of the measured JVMs
     * @param afterStep is shown this run after each of its steps, by the thread that carries it out
     */
    BenchmarkRun(
            Plan plan,
            RunDirectory directory,
            ForkLog log,
            Progress progress,
            Interruption interruption,
            List<String> jvmArguments,
            Consumer<BenchmarkRun> afterStep) {
        this.plan = plan;
        this.directory = directory;
        this.log = log;
        this.progress = progress;
        this.interruption = interruption;
        this.jvmArguments = List.copyOf(jvmArguments);
        this.afterStep = afterStep;
    }

    /** Measures everything. */
    void run() throws IOException {
        System.setProperty(DiskBenchmark.DIRECTORY_KEY, directory.path().toString());
        for (Cell cell : plan.steps()) {
            interruption.stopHereIfAsked();
            progress.begin(cell.label(), plan.timingOf(cell).total());
            try {
                RunResult result = measure(cell);
                results.computeIfAbsent(cell, unused -> new ArrayList<>()).add(result);
                progress.end(result.getPrimaryResult().getScore());
            } catch (RunnerException failed) {
                interruption.stopHereIfAsked();
                String reason = reasonOf(failed);
                failures.put(cell, reason);
                progress.fail(reason);
            }
            done++;
            afterStep.accept(this);
        }
        interruption.stepsAreOver();
    }

    /** One result for each cell that was measured, its rounds merged. */
    List<RunResult> results() {
        return results.values().stream().map(BenchmarkRun::merged).toList();
    }

    /** Steps of the plan. */
    int planned() {
        return plan.steps().size();
    }

    /** Steps that are behind us, measured or failed. */
    int done() {
        return done;
    }

    /** Why cells have no result, or one of fewer rounds. */
    Map<Cell, String> failures() {
        return failures;
    }

    private RunResult measure(Cell cell) throws RunnerException, IOException {
        if (cell instanceof Cell.Transactions transactions) {
            Path store = directory.newStore(transactions.store());
            try {
                return run(options(transactions, store));
            } finally {
                RunDirectory.deleteTree(store);
                settle();
            }
        }
        return run(options((Cell.DiskWrites) cell));
    }

    private RunResult run(ChainedOptionsBuilder options) throws RunnerException {
        RunResult result = new Runner(options.build(), log).runSingle();
        List<BenchmarkResult> forks =
                result.getBenchmarkResults().stream().map(WallClock::corrected).toList();
        return new RunResult(result.getParams(), forks);
    }

    private ChainedOptionsBuilder options(Cell.Transactions cell, Path store) {
        Subject subject = SubjectCatalog.named(cell.store());
        List<String> arguments = new ArrayList<>(ForkedJvm.arguments(subject, store, directory.path()));
        arguments.addAll(jvmArguments);
        return options(cell, TransactionBenchmark.class)
                .param("store", cell.store())
                .param("protocol", cell.protocol().label())
                .forks(1)
                .jvmArgs(arguments.toArray(String[]::new));
    }

    private ChainedOptionsBuilder options(Cell.DiskWrites cell) {
        return options(cell, DiskBenchmark.class).param("device", cell.device()).forks(0);
    }

    private ChainedOptionsBuilder options(Cell cell, Class<?> benchmark) {
        Plan.Timing timing = plan.timingOf(cell);
        return new OptionsBuilder()
                .include("^" + Pattern.quote(benchmark.getName()) + "\\.")
                .threads(cell.threads())
                .warmupIterations(1)
                .warmupTime(TimeValue.milliseconds(timing.warmup().toMillis()))
                .measurementIterations(timing.iterations())
                .measurementTime(TimeValue.milliseconds(timing.iteration().toMillis()))
                .timeout(TimeValue.milliseconds(STUCK_AFTER.toMillis()))
                .addProfiler(ProcessProfiler.class)
                .shouldFailOnError(true);
    }

    /** What one store left for the system to write must not be charged to the next. */
    private void settle() {
        try {
            new ProcessBuilder("sync", "-f", directory.path().toString())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException noSuchProgram) {
            log.println("sync -f: " + noSuchProgram); // figures spread a little wider without it
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private static RunResult merged(List<RunResult> rounds) {
        BenchmarkParams params = rounds.get(rounds.size() - 1).getParams();
        List<BenchmarkResult> forks = rounds.stream()
                .flatMap(round -> round.getBenchmarkResults().stream())
                .toList();
        return new RunResult(params, forks);
    }

    private static String reasonOf(RunnerException failed) {
        Throwable reason = failed;
        while (reason.getCause() != null || reason.getSuppressed().length > 0) {
            reason = reason.getCause() != null ? reason.getCause() : reason.getSuppressed()[0];
        }
        String message = reason.getMessage() == null ? reason.toString() : reason.getMessage();
        return message.replaceAll("\\s+", " ").trim();
    }
}
