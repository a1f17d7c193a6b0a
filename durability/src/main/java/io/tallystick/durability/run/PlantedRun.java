package io.tallystick.durability.run;

import io.tallystick.durability.Stage;
import io.tallystick.durability.StageLog;
import io.tallystick.durability.TimeLimitedCall;
import io.tallystick.durability.Violation;
import io.tallystick.durability.planted.PlantedBug;
import io.tallystick.durability.planted.PlantedClasses;
import io.tallystick.durability.planted.PlantedSubject;
import io.tallystick.durability.subject.ConfiguredSubject;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.Subject.Trait;
import io.tallystick.durability.subject.SubjectCatalog;
import io.tallystick.durability.system.Directories;
import io.tallystick.durability.system.LogLevels;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.testkit.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Plants each bug in turn and runs the stage that must catch it. A bug that is not caught proves that the stage is not
 * good enough. The same stage must pass with the same seed on the same store without the bug, loaded in the same way. A
 * store with a bug must still work when nothing fails. A case that does not end within {@value #PATIENCE_SECONDS} s
 * hangs, and so its bug is caught. The stage {@code surroundings} has {@value #LIVES} lives for each bug.
 */
public final class PlantedRun {
    /** The number of cases for one bug; each case has hundreds of points. */
    private static final int CASES = 40;

    /** Enough for a bug that one schedule in 2,500 shows, wherever a change of the product moves those. */
    private static final int SCHEDULES = 20_000;

    /** The number of lives of a store that the stage {@code surroundings} has; a case has one to eight. */
    private static final int LIVES = 2_000;

    /** The time limit of a case; on a store without a bug it takes a few seconds. */
    private static final int PATIENCE_SECONDS = 120;

    private static final long PROGRESS_NANOS = TimeUnit.SECONDS.toNanos(15);

    private final Path scratch;
    private final StageLog log;
    private final int patienceSeconds;
    // Cases that passed without a bug, so that none of them runs twice.
    private final Set<List<Object>> passedWithoutBug = new HashSet<>();

    public PlantedRun(Path scratch, StageLog log) {
        this(scratch, log, PATIENCE_SECONDS);
    }

    /**
     * @param patienceSeconds the time limit of a case on a store with a bug
     */
    public PlantedRun(Path scratch, StageLog log, int patienceSeconds) {
        this.scratch = scratch;
        this.log = log;
        this.patienceSeconds = patienceSeconds;
    }

    /** The result for one bug. */
    public record Outcome(PlantedBug bug, boolean isCaught, long seed, String how, Duration elapsed) {}

    /**
     * Plants these bugs in turn. A bug whose stage cannot run on this machine is skipped, and has no outcome.
     *
     * @throws IllegalStateException a bug is void, or a stage fails without a bug
     */
    public List<Outcome> run(List<PlantedBug> bugs) throws IOException, InterruptedException {
        LogLevels.silence();
        Files.createDirectories(scratch);
        List<Outcome> outcomes = new ArrayList<>();
        for (PlantedBug bug : bugs) {
            Optional<String> reason = StageCatalog.named(bug.stage()).unavailableBecause();
            if (reason.isPresent()) {
                log.line("skipped   " + bug.name() + ": " + reason.get());
                continue;
            }
            log.line("planting  " + bug.name() + "  (" + (outcomes.size() + 1) + " of " + bugs.size() + ")");
            Outcome outcome = run(bug);
            outcomes.add(outcome);
            log.line((outcome.isCaught ? "caught    " : "SURVIVED  ") + bug.name() + "  by " + bug.stage() + " of "
                    + bug.subject() + "  seed=" + outcome.seed + "  " + outcome.elapsed.toMillis() + " ms  "
                    + outcome.how);
        }
        return outcomes;
    }

    private Outcome run(PlantedBug bug) throws IOException, InterruptedException {
        long begun = System.nanoTime();
        Subject planted = new PlantedSubject(subject(bug.subject()), bug, PlantedClasses.with(bug));
        if (planted.is(Trait.ANY_DISK)) { // otherwise the session of the stage looks
            checkWorks(bug, planted);
        }
        Optional<Violation> violation = firstViolation(
                StageCatalog.named(bug.stage()), planted, 1, casesOf(bug), unitsOf(bug), patienceSeconds);
        Duration elapsed = Duration.ofNanos(System.nanoTime() - begun);
        if (violation.isPresent()) {
            checkSoundPasses(bug, violation.get().seed());
        }
        return violation
                .map(found -> new Outcome(bug, true, found.seed(), shortened(found.summary()), elapsed))
                .orElseGet(() -> new Outcome(bug, false, casesOf(bug), bug.why(), elapsed));
    }

    private void checkSoundPasses(PlantedBug bug, long seed) throws IOException, InterruptedException {
        if (!passedWithoutBug.add(List.of(bug.stage(), bug.subject(), seed))) {
            return;
        }
        Subject sound = new PlantedSubject(subject(bug.subject()), null, PlantedClasses.with(null));
        Optional<Violation> violation =
                firstViolation(StageCatalog.named(bug.stage()), sound, seed, seed, Long.MAX_VALUE, PATIENCE_SECONDS);
        if (violation.isPresent()) {
            throw new IllegalStateException("without a bug " + bug.stage() + " of " + bug.subject() + " seed=" + seed
                    + " finds: " + violation.get().summary());
        }
    }

    private static int casesOf(PlantedBug bug) {
        return switch (bug.stage()) {
            case "schedules" -> SCHEDULES;
            case "surroundings" -> LIVES; // the lives end first
            default -> CASES;
        };
    }

    /** The bound in the unit of the stage, where the number of cases is not the bound. */
    private static long unitsOf(PlantedBug bug) {
        return bug.stage().equals("surroundings") ? LIVES : Long.MAX_VALUE;
    }

    private static ConfiguredSubject subject(String name) {
        return (ConfiguredSubject) SubjectCatalog.named(List.of(name)).get(0);
    }

    /** Checks that the store still works when nothing fails. */
    private static void checkWorks(PlantedBug bug, Subject planted) throws InterruptedException {
        try {
            if (!TimeLimitedCall.of("planted-" + bug.name(), PATIENCE_SECONDS, () -> keepsWhatIsWritten(planted))) {
                throw new IllegalStateException("the bug " + bug.name() + " is void: the store does not work at all");
            }
        } catch (ExecutionException broken) {
            throw new IllegalStateException(
                    "the bug " + bug.name() + " is void: the store does not work at all", broken.getCause());
        }
    }

    private static boolean keepsWhatIsWritten(Subject planted) {
        StateKey key = StateKey.of("/Planted", ObjectId.of(new byte[8]));
        try (ObjectStore store = planted.open(new SimulatedDisk(), Path.of("/simulated/store"))) {
            store.write(key, new byte[100], Durability.FORCED);
            return store.read(key).isPresent();
        }
    }

    private Optional<Violation> firstViolation(
            Stage stage, Subject subject, long first, long last, long maxUnits, int patience)
            throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory(scratch, "planted-");
        Stage.Session session = stage.open(subject, directory);
        boolean hangs = false;
        long lastProgressNanos = System.nanoTime();
        long units = 0;
        try {
            for (long seed = first; seed <= last && units < maxUnits; seed++) {
                if (System.nanoTime() - lastProgressNanos > PROGRESS_NANOS) {
                    lastProgressNanos = System.nanoTime();
                    log.line("          " + stage.name() + " of " + subject.name() + "  seed=" + seed + " of " + last);
                }
                try {
                    units += TimeLimitedCall.caseOf(stage, session, seed, patience)
                            .of(stage.unit());
                } catch (ExecutionException found) {
                    hangs = found.getCause() instanceof TimeLimitedCall.Hang;
                    return Optional.of(new Violation(subject, seed, "", found.getCause()));
                }
            }
            return Optional.empty();
        } finally {
            if (!hangs) {
                session.close(); // after a hang, closing would hang too
            }
            Directories.delete(directory);
        }
    }

    private static String shortened(String text) {
        String line = text.replaceAll("\\s+", " ");
        return line.length() <= 160 ? line : line.substring(0, 160) + " ...";
    }
}
