package io.tallystick.narayana.logs.record;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * A transaction whose record stays in the log: one model for the tool, management clients, metrics and endpoints. Its
 * names and words are those of docs/in-doubt.md. State bytes, users and passwords are never part of it.
 *
 * @param logged what its record tells
 * @param age how old it is
 * @param isAgeOfRecord whether the age counts from its beginning, as the record has it; otherwise it counts from the
 *     first look that saw the record
 * @param tries what recovery of this process has done for it
 */
public record InDoubtTransaction(LoggedTransaction logged, Duration age, boolean isAgeOfRecord, RecoveryTries tries) {
    public InDoubtTransaction {
        Objects.requireNonNull(logged);
        Objects.requireNonNull(age);
        Objects.requireNonNull(tries);
    }

    /**
     * The transaction now.
     *
     * @param now the time of day; a clock that runs behind gives an age of 0
     * @param sinceFirstSeen the age where the record does not tell one
     */
    public static InDoubtTransaction at(
            Instant now, LoggedTransaction logged, Duration sinceFirstSeen, RecoveryTries tries) {
        Optional<Duration> ofRecord = logged.created().map(created -> Duration.between(created, now));
        Duration age = ofRecord.orElse(sinceFirstSeen);
        return new InDoubtTransaction(logged, age.isNegative() ? Duration.ZERO : age, ofRecord.isPresent(), tries);
    }

    /** The same with the last errors of its branches that are known elsewhere than in the log. */
    public InDoubtTransaction withLastErrors(Function<BranchId, Optional<String>> lastErrors) {
        List<InDoubtParticipant> participants = logged.participants().stream()
                .map(each -> each.withLastError(each.xid().flatMap(lastErrors)))
                .toList();
        return new InDoubtTransaction(logged.withParticipants(participants), age, isAgeOfRecord, tries);
    }

    /**
     * The values by their names, in their order: texts, numbers, and a list of such maps for the participants. A value
     * that is not known is left out.
     */
    public Map<String, Object> details() {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("uid", logged.uid());
        details.put("type", logged.key().type());
        details.put("state", logged.state().label());
        logged.phase().ifPresent(phase -> details.put("phase", phase));
        details.put("decision", logged.decision().label());
        logged.node().ifPresent(node -> details.put("node", node));
        logged.parent().ifPresent(parent -> details.put("parent", parent.toString()));
        logged.created().ifPresent(created -> details.put("created", created.toString()));
        details.put("ageSeconds", age.toSeconds());
        details.put("ageSince", isAgeOfRecord ? "record" : "first-seen");
        details.put("tries", tries.count());
        tries.next().ifPresent(next -> details.put("nextTrySeconds", next.toSeconds()));
        logged.remark().ifPresent(remark -> details.put("remark", remark));
        details.put(
                "participants",
                logged.participants().stream().map(InDoubtParticipant::details).toList());
        return details;
    }

    /** One line for people; control characters are replaced. */
    @Override
    public String toString() {
        StringBuilder line = new StringBuilder();
        append(details(), line);
        return line.toString().replaceAll("\\p{C}", "?");
    }

    private static void append(Map<?, ?> details, StringBuilder line) {
        String separator = "";
        for (Map.Entry<?, ?> each : details.entrySet()) {
            line.append(separator).append(each.getKey()).append('=');
            if (each.getValue() instanceof List<?> list) {
                line.append('[');
                String between = "";
                for (Object entry : list) {
                    line.append(between);
                    append((Map<?, ?>) entry, line);
                    between = ", ";
                }
                line.append(']');
            } else {
                line.append(each.getValue());
            }
            separator = " ";
        }
    }
}
