package io.tallystick.durability.run;

import io.tallystick.durability.PatientCall;
import io.tallystick.durability.Stage;
import io.tallystick.durability.StageLog;
import io.tallystick.durability.Violation;
import io.tallystick.durability.planted.PlantedBug;
import io.tallystick.durability.planted.PlantedClasses;
import io.tallystick.durability.planted.PlantedSubject;
import io.tallystick.durability.subject.OurSubject;
import io.tallystick.durability.subject.Subject;
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
 * Plants each bug in turn and lets the stage that is to catch it run on the store that has it. A bug that is not caught
 * proves that the stage is not good enough. So that catching proves something, the stage must pass with the same seed
 * on the same store without the bug, loaded in the same way, and each bug must leave a store that works when nothing
 * goes wrong. What does not end within {@value #PATIENCE_SECONDS} s hangs, which is a way of being caught.
 */
public final class PlantedRun {
    /** What a stage gets for one bug: cases, each of which has hundreds of points. */
    private static final int CASES = 40;

    private static final int SCHEDULES = 3_000;

    /** The longest that a case may take; on a store without any bug it takes a few seconds. */
    private static final int PATIENCE_SECONDS = 120;

    private static final long PROGRESS_NANOS = TimeUnit.SECONDS.toNanos(15);

    private final Path scratch;
    private final StageLog log;
    private final int patienceSeconds;
    // Cases that passed on a sound store, so that no case runs twice.
    private final Set<List<Object>> controlled = new HashSet<>();

    public PlantedRun(Path scratch, StageLog log) {
        this(scratch, log, PATIENCE_SECONDS);
    }

    /** @param patienceSeconds the longest that a case on a store with a bug in it may take */
    public PlantedRun(Path scratch, StageLog log, int patienceSeconds) {
        this.scratch = scratch;
        this.log = log;
        this.patienceSeconds = patienceSeconds;
    }

    /** What became of a bug. */
    public record Outcome(PlantedBug bug, boolean isCaught, long seed, String how, Duration elapsed) {}

    /**
     * Runs all of these.
     *
     * @throws IllegalStateException a bug is void, or a stage fails without any
     */
    public List<Outcome> run(List<PlantedBug> bugs) throws IOException, InterruptedException {
        LogLevels.silence();
        Files.createDirectories(scratch);
        List<Outcome> outcomes = new ArrayList<>();
        for (PlantedBug bug : bugs) {
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
        checkWorks(bug, planted);
        Optional<Violation> violation =
                firstViolation(StageCatalog.named(bug.stage()), planted, 1, casesOf(bug), patienceSeconds);
        Duration elapsed = Duration.ofNanos(System.nanoTime() - begun);
        if (violation.isPresent()) {
            checkSoundPasses(bug, violation.get().seed());
        }
        return violation
                .map(found -> new Outcome(bug, true, found.seed(), shortened(found.summary()), elapsed))
                .orElseGet(() -> new Outcome(bug, false, casesOf(bug), bug.why(), elapsed));
    }

    private void checkSoundPasses(PlantedBug bug, long seed) throws IOException, InterruptedException {
        if (!controlled.add(List.of(bug.stage(), bug.subject(), seed))) {
            return;
        }
        Subject sound = new PlantedSubject(subject(bug.subject()), null, PlantedClasses.with(null));
        Optional<Violation> violation =
                firstViolation(StageCatalog.named(bug.stage()), sound, seed, seed, PATIENCE_SECONDS);
        if (violation.isPresent()) {
            throw new IllegalStateException("without any bug " + bug.stage() + " of " + bug.subject() + " seed=" + seed
                    + " finds: " + violation.get().summary());
        }
    }

    private static int casesOf(PlantedBug bug) {
        return bug.stage().equals("schedules") ? SCHEDULES : CASES;
    }

    private static OurSubject subject(String name) {
        return (OurSubject) SubjectCatalog.named(List.of(name)).get(0);
    }

    /** A store that never works is no store with a bug in it. */
    private static void checkWorks(PlantedBug bug, Subject planted) throws InterruptedException {
        try {
            if (!PatientCall.of("planted-" + bug.name(), PATIENCE_SECONDS, () -> keepsWhatIsWritten(planted))) {
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

    private Optional<Violation> firstViolation(Stage stage, Subject subject, long first, long last, int patience)
            throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory(scratch, "planted-");
        Stage.Session session = stage.open(subject, directory);
        boolean hangs = false;
        long told = System.nanoTime();
        try {
            for (long seed = first; seed <= last; seed++) {
                if (System.nanoTime() - told > PROGRESS_NANOS) {
                    told = System.nanoTime();
                    log.line("          " + stage.name() + " of " + subject.name() + "  seed=" + seed + " of " + last);
                }
                try {
                    PatientCall.caseOf(stage, session, seed, patience);
                } catch (ExecutionException found) {
                    hangs = found.getCause() instanceof PatientCall.Hang;
                    return Optional.of(new Violation(subject, seed, "", found.getCause()));
                }
            }
            return Optional.empty();
        } finally {
            if (!hangs) {
                session.close(); // what hangs would hang here too
            }
            Directories.delete(directory);
        }
    }

    private static String shortened(String text) {
        String line = text.replaceAll("\\s+", " ");
        return line.length() <= 160 ? line : line.substring(0, 160) + " ...";
    }
}
