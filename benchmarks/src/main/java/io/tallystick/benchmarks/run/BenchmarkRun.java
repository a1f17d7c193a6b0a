package io.tallystick.benchmarks.run;

import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.database.Databases;
import io.tallystick.benchmarks.database.PostgresPrograms;
import io.tallystick.benchmarks.measure.Cell;
import io.tallystick.benchmarks.measure.DatabaseBenchmark;
import io.tallystick.benchmarks.measure.DiskBenchmark;
import io.tallystick.benchmarks.measure.ProcessProfiler;
import io.tallystick.benchmarks.measure.RecoveryBenchmark;
import io.tallystick.benchmarks.measure.ServerCpu;
import io.tallystick.benchmarks.measure.StatementBenchmark;
import io.tallystick.benchmarks.measure.StatementProfiler;
import io.tallystick.benchmarks.measure.TakeoverBenchmark;
import io.tallystick.benchmarks.measure.TransactionBenchmark;
import io.tallystick.benchmarks.measure.WallClock;
import io.tallystick.benchmarks.measure.WorkBenchmark;
import io.tallystick.benchmarks.subject.Subject;
import io.tallystick.benchmarks.subject.SubjectCatalog;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Carries a {@link Plan} out: each step is one run of JMH, for transactions in the {@link WarmJvm} of its store, with a
 * store directory of its own. The run keeps the reason of a step that fails, and goes on with the next step.
 */
public final class BenchmarkRun {
    /** A transaction that takes longer is stuck. */
    static final Duration STUCK_AFTER = Duration.ofSeconds(30);

    /** Several of these JVMs live at once, so each has half of the usual heap. */
    private static final String[] STAYING = {
        "-D" + TransactionBenchmark.STAYS_KEY + "=true", "-Djmh.ignoreLock=true", "-Xms512m", "-Xmx512m"
    };

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
    /** JVMs that stay, by the name of the store that they host. */
    private final Map<String, WarmJvm> warmJvms = new HashMap<>();
    // Null until a step needs servers.
    private Databases databases;

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
        run(List::of);
    }

    /**
     * Measures everything, and then some cells once more, in the JVMs that are warm.
     *
     * @param again tells which ones, when everything was measured
     */
    void run(Supplier<List<Cell.Transactions>> again) throws IOException {
        System.setProperty(DiskBenchmark.DIRECTORY_KEY, directory.path().toString());
        try {
            for (Cell cell : plan.steps()) {
                step(cell);
            }
            List<Cell.Transactions> further = again.get();
            progress.more(
                    further.size(),
                    further.stream().map(cell -> plan.timingOf(cell).total()).reduce(Duration.ZERO, Duration::plus));
            for (Cell.Transactions cell : further) {
                step(cell);
            }
            interruption.stepsAreOver();
        } finally {
            for (WarmJvm jvm : warmJvms.values()) {
                jvm.close();
            }
        }
    }

    private void step(Cell cell) throws IOException {
        interruption.stopHereIfAsked();
        progress.begin(cell.label(), plan.timingOf(cell).total().plus(beforeFirst(cell)));
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
        if (!isPlanDone()) {
            done++;
        }
        afterStep.accept(this);
    }

    private boolean isPlanDone() {
        return done == plan.steps().size();
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
            return corrected(measureWarm(transactions));
        }
        if (cell instanceof Cell.Work work) {
            return inANewStore(
                    work.store(), store -> inANewStore("databases", other -> run(options(work, store, other))));
        }
        if (cell instanceof Cell.Recovery recovery) {
            return inANewStore(recovery.store(), store -> {
                leaveRecords(recovery.store(), store, RecoveryBenchmark.LEFT);
                return new Runner(
                                openingOptions(RecoveryBenchmark.class, recovery.store(), store)
                                        .build(),
                                log)
                        .runSingle();
            });
        }
        if (!(cell instanceof Cell.DiskWrites)) {
            return measureInDatabase(cell);
        }
        return run(options((Cell.DiskWrites) cell));
    }

    /** In the JVM that hosts the store, or in a new one if that one has had its turns. */
    private RunResult measureWarm(Cell.Transactions cell) throws RunnerException, IOException {
        String host = SubjectCatalog.named(cell.store()).host();
        if (warmJvms.containsKey(host) && isNewJvmNeeded(cell)) {
            end(host);
        }
        WarmJvm jvm = warmJvms.get(host);
        if (jvm == null) {
            Path store = directory.newStore(host);
            String[] arguments = arguments(host, store, STAYING);
            jvm = WarmJvm.start(directory.path(), List.of(arguments), store, log);
            warmJvms.put(host, jvm);
        }
        try {
            return jvm.measure(cell, plan.threadsOf(cell), plan.timingOf(cell), STUCK_AFTER);
        } catch (RunnerException useless) {
            end(host);
            throw useless;
        }
    }

    private boolean isNewJvmNeeded(Cell.Transactions cell) {
        WarmJvm jvm = warmJvms.get(SubjectCatalog.named(cell.store()).host());
        return jvm == null || !jvm.isAlive() || jvm.turnsOf(cell) >= plan.turns() && !isPlanDone();
    }

    private Duration beforeFirst(Cell cell) {
        if (!(cell instanceof Cell.Transactions transactions)) {
            return Duration.ZERO;
        }
        boolean isNewJvm = isNewJvmNeeded(transactions);
        WarmJvm jvm = warmJvms.get(SubjectCatalog.named(transactions.store()).host());
        return Plan.beforeFirst(isNewJvm, isNewJvm || jvm.isNew(transactions));
    }

    private void end(String host) throws IOException {
        warmJvms.remove(host).close();
        settle();
    }

    private RunResult measureInDatabase(Cell cell) throws RunnerException {
        if (cell instanceof Cell.InDatabase transactions) {
            Subject subject = SubjectCatalog.named(transactions.store());
            return onServers(
                    subject,
                    transactions.addedMillis(),
                    servers -> inANewStore(
                            subject.name(), store -> run(options(transactions, store, settings(subject, servers)))));
        }
        if (cell instanceof Cell.Takeover takeover) {
            Subject subject = SubjectCatalog.named(takeover.store());
            return onServers(
                    subject,
                    0,
                    servers -> inANewStore(subject.name(), store -> {
                        String[] more = settings(subject, servers);
                        leaveRecords(subject.name(), store, TakeoverBenchmark.LEFT_BEHIND, more);
                        return new Runner(
                                        openingOptions(TakeoverBenchmark.class, subject.name(), store, more)
                                                .build(),
                                        log)
                                .runSingle();
                    }));
        }
        Cell.Statements statements = (Cell.Statements) cell;
        Subject subject = SubjectCatalog.named(statements.store());
        return onServers(subject, 0, servers -> {
            System.setProperty(StatementBenchmark.COMMAND_KEY, servers.pgbench(subject));
            System.setProperty(ServerCpu.PROCESSES_KEY, processes(servers));
            try {
                return run(options(statements));
            } finally {
                System.clearProperty(ServerCpu.PROCESSES_KEY);
                System.clearProperty(StatementBenchmark.COMMAND_KEY);
            }
        });
    }

    private RunResult onServers(Subject subject, int addedMillis, OnServers measuring) throws RunnerException {
        try {
            if (databases == null) {
                databases = new Databases(PostgresPrograms.find(directory.path()), directory.path());
            }
            try (Databases.Running servers = databases.start(subject.needs(), addedMillis)) {
                return measuring.on(servers);
            }
        } catch (IOException trouble) { // of this step only
            throw new RunnerException(trouble);
        }
    }

    /** A measurement with servers that run. */
    @FunctionalInterface
    private interface OnServers {
        RunResult on(Databases.Running servers) throws RunnerException, IOException;
    }

    /** Arguments of a JVM that uses these servers. */
    private static String[] settings(Subject subject, Databases.Running servers) {
        List<String> arguments = new ArrayList<>();
        subject.settingsOf(servers.address() + "/" + Databases.NAME)
                .forEach((key, value) -> arguments.add("-D" + key + "=" + value));
        arguments.add("-D" + ServerCpu.PROCESSES_KEY + "=" + processes(servers));
        return arguments.toArray(String[]::new);
    }

    private static String processes(Databases.Running servers) {
        return servers.processes().stream().map(String::valueOf).collect(Collectors.joining(","));
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
    private void leaveRecords(String name, Path store, int records, String... more)
            throws RunnerException, IOException {
        List<String> command =
                ForkedJvm.command(directory.path(), List.of(arguments(name, store, more)), RecoveryBenchmark.class);
        command.add(Integer.toString(records));
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
        return corrected(new Runner(options.build(), log).runSingle());
    }

    private static RunResult corrected(RunResult result) {
        List<BenchmarkResult> forks =
                result.getBenchmarkResults().stream().map(WallClock::corrected).toList();
        return new RunResult(result.getParams(), forks);
    }

    private ChainedOptionsBuilder options(Cell.Work cell, Path store, Path databases) {
        return options(cell, WorkBenchmark.class)
                .param("store", cell.store())
                .forks(1)
                .jvmArgs(arguments(cell.store(), store, "-D" + WorkBenchmark.DIRECTORY_KEY + "=" + databases));
    }

    private ChainedOptionsBuilder options(Cell.InDatabase cell, Path store, String... settings) {
        return options(cell, DatabaseBenchmark.class)
                .param("store", cell.store())
                .param("protocol", Protocol.TWO_PHASE.label())
                .param("addedMillis", Integer.toString(cell.addedMillis()))
                .forks(1)
                .jvmArgs(arguments(cell.store(), store, settings));
    }

    /** Without a warm-up of JMH: pgbench runs in its own process, whose speed does not change. */
    private static ChainedOptionsBuilder options(Cell.Statements cell) {
        return new OptionsBuilder()
                .include("^" + Pattern.quote(StatementBenchmark.class.getName()) + "\\.")
                .param("store", cell.store())
                .param("bytes", Integer.toString(cell.bytes()))
                .param("clients", Integer.toString(cell.clients()))
                .warmupIterations(0)
                .measurementIterations(1)
                .timeout(TimeValue.milliseconds(STUCK_AFTER.toMillis()))
                .addProfiler(StatementProfiler.class)
                .shouldFailOnError(true)
                .forks(0);
    }

    private ChainedOptionsBuilder openingOptions(Class<?> benchmark, String name, Path store, String... more) {
        return new OptionsBuilder()
                .include("^" + Pattern.quote(benchmark.getName()) + "\\.")
                .param("store", name)
                .warmupIterations(0)
                .measurementIterations(1)
                .timeout(TimeValue.milliseconds(STUCK_AFTER.toMillis()))
                .shouldFailOnError(true)
                .forks(1)
                .jvmArgs(arguments(name, store, more));
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

    static String reasonOf(Throwable failed) {
        Throwable reason = failed;
        while (reason.getCause() != null || reason.getSuppressed().length > 0) {
            reason = reason.getCause() != null ? reason.getCause() : reason.getSuppressed()[0];
        }
        String message = reason.getMessage() == null ? reason.toString() : reason.getMessage();
        return message.replaceAll("\\s+", " ").trim();
    }
}
