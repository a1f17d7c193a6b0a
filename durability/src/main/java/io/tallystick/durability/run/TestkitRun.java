package io.tallystick.durability.run;

import io.tallystick.durability.Stage;
import io.tallystick.durability.StageLog;
import io.tallystick.durability.planted.PlantedBug;
import io.tallystick.durability.stage.StageRequest;
import io.tallystick.durability.stage.StageResult;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.SubjectCatalog;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** The program behind {@code testkit/run}. */
@Command(
        name = "testkit/run",
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = {
            "Runs a stage of the durability programme on stores. Without --count it runs the whole stage,"
                    + " which may take hours; it may be stopped at any time and continued with --resume."
                    + " docs/reliability.md has the results.",
            ""
        },
        footer = {
            "",
            "Ends with 0, with 1 if a store of this library broke a promise, with 2 if the arguments are wrong."
        })
public final class TestkitRun implements Callable<Integer> {
    private static final String PLANTED = "planted";
    private static final int VIOLATED = 1;
    private static final int BAD_ARGUMENTS = 2;

    @Parameters(paramLabel = "STAGE", arity = "0..1", description = "the stage; --list names them")
    private String stage;

    @Option(names = "--seed", paramLabel = "N", description = "seed of the first case, by default 1")
    private long seed = 1;

    @Option(
            names = "--count",
            paramLabel = "N",
            description = "number of cases, all stores together, in the stage's unit")
    private Long count;

    @Option(names = "--hours", paramLabel = "N", description = "as many cases as take N hours, for the stage soak")
    private Double hours;

    @Option(names = "--quick", description = "the count of every build")
    private boolean quick;

    @Option(
            names = "--subject",
            split = ",",
            paramLabel = "NAME",
            description = "these stores, by default those that the stage is for; ours, peers and all are groups")
    private List<String> subjects = new ArrayList<>(List.of());

    @Option(names = "--resume", description = "continue where the last run of this stage and seed stopped")
    private boolean resume;

    @Option(names = "--minutes", paramLabel = "N", description = "stop after this many minutes")
    private Integer minutes;

    @Option(names = "--threads", paramLabel = "N", description = "number of stores at the same time, by default 1")
    private int threads = 1;

    @Option(names = "--list", description = "only list stages and stores, and why some do not work here")
    private boolean list;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "print this help and end")
    private boolean help;

    private final PrintStream out;

    TestkitRun(PrintStream out) {
        this.out = out;
    }

    /** Runs a stage and ends the process. */
    public static void main(String[] arguments) {
        System.exit(run(arguments, System.out));
    }

    static int run(String[] arguments, PrintStream out) {
        return new CommandLine(new TestkitRun(out))
                .setParameterExceptionHandler((problem, given) -> refuse(out, problem))
                .setExecutionExceptionHandler((problem, line, parsed) -> {
                    if (problem instanceof IllegalArgumentException) {
                        return refuse(out, problem);
                    }
                    throw problem;
                })
                .execute(arguments);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (list) {
            list();
            return 0;
        }
        if (PLANTED.equals(stage)) {
            return planted();
        }
        if (stage == null) {
            throw new IllegalArgumentException("name a stage; --list names them all");
        }
        StageRequest request = request();
        StageLog log = new StageLog(out);
        request.stage().limitations().forEach(left -> log.line("left out, " + left));
        StageResult result = StageRun.run(request, log);
        if (result.counts().isEmpty()) {
            log.line(stage + ": no store was tested");
            return 0;
        }
        RunRecord.append(result);
        result.total().table().forEach(log::line);
        log.line(result.line());
        return result.violationsInOurs() == 0 ? 0 : VIOLATED;
    }

    private int planted() throws IOException, InterruptedException {
        List<PlantedBug> bugs = PlantedBug.all();
        if (count != null) {
            int first = Math.toIntExact(seed) - 1;
            bugs = bugs.subList(first, Math.toIntExact(Math.min(bugs.size(), first + count)));
        }
        StageLog log = new StageLog(out);
        List<PlantedRun.Outcome> outcomes = new PlantedRun(scratch(), log).run(bugs);
        long caught = outcomes.stream().filter(PlantedRun.Outcome::isCaught).count();
        log.line("planted bugs=" + bugs.size() + " caught=" + caught + " survived=" + (outcomes.size() - caught)
                + " skipped=" + (bugs.size() - outcomes.size()));
        return caught == outcomes.size() ? 0 : VIOLATED;
    }

    private StageRequest request() {
        Stage chosen = StageCatalog.named(stage);
        long units = count != null ? count : quick ? chosen.quickCount() : countOfHours(chosen);
        return new StageRequest(
                chosen,
                subjects.isEmpty() ? chosen.subjects() : SubjectCatalog.named(subjects),
                seed,
                units,
                resume,
                minutes == null ? StageRequest.NO_LIMIT : Duration.ofMinutes(minutes),
                threads,
                Path.of(System.getProperty("tallystick.testkit.results", "durability-results")),
                scratch());
    }

    private long countOfHours(Stage chosen) {
        if (hours == null) {
            return chosen.fullCount();
        }
        int full = chosen.fullHours()
                .orElseThrow(() -> new IllegalArgumentException(
                        "--hours is for the stage soak; the stage " + chosen.name() + " has --count and --minutes"));
        if (!(hours > 0)) {
            throw new IllegalArgumentException("--hours=" + hours + " is not more than 0");
        }
        return Math.max(1, Math.round(chosen.fullCount() * hours / full));
    }

    private static Path scratch() {
        return Path.of(System.getProperty("tallystick.testkit.scratch", System.getProperty("java.io.tmpdir")));
    }

    private void list() {
        out.println("Stages (quick and full counts):");
        for (Stage each : StageCatalog.all()) {
            out.printf(Locale.ROOT, "  %-18s %s%n", each.name(), each.description());
            out.printf(Locale.ROOT, "  %-18s %,d / %,d %s%n", "", each.quickCount(), each.fullCount(), each.unit());
            each.unavailableBecause()
                    .ifPresent(reason -> out.printf(Locale.ROOT, "  %-18s NOT HERE: %s%n", "", reason));
            each.limitations().forEach(left -> out.printf(Locale.ROOT, "  %-18s LEFT OUT: %s%n", "", left));
        }
        out.printf(
                Locale.ROOT, "  %-18s %s%n", PLANTED, "bugs planted in our stores, each of which a stage must catch");
        out.printf(Locale.ROOT, "  %-18s %,d bugs%n", "", PlantedBug.all().size());
        out.println("Subjects:");
        for (Subject each : SubjectCatalog.all()) {
            Optional<String> reason = each.unavailableBecause(scratch());
            out.printf(
                    Locale.ROOT,
                    "  %-28s %s%s%n",
                    each.name(),
                    each.isOurs() ? "ours" : "peer, known to be bad",
                    reason.map(why -> "  NOT HERE: " + why).orElse(""));
        }
    }

    private static int refuse(PrintStream out, Exception problem) {
        out.println("testkit/run: " + problem.getMessage());
        if (problem instanceof ParameterException) {
            out.println("testkit/run --help lists the options.");
        }
        return BAD_ARGUMENTS;
    }
}
