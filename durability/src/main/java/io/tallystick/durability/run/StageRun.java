package io.tallystick.durability.run;

import io.tallystick.durability.Counts;
import io.tallystick.durability.Stage;
import io.tallystick.durability.StageLog;
import io.tallystick.durability.TimeLimitedCall;
import io.tallystick.durability.Violation;
import io.tallystick.durability.stage.ProgressFile;
import io.tallystick.durability.stage.ProgressFile.Progress;
import io.tallystick.durability.stage.StageRequest;
import io.tallystick.durability.stage.StageResult;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.SubjectCatalog;
import io.tallystick.durability.system.Directories;
import io.tallystick.durability.system.LogLevels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Runs a stage on each subject, case by case, until its share of the count is reached. It saves the progress and writes
 * a seed file for each violation. Several subjects may run at the same time; the reported seconds are their sum.
 */
public final class StageRun {
    private static final int MAX_VIOLATIONS = 10;
    private static final int SIGNAL_MILLIS = 300;
    private static final long PROGRESS_NANOS = TimeUnit.SECONDS.toNanos(15);

    private final StageRequest request;
    private final StageLog log;
    private final BooleanSupplier processEnds;
    private final long deadlineNanos;
    private final Map<String, Counts> counts = new TreeMap<>();
    private final Map<String, Long> violationCounts = new TreeMap<>();
    private final Map<String, String> skipped = new TreeMap<>();
    private final List<Violation> violations = new ArrayList<>();
    private long millis;
    private boolean finished = true;

    private StageRun(StageRequest request, StageLog log, BooleanSupplier processEnds) {
        this.request = request;
        this.log = log;
        this.processEnds = processEnds;
        this.deadlineNanos = System.nanoTime() + request.limit().toNanos();
    }

    /** Runs the stage. */
    public static StageResult run(StageRequest request, StageLog log) throws IOException, InterruptedException {
        return run(request, log, StageRun::isProcessEnding);
    }

    /** @param processEnds whether a signal has ended this process, and with it servers and stores of the case */
    static StageResult run(StageRequest request, StageLog log, BooleanSupplier processEnds)
            throws IOException, InterruptedException {
        return new StageRun(request, log, processEnds).run();
    }

    private static boolean isProcessEnding() {
        Thread unused = new Thread(() -> {});
        try {
            TimeUnit.MILLISECONDS.sleep(SIGNAL_MILLIS); // a server may have got the signal a little earlier
            Runtime.getRuntime().addShutdownHook(unused);
            Runtime.getRuntime().removeShutdownHook(unused);
            return false;
        } catch (IllegalStateException | InterruptedException ending) {
            return true;
        }
    }

    private StageResult run() throws IOException, InterruptedException {
        LogLevels.silence();
        Files.createDirectories(request.scratch());
        List<Subject> fit = new ArrayList<>();
        Optional<String> nothingRuns = request.stage().unavailableBecause();
        for (Subject subject : request.subjects()) {
            Optional<String> reason = nothingRuns
                    .or(() -> needsServer(subject))
                    .or(() -> isNoStore(subject))
                    .or(() -> request.stage().refuses(subject))
                    .or(() -> subject.unavailableBecause(request.scratch()));
            if (reason.isPresent()) {
                skipped.put(subject.name(), reason.get());
                log.skipped(subject, reason.get());
            } else {
                fit.add(subject);
            }
        }
        ProgressFile progress = ProgressFile.of(request);
        long weights = fit.stream().mapToLong(request.stage()::weight).sum();
        ExecutorService threads =
                Executors.newFixedThreadPool(request.stage().toleratesOthers() ? request.threads() : 1);
        try {
            List<Future<Void>> runs = new ArrayList<>();
            for (Subject subject : fit) {
                // Rounded up, so that the shares make up the count.
                long share = (request.count() * request.stage().weight(subject) + weights - 1) / weights;
                runs.add(threads.submit(() -> {
                    run(subject, share, progress);
                    return null;
                }));
            }
            for (Future<Void> run : runs) {
                run.get();
            }
        } catch (ExecutionException broken) {
            throw new IllegalStateException(
                    "the stage " + request.stage().name() + " is broken: " + broken.getCause(), broken);
        } finally {
            threads.shutdownNow();
        }
        return new StageResult(
                request, counts, skipped, violations, violationCounts, Duration.ofMillis(millis), finished);
    }

    private Optional<String> needsServer(Subject subject) {
        return subject == SubjectCatalog.postgresql()
                        && !request.stage().subjects().contains(subject)
                ? Optional.of("it needs a server; the stages whose names begin with postgresql start one")
                : Optional.empty();
    }

    private Optional<String> isNoStore(Subject subject) {
        return subject == SubjectCatalog.reaper() && !request.stage().subjects().contains(subject)
                ? Optional.of("it is no store; the stage schedules explores it")
                : Optional.empty();
    }

    private void run(Subject subject, long share, ProgressFile progress) throws IOException, InterruptedException {
        Progress before = progress.of(subject, request.seed());
        Progress now = before;
        Path scratch =
                Files.createTempDirectory(request.scratch(), request.stage().name() + "-");
        long begun = System.nanoTime();
        long lastProgressNanos = begun;
        int found = 0;
        Stage.Session session = request.stage().open(subject, scratch);
        try {
            while (done(now) < share && found < MAX_VIOLATIONS && System.nanoTime() < deadlineNanos) {
                long seed = now.nextSeed();
                Counts counted;
                Optional<Violation> violation = Optional.empty();
                try {
                    counted = TimeLimitedCall.caseOf(request.stage(), session, seed, Integer.MAX_VALUE);
                } catch (ExecutionException broken) {
                    if (processEnds.getAsBoolean()) {
                        break; // the case is not judged; --resume begins with it
                    }
                    violation = Optional.of(
                            new Violation(subject, seed, request.commandFor(subject, seed), broken.getCause()));
                    counted = Counts.of(request.stage().unit(), 1);
                    found++;
                    record(violation.get());
                }
                now = new Progress(
                        seed + 1,
                        now.counts().plus(counted),
                        now.violations() + (violation.isPresent() ? 1 : 0),
                        before.millis() + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun));
                if (System.nanoTime() - lastProgressNanos > PROGRESS_NANOS) {
                    lastProgressNanos = System.nanoTime();
                    progress.keep(subject, now);
                    log.progress(subject, done(now), share, request.stage().unit(), now.violations(), left(now, share));
                }
                if (violation.isPresent() && violation.get().problem() instanceof TimeLimitedCall.Hang) {
                    // A case that hangs keeps its session; the next case gets a new one.
                    session = request.stage().open(subject, Files.createTempDirectory(scratch, "again-"));
                }
            }
        } finally {
            session.close();
            progress.keep(subject, now);
            Directories.delete(scratch);
        }
        ended(subject, now, done(now) >= share);
    }

    private synchronized void ended(Subject subject, Progress progress, boolean reachedItsShare) {
        finished &= reachedItsShare;
        counts.put(subject.name(), progress.counts());
        violationCounts.put(subject.name(), progress.violations());
        millis += progress.millis();
    }

    private long done(Progress progress) {
        return progress.counts().of(request.stage().unit());
    }

    private Duration left(Progress now, long share) {
        return Duration.ofMillis(Math.round((double) now.millis() * (share - done(now)) / Math.max(1, done(now))));
    }

    private synchronized void record(Violation violation) throws IOException {
        violations.add(violation);
        String name = request.stage().name() + "-" + violation.subject().name() + "-" + violation.seed() + ".violation";
        Path file = request.results().resolve(name);
        Files.writeString(file, violation.report());
        log.violation(violation, file.toString());
    }
}
