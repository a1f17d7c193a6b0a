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
 * What a run of a stage did and found.
 *
 * @param order what was asked for
 * @param counts what was counted, by subject, earlier runs that were resumed included
 * @param skipped why a subject was left out, by its name
 * @param violations what was found in this run
 * @param violationCounts how many were found, earlier runs included, by subject
 * @param elapsed how long it took, earlier runs included
 * @param finished whether the count was reached
 */
public record StageResult(
        StageOrder order,
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
        return order.subjects().stream()
                .filter(Subject::isOurs)
                .mapToLong(subject -> violationCounts.getOrDefault(subject.name(), 0L))
                .sum();
    }

    /** The last line of a run. */
    public String line() {
        String each = counts.entrySet().stream()
                .map(entry ->
                        entry.getKey() + " " + entry.getValue().of(order.stage().unit()))
                .collect(Collectors.joining(", "));
        long found =
                violationCounts.values().stream().mapToLong(Long::longValue).sum();
        return order.stage().name() + " seed=" + order.seed() + " " + total() + " (" + each + ") violations=" + found
                + String.format(Locale.ROOT, " seconds=%.1f", elapsed.toMillis() / 1000.0)
                + (finished ? "" : " unfinished: go on with --resume");
    }
}
