package io.tallystick.durability.run;

import io.tallystick.durability.Counts;
import io.tallystick.durability.PatientCall;
import io.tallystick.durability.Stage;
import io.tallystick.durability.StageLog;
import io.tallystick.durability.Violation;
import io.tallystick.durability.stage.ProgressFile;
import io.tallystick.durability.stage.ProgressFile.Standing;
import io.tallystick.durability.stage.StageOrder;
import io.tallystick.durability.stage.StageResult;
import io.tallystick.durability.subject.Subject;
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

/**
 * Puts each subject through a stage, case by case, until its share of the count is reached; keeps where it stands, and
 * writes a seed file for each violation. Several subjects may run at the same time; the seconds that it reports are
 * those of all, added up.
 */
public final class StageRun {
    private static final int MAX_VIOLATIONS = 10;
    private static final long PROGRESS_NANOS = TimeUnit.SECONDS.toNanos(15);

    private final StageOrder order;
    private final StageLog log;
    private final long deadlineNanos;
    private final Map<String, Counts> counts = new TreeMap<>();
    private final Map<String, Long> violationCounts = new TreeMap<>();
    private final Map<String, String> skipped = new TreeMap<>();
    private final List<Violation> violations = new ArrayList<>();
    private long millis;
    private boolean finished = true;

    private StageRun(StageOrder order, StageLog log) {
        this.order = order;
        this.log = log;
        this.deadlineNanos = System.nanoTime() + order.limit().toNanos();
    }

    /** Runs what is ordered. */
    public static StageResult run(StageOrder order, StageLog log) throws IOException, InterruptedException {
        return new StageRun(order, log).run();
    }

    private StageResult run() throws IOException, InterruptedException {
        LogLevels.silence();
        Files.createDirectories(order.scratch());
        List<Subject> fit = new ArrayList<>();
        Optional<String> nothingRuns = order.stage().unavailableBecause();
        for (Subject subject : order.subjects()) {
            Optional<String> reason = nothingRuns
                    .or(() -> order.stage().refuses(subject))
                    .or(() -> subject.unavailableBecause(order.scratch()));
            if (reason.isPresent()) {
                skipped.put(subject.name(), reason.get());
                log.skipped(subject, reason.get());
            } else {
                fit.add(subject);
            }
        }
        ProgressFile progress = ProgressFile.of(order);
        long weights = fit.stream().mapToLong(order.stage()::weight).sum();
        ExecutorService threads = Executors.newFixedThreadPool(order.stage().toleratesOthers() ? order.threads() : 1);
        try {
            List<Future<Void>> runs = new ArrayList<>();
            for (Subject subject : fit) {
                // Rounded up, so that the shares make up the count.
                long share = (order.count() * order.stage().weight(subject) + weights - 1) / weights;
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
                    "the stage " + order.stage().name() + " is broken: " + broken.getCause(), broken);
        } finally {
            threads.shutdownNow();
        }
        return new StageResult(
                order, counts, skipped, violations, violationCounts, Duration.ofMillis(millis), finished);
    }

    private void run(Subject subject, long share, ProgressFile progress) throws IOException, InterruptedException {
        Standing before = progress.of(subject, order.seed());
        Standing now = before;
        Path scratch = Files.createTempDirectory(order.scratch(), order.stage().name() + "-");
        long begun = System.nanoTime();
        long told = begun;
        int found = 0;
        Stage.Session session = order.stage().open(subject, scratch);
        try {
            while (done(now) < share && found < MAX_VIOLATIONS && System.nanoTime() < deadlineNanos) {
                long seed = now.nextSeed();
                Counts counted;
                Optional<Violation> violation = Optional.empty();
                try {
                    counted = PatientCall.caseOf(order.stage(), session, seed, Integer.MAX_VALUE);
                } catch (ExecutionException broken) {
                    violation = Optional.of(
                            new Violation(subject, seed, order.commandFor(subject, seed), broken.getCause()));
                    counted = Counts.of(order.stage().unit(), 1);
                    found++;
                    record(violation.get());
                }
                now = new Standing(
                        seed + 1,
                        now.counts().plus(counted),
                        now.violations() + (violation.isPresent() ? 1 : 0),
                        before.millis() + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun));
                if (System.nanoTime() - told > PROGRESS_NANOS) {
                    told = System.nanoTime();
                    progress.keep(subject, now);
                    log.progress(subject, done(now), share, order.stage().unit(), now.violations(), left(now, share));
                }
                if (violation.isPresent() && violation.get().problem() instanceof PatientCall.Hang) {
                    // What hangs holds the session; the next case gets another.
                    session = order.stage().open(subject, Files.createTempDirectory(scratch, "again-"));
                }
            }
        } finally {
            session.close();
            progress.keep(subject, now);
            Directories.delete(scratch);
        }
        ended(subject, now, done(now) >= share);
    }

    private synchronized void ended(Subject subject, Standing standing, boolean reachedItsShare) {
        finished &= reachedItsShare;
        counts.put(subject.name(), standing.counts());
        violationCounts.put(subject.name(), standing.violations());
        millis += standing.millis();
    }

    private long done(Standing standing) {
        return standing.counts().of(order.stage().unit());
    }

    private Duration left(Standing now, long share) {
        return Duration.ofMillis(Math.round((double) now.millis() * (share - done(now)) / Math.max(1, done(now))));
    }

    private synchronized void record(Violation violation) throws IOException {
        violations.add(violation);
        String name = order.stage().name() + "-" + violation.subject().name() + "-" + violation.seed() + ".violation";
        Path file = order.results().resolve(name);
        Files.writeString(file, violation.report());
        log.violation(violation, file.toString());
    }
}
