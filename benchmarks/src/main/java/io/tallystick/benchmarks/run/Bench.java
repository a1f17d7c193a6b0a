package io.tallystick.benchmarks.run;

import io.tallystick.benchmarks.Protocol;
import io.tallystick.benchmarks.Terminal;
import io.tallystick.benchmarks.UsageException;
import io.tallystick.benchmarks.measure.Throttle;
import io.tallystick.benchmarks.report.Results;
import io.tallystick.benchmarks.report.Year2011;
import io.tallystick.benchmarks.subject.Subject;
import io.tallystick.benchmarks.subject.SubjectCatalog;
import io.tallystick.store.text.NearestName;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The program behind {@code ./bench}: reads the command line and hands a {@link RunRequest} to a {@link Session}. */
@Command(
        name = "./bench",
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = {
            "Transactions per second of every store, compared with Narayana's own stores and with the disk. Takes"
                    + " about 15 minutes unless told otherwise. docs/benchmarks.md explains the figures.",
            ""
        },
        footer = {
            "",
            "Groups for --store: all, ours, peers, durable, journal, databases.",
            "",
            "The script first builds missing or stale classes. It gives MAVEN_ARGS to mvn, for instance MAVEN_ARGS='-o"
                    + " -Dmaven.repo.local=/path', and BENCH_JAVA_ARGS to the program; MAVEN_OPTS, JAVA_HOME and"
                    + " NO_COLOR have their usual meaning. './bench jmh ARGUMENTS' is JMH's own command line.",
            ""
        })
public final class Bench implements Callable<Integer> {
    private static final String STORES_KEY = "tallystick.bench.stores";
    private static final String RESULTS_KEY = "tallystick.bench.results";
    private static final int FAILED = 1;
    private static final int BAD_ARGUMENTS = 2;

    @Option(names = "--quick", description = "less than five minutes: the main stores, 1, 16, 100 and 400 threads")
    private boolean quick;

    @Option(
            names = "--full",
            description = "every store and five JVMs for each figure, with work and recovery: about three hours")
    private boolean full;

    @Option(names = "--store", paramLabel = "NAME", description = "these stores or groups, separated by commas")
    private List<String> stores = new ArrayList<>();

    @Option(names = "--threads", paramLabel = "N", description = "these numbers of threads, separated by commas")
    private List<String> threads = new ArrayList<>();

    @Option(names = "--protocol", paramLabel = "P", description = "1PC, 2PC or both, separated by a comma")
    private List<String> protocols = new ArrayList<>();

    @Option(
            names = "--directory",
            paramLabel = "DIR",
            description = "directory for the stores; by default in the project")
    private Path directory;

    @Option(
            names = "--with",
            paramLabel = "NAME",
            description = "work, recovery, postgresql, separated by commas: transactions that change a row in each of"
                    + " two databases; opening after a halt; stores whose log is in a PostgreSQL database, on servers"
                    + " that the run starts. --full has the first two")
    private List<String> extras = new ArrayList<>();

    @Option(
            names = "--latency",
            paramLabel = "MS",
            description = "stores in a database again, with so many milliseconds added to each round trip, between the"
                    + " store and the primary and between primary and standby; several separated by commas")
    private List<String> latencies = new ArrayList<>();

    @Option(
            names = "--iops",
            paramLabel = "N",
            description =
                    "put the stores on a disk with this many write operations a second (root; ext4 on a loop device,"
                            + " slowed down by a cgroup); a durable write is two, data and flush")
    private Integer iops;

    @Option(
            names = "--2011",
            description =
                    "slow that disk down until the file store does 1,650 tx/s with 100 threads, and put the figures"
                            + " of 2011 beside (root)")
    private boolean as2011;

    @Option(
            names = "--jvm-args",
            paramLabel = "ARGS",
            split = " +",
            description = "further arguments of the measured JVMs, separated by spaces")
    private List<String> jvmArguments = new ArrayList<>();

    @Option(names = "--against", paramLabel = "FILE", description = "compare with the JSON of an earlier run")
    private Path against;

    @Option(
            names = "--resume",
            paramLabel = "FILE",
            description = "measure the remaining steps of a run that ended early")
    private Path resume;

    @Option(
            names = "--show",
            paramLabel = "FILE",
            description = "print the tables of an earlier run and make its page, without measuring")
    private Path show;

    @Option(
            names = "--guard",
            paramLabel = "FILE",
            description = "measure our journal beside memory and the peers in about three minutes, and fail if a ratio"
                    + " lies below that of the baseline in FILE; on another machine or a busy one nothing is compared")
    private Path guard;

    @Option(
            names = "--baseline",
            paramLabel = "FILE",
            description = "measure the same in about nine minutes, and write FILE for --guard")
    private Path baseline;

    @Option(names = "--list", description = "list the stores, and why some do not work here, and end")
    private boolean list;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "print this help and end")
    private boolean help;

    private final List<String> arguments;
    private final Terminal out;
    private final Terminal err;
    private Optional<RunRequest.Resumed> resumed = Optional.empty();

    Bench(List<String> arguments, Terminal out, Terminal err) {
        this.arguments = List.copyOf(arguments);
        this.out = out;
        this.err = err;
    }

    /**
     * Ends the process with status 0, with 1 if an expected figure is missing, or with 2 if the arguments are wrong.
     */
    public static void main(String[] arguments) {
        Terminal out = Terminal.standardOutput(System.getProperties(), System.getenv());
        Terminal err = Terminal.standardError(System.getProperties(), System.getenv());
        System.exit(run(arguments, out, err));
    }

    static int run(String[] arguments, Terminal out, Terminal err) {
        Bench bench = new Bench(List.of(arguments), out, err);
        return new CommandLine(bench)
                .setParameterExceptionHandler((problem, given) -> bench.refuse(explain(problem)))
                .setExecutionExceptionHandler((problem, line, parsed) -> {
                    if (problem instanceof UsageException) {
                        return bench.refuse(problem.getMessage());
                    }
                    throw problem;
                })
                .execute(arguments);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (quick && full) {
            throw new UsageException("--quick and --full exclude each other; give one of them or none");
        }
        checkGuard();
        if (resume != null) {
            return continueRun();
        }
        Optional<Results> earlier = Optional.ofNullable(against).map(Results::read);
        if (show != null) {
            Session.show(show, earlier, out);
            return 0;
        }
        if (list) {
            List<Subject> every = new ArrayList<>(SubjectCatalog.all());
            every.addAll(SubjectCatalog.databases());
            Session.list(request(earlier, every), out, err);
            return 0;
        }
        return Session.measure(request(earlier, chosenStores()), out, err) ? 0 : FAILED;
    }

    private void checkGuard() {
        if (guard == null && baseline == null) {
            return;
        }
        boolean chooses = quick
                || full
                || as2011
                || iops != null
                || resume != null
                || show != null
                || list
                || !(stores.isEmpty()
                        && threads.isEmpty()
                        && protocols.isEmpty()
                        && extras.isEmpty()
                        && latencies.isEmpty());
        if (chooses || guard != null && baseline != null) {
            throw new UsageException("--guard and --baseline choose what they measure; give one of them, with"
                    + " --directory, --jvm-args or --against at most");
        }
    }

    /** Continues that run with its own command line and its own file. */
    private int continueRun() throws IOException, InterruptedException {
        Results results = Results.read(resume);
        List<String> words = results.state().arguments();
        if (!results.state().isPartial()) {
            throw new UsageException("--resume: the run of " + resume + " is complete; --show prints it");
        }
        if (!arguments.equals(List.of("--resume", resume.toString()))) {
            throw new UsageException("--resume takes the other options from the file; give it alone");
        }
        Bench again = new Bench(words, out, err);
        new CommandLine(again).parseArgs(words.toArray(String[]::new));
        again.resumed = Optional.of(new RunRequest.Resumed(resume, results));
        return again.call();
    }

    private RunRequest request(Optional<Results> earlier, List<Subject> subjects) {
        Set<Workload.Extra> wanted = Selection.extras(extras);
        if (full) {
            wanted.addAll(Set.of(Workload.Extra.WORK, Workload.Extra.RECOVERY));
        }
        List<Subject> all = new ArrayList<>(subjects);
        if (wanted.contains(Workload.Extra.POSTGRESQL) && all.stream().noneMatch(Subject::isInDatabase)) {
            all.addAll(SubjectCatalog.databases());
        }
        if (!latencies.isEmpty() && all.stream().noneMatch(Subject::isInDatabase)) {
            throw new UsageException("--latency is for stores in a database; add --with postgresql");
        }
        Workload workload = new Workload(
                size(),
                all,
                threads.isEmpty() ? usualThreads() : Selection.threads(threads),
                protocols(),
                wanted,
                Selection.addedMillis(latencies));
        RunRequest.Places places = new RunRequest.Places(
                directory == null ? Path.of(System.getProperty(STORES_KEY, "bench-stores")) : directory,
                Path.of(System.getProperty(RESULTS_KEY, "bench-results")),
                slowDisk(),
                Optional.ofNullable(baseline));
        return new RunRequest(
                workload,
                places,
                new RunRequest.CommandLine(arguments, jvmArguments),
                new RunRequest.EarlierRuns(
                        earlier, resumed, Optional.ofNullable(guard).map(Results::read)));
    }

    private List<Integer> usualThreads() {
        return as2011 ? Year2011.THREAD_COUNTS : size().threads();
    }

    private Workload.Protocols protocols() {
        if (!protocols.isEmpty()) {
            return new Workload.Protocols(Selection.protocols(protocols), true);
        }
        return new Workload.Protocols(as2011 ? List.of(Protocol.TWO_PHASE) : List.of(Protocol.values()), false);
    }

    private Optional<RunRequest.SlowDisk> slowDisk() {
        if (iops == null && !as2011) {
            return Optional.empty();
        }
        if (directory != null) {
            throw new UsageException("--iops and --2011 make a disk of their own; leave --directory out");
        }
        Throttle throttle = Throttle.of(System.getenv())
                .orElseThrow(() -> new UsageException(
                        "--iops and --2011 need the disk that the script ./bench makes; run them by ./bench, as root"));
        return Optional.of(new RunRequest.SlowDisk(throttle, iops == null ? Year2011.FIRST_RATE : iops, as2011));
    }

    private List<Subject> chosenStores() {
        List<String> usual = as2011 ? Year2011.STORES : size().stores();
        return Selection.stores(stores.isEmpty() ? usual : stores);
    }

    private RunSize size() {
        if (guard != null) {
            return RunSize.GUARD;
        }
        if (baseline != null) {
            return RunSize.BASELINE;
        }
        if (quick) {
            return RunSize.QUICK;
        }
        return full ? RunSize.FULL : RunSize.STANDARD;
    }

    private int refuse(String problem) {
        err.line("bench: " + problem.replaceAll("\\s+", " ").trim());
        return BAD_ARGUMENTS;
    }

    private static String explain(ParameterException problem) {
        if (problem instanceof UnmatchedArgumentException unmatched
                && !unmatched.getUnmatched().isEmpty()) {
            String given = unmatched.getUnmatched().get(0);
            List<String> names = problem.getCommandLine().getCommandSpec().options().stream()
                    .map(OptionSpec::longestName)
                    .toList();
            return "there is no option '" + given + "'; did you mean '" + NearestName.of(given, names)
                    + "'? (--help shows all)";
        }
        return problem.getMessage();
    }
}
