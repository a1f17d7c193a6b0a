package io.tallystick.durability.stage;

import io.tallystick.durability.Counts;
import io.tallystick.durability.Violation;
import io.tallystick.durability.subject.Subject;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The result of a run of a stage.
 *
 * @param request the arguments of the run
 * @param counts the counters by subject, including earlier runs that were resumed
 * @param skipped the reason for each subject that was left out, by its name
 * @param violations the violations of this run
 * @param violationCounts number of violations by subject, including earlier runs
 * @param elapsed duration, including earlier runs
 * @param finished whether the count was reached
 */
public record StageResult(
        StageRequest request,
        Map<String, Counts> counts,
        Map<String, String> skipped,
        List<Violation> violations,
        Map<String, Long> violationCounts,
        Duration elapsed,
        boolean finished) {
    public Counts total() {
        return counts.values().stream().reduce(Counts.NOTHING, Counts::plus);
    }

    public long violationsInOurs() {
        return request.subjects().stream()
                .filter(Subject::isOurs)
                .mapToLong(subject -> violationCounts.getOrDefault(subject.name(), 0L))
                .sum();
    }

    /** The last line of a run. */
    public String line() {
        String each = counts.entrySet().stream()
                .map(entry -> entry.getKey() + " "
                        + entry.getValue().of(request.stage().unit()))
                .collect(Collectors.joining(", "));
        long found =
                violationCounts.values().stream().mapToLong(Long::longValue).sum();
        return request.stage().name() + " seed=" + request.seed() + " " + total() + " (" + each + ") violations="
                + found
                + String.format(Locale.ROOT, " seconds=%.1f", elapsed.toMillis() / 1000.0)
                + (finished ? "" : " unfinished: continue with --resume");
    }
}
