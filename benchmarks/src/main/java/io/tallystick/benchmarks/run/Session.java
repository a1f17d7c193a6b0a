package io.tallystick.benchmarks.run;

import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.Terminal;
import io.tallystick.benchmarks.Text;
import io.tallystick.benchmarks.UsageException;
import io.tallystick.benchmarks.database.PostgresPrograms;
import io.tallystick.benchmarks.measure.Cell;
import io.tallystick.benchmarks.measure.DiskKind;
import io.tallystick.benchmarks.measure.Machine;
import io.tallystick.benchmarks.measure.RunState;
import io.tallystick.benchmarks.measure.WarmUp;
import io.tallystick.benchmarks.report.Comparison;
import io.tallystick.benchmarks.report.Guard;
import io.tallystick.benchmarks.report.Report;
import io.tallystick.benchmarks.report.Results;
import io.tallystick.benchmarks.report.Year2011;
import io.tallystick.benchmarks.report.page.Page;
import io.tallystick.benchmarks.subject.Subject;
import io.tallystick.benchmarks.subject.SubjectCatalog;
import io.tallystick.storage.NanoClock;
import io.tallystick.storage.SystemDisk;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.results.RunResult;

/** One run from beginning to end: check the stores, plan, measure, save, print. */
final class Session {
    private static final int REDRAW_MILLIS = 500;
    private static final String JSON = ".json";
    private static final String HTML = ".html";
    private static final String TXT = ".txt";
    private static final String LOG = ".log";
    private static final String PER_SECOND = " write operations a second";
    private static final int MOST_SECOND_LOOKS = 12;
    private static final int CALIBRATIONS = 4;
    private static final double CLOSE_ENOUGH = 0.05;
    private static final Plan.Timing CALIBRATION =
            new Plan.Timing(Plan.START, Duration.ofSeconds(3), 2, Duration.ofSeconds(2));
    private static final DateTimeFormatter FILE_NAMES = DateTimeFormatter.ofPattern("yyyy-MM-dd-HHmmss", Locale.ROOT);

    private final RunRequest request;
    private final Terminal out;
    private final Terminal err;
    private final Progress progress;
    private final RunDirectory run;
    private final RunContext context;
    /** The reason for each missing figure. */
    private final Map<String, String> missing = new LinkedHashMap<>();
    /** All results so far; the thread that carries the plan out writes it. */
    private volatile Results latest;

    private Session(RunRequest request, Terminal out, Terminal err) {
        this.request = request;
        this.out = out;
        this.err = err;
        this.progress = new Progress(err, NanoClock.SYSTEM);
        this.run = runDirectory(request.places().stores());
        this.context = new RunContext(run, progress);
    }

    /**
     * Measures the requested workload.
     *
     * @return whether all stores that work here were measured, and none is slower than its baseline
     */
    static boolean measure(RunRequest request, Terminal out, Terminal err) throws IOException, InterruptedException {
        MachineLock lock = MachineLock.take();
        try {
            return new Session(request, out, err).cleaningUp(Session::measure);
        } finally {
            lock.close();
        }
    }

    /** Prints every store, and the reason if it does not work here. */
    static void list(RunRequest request, Terminal out, Terminal err) throws IOException, InterruptedException {
        new Session(request, out, err).cleaningUp(Session::printStores);
    }

    /** Prints the results of an earlier run, and makes its page beside its file. */
    static void show(Path file, Optional<Results> earlier, Terminal out) throws IOException {
        Results results = Results.read(file);
        printAll(results, earlier, out);
        Path page = sibling(withoutSuffix(file), HTML);
        new Page(results, earlier).write(page);
        out.line("");
        out.line("saved " + page + ": open it in a browser");
    }

    private boolean cleaningUp(Work work) throws IOException, InterruptedException {
        context.interruption().arm();
        try {
            ForkedJvm.prepare(run.path());
            return work.doneBy(this);
        } finally {
            context.interruption().disarm();
        }
    }

    private boolean measure() throws IOException, InterruptedException {
        Machine machine = machine();
        List<String> unlike = unlikeTheBaseline(machine);
        if (!unlike.isEmpty()) {
            unlike.forEach(difference -> out.line("nothing is compared, and nothing was measured: " + difference));
            return true;
        }
        List<Subject> available = new ArrayList<>();
        Map<String, SubjectCheck.Finding> findings = check();
        for (Subject subject : request.workload().subjects()) {
            SubjectCheck.Finding finding = findings.get(subject.name());
            if (!finding.works()) {
                missing.put(subject.name(), finding.remark());
                continue;
            }
            available.add(subject);
            if (SubjectCatalog.choosesByItself(subject.name())) {
                machine = machine.withChoice(subject.name(), finding.remark());
            }
        }
        Workload workload = request.workload();
        List<Cell> extras = new ArrayList<>(workload.extraCells(available));
        if (available.stream().anyMatch(Subject::isInDatabase)) {
            PostgresPrograms programs = PostgresPrograms.find(run.path());
            machine = machine.with(Machine.POSTGRESQL, programs.version() + ", " + programs.origin());
            boolean hasPgbench = programs.pgbench().isPresent();
            if (!hasPgbench) {
                missing.put(
                        "pgbench",
                        "it is not among the programs " + programs.origin() + "; install it, for example"
                                + " with the package postgresql-contrib or postgresql");
            }
            extras.addAll(workload.databaseCells(available, hasPgbench));
        }
        Plan plan = Plan.of(workload.size(), workload.cells(available), extras, diskKinds());
        if (available.isEmpty()) {
            throw new UsageException("none of the stores works here, so nothing was measured");
        }
        if (request.places().slowDisk().isPresent()) {
            machine = slowedDown(machine, request.places().slowDisk().get());
        }
        printPlan(plan, available.size(), machine);
        return measure(plan, machine);
    }

    private Machine slowedDown(Machine machine, RunRequest.SlowDisk disk) throws IOException {
        disk.throttle().set(disk.writesPerSecond());
        if (!disk.as2011()) {
            return machine.with(Machine.THROTTLED, Text.whole(disk.writesPerSecond()) + PER_SECOND);
        }
        int rate = disk.writesPerSecond();
        double found = 0;
        for (int trial = 0; trial < CALIBRATIONS; trial++) {
            found = fileStore();
            out.line("file store, " + Text.counted(Year2011.THREADS, "thread") + ", " + Text.whole(rate) + PER_SECOND
                    + ": " + Text.whole(found) + " tx/s");
            if (Math.abs(found / Year2011.FILE_RATE - 1) < CLOSE_ENOUGH) {
                break;
            }
            if (trial < CALIBRATIONS - 1) {
                rate = (int) Math.round(rate * Year2011.FILE_RATE / found);
                disk.throttle().set(rate);
            }
        }
        return machine.with(Machine.THROTTLED, Text.whole(rate) + PER_SECOND)
                .with(
                        Machine.CALIBRATED,
                        "the file store did " + Text.whole(found) + " tx/s with "
                                + Text.counted(Year2011.THREADS, "thread") + " before the run; in 2011 it did "
                                + Text.whole(Year2011.FILE_RATE));
    }

    /** The present rate of the file store. */
    private double fileStore() throws IOException {
        Cell cell = new Cell.Transactions("file", Protocol.TWO_PHASE, Year2011.THREADS);
        Plan one = new Plan(List.of(cell), 1, CALIBRATION, CALIBRATION);
        ForkLog log = new ForkLog(run.path().resolve("calibration.log"));
        BenchmarkRun benchmark =
                new BenchmarkRun(one, context, log, request.commandLine().jvmArguments(), after -> {});
        try {
            log.capturing(benchmark::run);
        } finally {
            log.end();
        }
        if (benchmark.results().isEmpty()) {
            throw new UsageException("--2011: the file store could not be measured ("
                    + benchmark.failures().get(cell) + ")");
        }
        return benchmark.results().get(0).getPrimaryResult().getScore();
    }

    private boolean measure(Plan plan, Machine machine) throws IOException {
        Path base = request.earlierRuns()
                .resumed()
                .map(resumed -> withoutSuffix(resumed.file()))
                .orElseGet(() ->
                        request.places().results().resolve(LocalDateTime.now().format(FILE_NAMES)));
        BenchmarkRun benchmark = carryOut(plan, machine, base);
        report(base);
        boolean isComplete = latest != null && benchmark.failures().isEmpty();
        if (isComplete && request.places().baseline().isPresent()) {
            return isBaseline(latest, request.places().baseline().get());
        }
        return isComplete && isAsFastAsItsBaseline(latest);
    }

    /** What makes a guard's run useless before it has begun. */
    private List<String> unlikeTheBaseline(Machine machine) {
        List<String> unknown = machine.differencesOfKindTo(machine);
        if (request.places().baseline().isPresent() && !unknown.isEmpty()) {
            throw new UsageException("--baseline: this machine cannot be told from others: " + unknown.get(0));
        }
        return request.earlierRuns()
                .guarding()
                .map(baseline -> baseline.machine().differencesOfKindTo(machine))
                .orElse(List.of());
    }

    /** Writes the baseline, unless no ratio could be made of its figures. */
    private boolean isBaseline(Results results, Path file) throws IOException {
        Guard itself = Guard.of(results, results);
        itself.print(out);
        if (!itself.isComplete()) {
            err.line("bench: --baseline: " + file + " was not written, for a ratio cannot be made of these figures; run"
                    + " it again when nothing else runs");
            return false;
        }
        results.write(file);
        out.line("saved " + file + ": the baseline for --guard on this machine");
        return true;
    }

    private boolean isAsFastAsItsBaseline(Results results) {
        Optional<Guard> guard = request.earlierRuns().guarding().map(baseline -> Guard.of(baseline, results));
        guard.ifPresent(found -> found.print(out));
        return guard.filter(Guard::isSlower).isEmpty();
    }

    private BenchmarkRun carryOut(Plan plan, Machine machine, Path base) throws IOException {
        Plan rest = request.earlierRuns()
                .resumed()
                .map(resumed -> plan.without(resumed.results().rounds()))
                .orElse(plan);
        ForkLog log = new ForkLog(sibling(base, LOG));
        BenchmarkRun benchmark = new BenchmarkRun(
                rest, context, log, request.commandLine().jvmArguments(), after -> save(plan, after, machine, base));
        ScheduledExecutorService ticker = Executors.newSingleThreadScheduledExecutor(Session::daemon);
        ticker.scheduleWithFixedDelay(progress::redraw, REDRAW_MILLIS, REDRAW_MILLIS, TimeUnit.MILLISECONDS);
        context.interruption().reportBy(() -> reportWhatIsThere(base));
        progress.start(rest.steps().size(), rest.estimate());
        try {
            log.capturing(() -> benchmark.run(this::inDoubt));
        } finally {
            progress.close();
            ticker.shutdown();
            log.end();
        }
        return benchmark;
    }

    /** The transactions that are worth a second look: their figures are in doubt, for company that may have gone. */
    private List<Cell.Transactions> inDoubt() {
        return latest.measurements().entrySet().stream()
                .filter(entry -> entry.getValue().doubt().isPresent() && entry.getKey() instanceof Cell.Transactions)
                .map(entry -> (Cell.Transactions) entry.getKey())
                .limit(MOST_SECOND_LOOKS)
                .toList();
    }

    /** Saves the results so far, after each step. */
    private void save(Plan plan, BenchmarkRun benchmark, Machine machine, Path base) {
        benchmark.failures().forEach((cell, reason) -> missing.put(cell.label(), reason));
        int before = request.earlierRuns().resumed().isPresent() ? plan.steps().size() - benchmark.planned() : 0;
        RunState state = new RunState(
                plan.steps().size(),
                before + benchmark.done(),
                request.commandLine().arguments(),
                missing);
        List<RunResult> found = benchmark.results();
        if (found.isEmpty()) {
            return;
        }
        Results here = Results.of(found, machine, state);
        Results all = request.earlierRuns()
                .resumed()
                .map(resumed -> resumed.results().and(here))
                .orElse(here);
        try {
            all.write(sibling(base, JSON));
        } catch (IOException full) {
            throw new UncheckedIOException("the results of the steps so far could not be saved", full);
        }
        latest = all;
    }

    /** Reports while the process is ending, when a failure can only be printed. */
    private void reportWhatIsThere(Path base) {
        try {
            report(base);
        } catch (IOException failed) {
            err.line(
                    "bench: the report could not be saved (" + failed + "); the figures are in " + sibling(base, JSON));
        }
    }

    private void report(Path base) throws IOException {
        Results results = latest;
        if (results == null) {
            printMissing(missing, err);
            err.line("nothing was measured; the output of the JVMs is in " + sibling(base, LOG));
            return;
        }
        try (PrintStream text =
                new PrintStream(Files.newOutputStream(sibling(base, TXT)), true, StandardCharsets.UTF_8)) {
            printAll(results, request.earlierRuns().compared(), Terminal.plain(text));
        }
        new Page(results, request.earlierRuns().compared()).write(sibling(base, HTML));
        printTables(results, request.earlierRuns().compared(), out);
        out.line("");
        out.line("saved " + sibling(base, HTML) + ": open it in a browser");
        out.line("      " + sibling(base, JSON)
                + " (JMH's JSON, for --against and --show), -talk.html, .svg, .txt, .log");
        if (results.state().isPartial()) {
            out.line("./bench --resume " + sibling(base, JSON) + " measures the rest");
        }
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "bench-progress");
        thread.setDaemon(true);
        return thread;
    }

    private static void printAll(Results results, Optional<Results> earlier, Terminal terminal) {
        Machine machine = results.machine();
        terminal.line(machine.fact(Machine.COMMAND) + ", " + machine.fact(Machine.DATE));
        Report.printMachine(machine, terminal);
        printTables(results, earlier, terminal);
    }

    private static void printTables(Results results, Optional<Results> earlier, Terminal terminal) {
        new Report(results, terminal).print();
        earlier.ifPresent(before -> Comparison.of(before, results).print(terminal));
        printMissing(results.state().missing(), terminal);
        if (results.state().isPartial()) {
            terminal.line("");
            terminal.line(terminal.yellow("Partial: the run ended after "
                    + results.state().done() + " of " + results.state().planned() + " steps."));
        }
        if (results.machine().isMemoryFileSystem()) {
            terminal.line("");
            terminal.line(
                    terminal.red("Measured in memory (" + results.machine().fact(Machine.FILE_SYSTEM)
                            + "): these figures do not hold for durable stores."));
        }
    }

    private void printPlan(Plan plan, int stores, Machine machine) {
        Plan.Timing timing = plan.transactionTiming();
        out.line(out.bold("Tallystick benchmark, "
                        + request.workload().size().name().toLowerCase(Locale.ROOT)) + ": "
                + Text.counted(stores, "store") + ", about " + Text.clock(plan.estimate())
                + " (minutes:seconds)");
        Report.printFact(
                "figures",
                "each the median of " + plan.rounds() * timing.iterations() + " iterations of "
                        + Text.seconds(timing.iteration()) + ", in "
                        + Text.counted(plan.rounds() / plan.turns(), "JVM") + " of its store, which is warmed up until"
                        + " its rate is steady, " + WarmUp.MOST_SECONDS + " s at most; iterations with company or"
                        + " compilers at work are left out",
                out);
        Report.printMachine(machine, out);
        printMissing(missing, out);
        out.line("");
    }

    private static void printMissing(Map<String, String> missing, Terminal terminal) {
        Report.printEntries("Not measured", missing, terminal);
    }

    /** Whether each store works here: those on the disk are opened, those in a database need its programs. */
    private Map<String, SubjectCheck.Finding> check() throws IOException, InterruptedException {
        List<Subject> subjects = request.workload().subjects();
        Map<String, SubjectCheck.Finding> findings = new LinkedHashMap<>(SubjectCheck.of(
                subjects.stream().filter(subject -> !subject.isInDatabase()).toList(), run.path()));
        if (subjects.stream().anyMatch(Subject::isInDatabase)) {
            SubjectCheck.Finding finding = findPostgres();
            subjects.stream().filter(Subject::isInDatabase).forEach(subject -> findings.put(subject.name(), finding));
        }
        return findings;
    }

    private SubjectCheck.Finding findPostgres() {
        try {
            return new SubjectCheck.Finding(
                    true, PostgresPrograms.find(run.path()).origin());
        } catch (IOException none) {
            return new SubjectCheck.Finding(false, none.getMessage());
        }
    }

    private boolean printStores() throws IOException, InterruptedException {
        Map<String, SubjectCheck.Finding> findings = check();
        int width = Report.width(findings.keySet()) + 2;
        for (Subject subject : request.workload().subjects()) {
            SubjectCheck.Finding finding = findings.get(subject.name());
            out.entry(subject.name(), width, subject.description());
            if (!finding.works()) {
                out.entry("", width, "not here: " + finding.remark());
            } else if (SubjectCatalog.choosesByItself(subject.name())) {
                out.entry("", width, "here: " + finding.remark());
            }
        }
        out.line("");
        for (Selection.Group group : Selection.Group.values()) {
            out.entry(
                    group.label(),
                    width,
                    "group of " + Text.counted(group.members().size(), "store"));
        }
        return true;
    }

    private Machine machine() throws IOException, InterruptedException {
        Machine here =
                Machine.here(run.path().getParent(), request.commandLine().command());
        if (request.earlierRuns().resumed().isEmpty()) {
            return here;
        }
        Machine before = request.earlierRuns().resumed().get().results().machine();
        List<String> differences = before.differencesTo(here);
        if (!differences.isEmpty()) {
            throw new UsageException("--resume: this is not the machine of "
                    + request.earlierRuns().resumed().get().file() + ": " + String.join("; ", differences));
        }
        return before.resumedOn(here);
    }

    private List<DiskKind> diskKinds() {
        List<DiskKind> kinds = new ArrayList<>();
        for (DiskKind kind : DiskKind.values()) {
            Optional<String> reason = kind.unavailableBecause(new SystemDisk(), run.path());
            reason.ifPresentOrElse(why -> missing.put("disk " + kind.label(), why), () -> kinds.add(kind));
        }
        return kinds;
    }

    private static RunDirectory runDirectory(Path parent) {
        try {
            return RunDirectory.create(parent);
        } catch (IOException refused) {
            throw new UsageException(
                    "--directory: " + parent + " cannot be used (" + refused + "); it must be a directory to write to",
                    refused);
        }
    }

    private static Path withoutSuffix(Path file) {
        String name = file.getFileName().toString();
        return file.resolveSibling(name.endsWith(JSON) ? name.substring(0, name.length() - JSON.length()) : name);
    }

    private static Path sibling(Path base, String suffix) {
        return base.resolveSibling(base.getFileName() + suffix);
    }

    /** The work between making the directory and deleting it. */
    @FunctionalInterface
    private interface Work {
        boolean doneBy(Session session) throws IOException, InterruptedException;
    }
}
