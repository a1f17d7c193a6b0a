package io.tallystick.durability.stage;

import io.tallystick.durability.Counts;
import io.tallystick.durability.Stage;
import io.tallystick.durability.planted.Instrumentation;
import io.tallystick.durability.planted.PlantedBug;
import io.tallystick.durability.planted.PlantedClasses;
import io.tallystick.durability.planted.PlantedSubject;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.SubjectCatalog;
import io.tallystick.testkit.schedule.ScheduleCoverage;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.stream.Stream;

/**
 * Interleavings of the journals' group commit, of the file store and of the segmented journal: callers that commit,
 * defer, force and close, and a log or a disk that fails. And of the reaper: callers that register, end and close. Each
 * seed is one schedule; the run counts those that differ, and the places in the rewritten code that they reach. First
 * the explorer must find the race of a counter, which proves that it sees races.
 */
public final class SchedulesStage implements Stage {
    private static final String SCHEDULES = "schedules";
    private static final int RACE_SCHEDULES = 100;
    private static final String SCENARIOS = "io.tallystick.durability.scenario.";

    private static final Map<String, Instrumentation> EXPLORED = Map.of(
            "journal-segmented-channel",
            Instrumentation.GROUP_COMMIT,
            "journal-segmented-direct",
            Instrumentation.SEGMENTED_STORE,
            "file",
            Instrumentation.FILE_STORE,
            "reaper",
            Instrumentation.REAPER);

    @Override
    public String name() {
        return "schedules";
    }

    @Override
    public String description() {
        return "interleavings of calls in the journals' group commit, in whole stores, and in the reaper";
    }

    @Override
    public String unit() {
        return SCHEDULES;
    }

    @Override
    public long quickCount() {
        return 2_000;
    }

    @Override
    public long fullCount() {
        return 2_000_000;
    }

    @Override
    public List<Subject> subjects() {
        return Stream.concat(Stage.super.subjects().stream(), Stream.of(SubjectCatalog.reaper()))
                .toList();
    }

    @Override
    public boolean toleratesOthers() {
        return false;
    }

    @Override
    public Optional<String> refuses(Subject subject) {
        return EXPLORED.containsKey(subject.name())
                ? Optional.empty()
                : Optional.of("only the group commit of all journals, two whole stores and the reaper are explored");
    }

    @Override
    public Session open(Subject subject, Path scratch) {
        PlantedBug bug = subject instanceof PlantedSubject planted ? planted.bug() : null;
        Instrumentation explored = EXPLORED.get(subject.name());
        PlantedClasses classes = PlantedClasses.scheduled(bug, explored);
        checkRaceIsFound(classes);
        ScheduleCoverage coverage = new ScheduleCoverage();
        return seed -> {
            long distinct = coverage.distinctSchedules();
            long sites = coverage.sitesReached();
            LongConsumer scenario = scenario(classes, explored.scenario());
            try {
                coverage.watch(() -> scenario.accept(seed));
            } catch (AssertionError found) {
                throw new AssertionError("schedule " + seed + ": " + found.getMessage(), found);
            }
            return Counts.of(SCHEDULES, 1)
                    .and("distinct", coverage.distinctSchedules() - distinct)
                    .and("sites reached", coverage.sitesReached() - sites);
        };
    }

    private static void checkRaceIsFound(PlantedClasses classes) {
        for (long seed = 0; seed < RACE_SCHEDULES; seed++) {
            try {
                scenario(classes, "RacyCounter").accept(seed);
            } catch (AssertionError found) {
                return;
            }
        }
        throw new IllegalStateException("the explorer does not work: it does not find the race of two increments");
    }

    private static LongConsumer scenario(PlantedClasses classes, String name) {
        try {
            return (LongConsumer)
                    classes.loadClass(SCENARIOS + name).getConstructor().newInstance();
        } catch (ReflectiveOperationException broken) {
            throw new IllegalStateException(broken);
        }
    }
}
