package io.tallystick.benchmarks.run;

import io.tallystick.benchmarks.measure.Cell;
import io.tallystick.benchmarks.measure.DiskBenchmark;
import io.tallystick.benchmarks.measure.ProcessProfiler;
import io.tallystick.benchmarks.measure.RecoveryBenchmark;
import io.tallystick.benchmarks.measure.TransactionBenchmark;
import io.tallystick.benchmarks.measure.WallClock;
import io.tallystick.benchmarks.measure.WorkBenchmark;
import io.tallystick.benchmarks.subject.SubjectCatalog;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
 * Carries a {@link Plan} out: each step is one run of JMH, for transactions in a JVM of its own with a store directory
 * of its own. The run keeps the reason of a step that fails, and goes on with the next step.
 */
public final class BenchmarkRun {
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
     * @param afterStep receives this run after each of its steps, on the thread that carries it out
     */
    public BenchmarkRun(
            Plan plan, RunContext context, ForkLog log, List<String> jvmArguments, Consumer<BenchmarkRun> afterStep) {
        this.plan = plan;
        this.directory = context.directory();
        this.log = log;
        this.progress = context.progress();
        this.interruption = context.interruption();
        this.jvmArguments = List.copyOf(jvmArguments);
        this.afterStep = afterStep;
    }

    /** Measures everything. */
    public void run() throws IOException {
        System.setProperty(DiskBenchmark.DIRECTORY_KEY, directory.path().toString());
        for (Cell cell : plan.steps()) {
            interruption.stopHereIfAsked();
            progress.begin(cell.label(), plan.timingOf(cell).total());
            try {
                RunResult result = measure(cell);
                results.computeIfAbsent(cell, unused -> new ArrayList<>()).add(result);
                progress.end(cell.outcome(result.getPrimaryResult().getScore()));
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
    public List<RunResult> results() {
        return results.values().stream().map(BenchmarkRun::merged).toList();
    }

    /** Steps of the plan. */
    int planned() {
        return plan.steps().size();
    }

    /** Steps that were measured or failed. */
    int done() {
        return done;
    }

    /** The reason for each cell that has no result, or a result of fewer rounds. */
    public Map<Cell, String> failures() {
        return failures;
    }

    private RunResult measure(Cell cell) throws RunnerException, IOException {
        if (cell instanceof Cell.Transactions transactions) {
            return inANewStore(transactions.store(), store -> run(options(transactions, store)));
        }
        if (cell instanceof Cell.Work work) {
            return inANewStore(
                    work.store(), store -> inANewStore("databases", other -> run(options(work, store, other))));
        }
        if (cell instanceof Cell.Recovery recovery) {
            return inANewStore(recovery.store(), store -> {
                leaveRecords(recovery, store);
                return new Runner(options(recovery, store).build(), log).runSingle();
            });
        }
        return run(options((Cell.DiskWrites) cell));
    }

    private RunResult inANewStore(String name, Measuring measuring) throws RunnerException, IOException {
        Path store = directory.newStore(name);
        try {
            return measuring.in(store);
        } finally {
            RunDirectory.deleteTree(store);
            settle();
        }
    }

    /** A measurement in a store's directory. */
    @FunctionalInterface
    private interface Measuring {
        RunResult in(Path directory) throws RunnerException, IOException;
    }

    /** The process whose records are recovered. */
    private void leaveRecords(Cell.Recovery cell, Path store) throws RunnerException, IOException {
        List<String> command = new ArrayList<>(ForkedJvm.command(directory.path()));
        command.addAll(1, ForkedJvm.arguments(SubjectCatalog.named(cell.store()), store, directory.path()));
        command.addAll(1, jvmArguments);
        command.add(RecoveryBenchmark.class.getName());
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            lines.lines().forEach(log::println);
        }
        try {
            int status = process.waitFor();
            if (status != 0) {
                throw new RunnerException("the process that leaves records ended with status " + status);
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new RunnerException(stopped);
        }
    }

    private RunResult run(ChainedOptionsBuilder options) throws RunnerException {
        RunResult result = new Runner(options.build(), log).runSingle();
        List<BenchmarkResult> forks =
                result.getBenchmarkResults().stream().map(WallClock::corrected).toList();
        return new RunResult(result.getParams(), forks);
    }

    private ChainedOptionsBuilder options(Cell.Transactions cell, Path store) {
        return options(cell, TransactionBenchmark.class)
                .param("store", cell.store())
                .param("protocol", cell.protocol().label())
                .forks(1)
                .jvmArgs(arguments(cell.store(), store));
    }

    private ChainedOptionsBuilder options(Cell.Work cell, Path store, Path databases) {
        return options(cell, WorkBenchmark.class)
                .param("store", cell.store())
                .forks(1)
                .jvmArgs(arguments(cell.store(), store, "-D" + WorkBenchmark.DIRECTORY_KEY + "=" + databases));
    }

    private ChainedOptionsBuilder options(Cell.Recovery cell, Path store) {
        return new OptionsBuilder()
                .include("^" + Pattern.quote(RecoveryBenchmark.class.getName()) + "\\.")
                .param("store", cell.store())
                .warmupIterations(0)
                .measurementIterations(1)
                .timeout(TimeValue.milliseconds(STUCK_AFTER.toMillis()))
                .shouldFailOnError(true)
                .forks(1)
                .jvmArgs(arguments(cell.store(), store));
    }

    private String[] arguments(String name, Path store, String... more) {
        List<String> arguments =
                new ArrayList<>(ForkedJvm.arguments(SubjectCatalog.named(name), store, directory.path()));
        arguments.addAll(List.of(more));
        arguments.addAll(jvmArguments);
        return arguments.toArray(String[]::new);
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

    /** Waits until the system has written the data of one store, so that it does not slow down the next store. */
    private void settle() {
        try {
            new ProcessBuilder("sync", "-f", directory.path().toString())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException noSuchProgram) {
            log.println("sync -f: " + noSuchProgram); // without it the figures spread a little wider
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
