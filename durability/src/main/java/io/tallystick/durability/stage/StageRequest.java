package io.tallystick.durability.stage;

import io.tallystick.durability.Stage;
import io.tallystick.durability.subject.Subject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The arguments of a run of a stage.
 *
 * @param stage the stage
 * @param subjects the stores; each gets its share of the count
 * @param seed seed of the first case of each subject
 * @param count number of units, all subjects together
 * @param resume whether to go on where the last run of the stage with this seed stopped
 * @param limit time after which the run stops, to be resumed
 * @param threads number of subjects that run at the same time
 * @param results directory for progress, violations and results
 * @param scratch directory for the files of the stores
 */
public record StageRequest(
        Stage stage,
        List<Subject> subjects,
        long seed,
        long count,
        boolean resume,
        Duration limit,
        int threads,
        Path results,
        Path scratch) {
    public static final Duration NO_LIMIT = Duration.ofDays(365);

    public StageRequest {
        subjects = List.copyOf(subjects);
        if (count < 1) {
            throw new IllegalArgumentException("count=" + count + " is less than 1");
        }
    }

    /** The command that repeats one case. */
    public String commandFor(Subject subject, long caseSeed) {
        return "testkit/run " + stage.name() + " --seed " + caseSeed + " --count 1 --subject " + subject.name();
    }
}
