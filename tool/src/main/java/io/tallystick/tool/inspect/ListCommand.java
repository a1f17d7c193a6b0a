package io.tallystick.tool.inspect;

import com.eclipsesource.json.Json;
import com.eclipsesource.json.JsonArray;
import com.eclipsesource.json.JsonObject;
import io.tallystick.narayana.logs.NarayanaUid;
import io.tallystick.narayana.logs.record.ActionRecord;
import io.tallystick.narayana.logs.record.InDoubtTransaction;
import io.tallystick.narayana.logs.record.LoggedTransaction;
import io.tallystick.narayana.logs.record.RecordState;
import io.tallystick.narayana.logs.record.RecoveryTries;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.spi.InspectedRecord;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.tool.command.AnyStoreCommand;
import io.tallystick.tool.command.Escaped;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.narayana.RecordText;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists the keys of a store. */
@Command(
        name = "list",
        description = {
            "List the keys of a store with their status and size; of Narayana's records state and age, too.",
            ""
        })
public final class ListCommand extends AnyStoreCommand {
    @Option(names = "--type", paramLabel = "TYPE", description = "only this type and those below it")
    private String type;

    @Option(
            names = "--status",
            paramLabel = "STATUS",
            split = ",",
            description = "only these: ${COMPLETION-CANDIDATES}")
    private Set<StateStatus> statuses = Set.of();

    @Option(
            names = "--in-doubt",
            description = "only transactions of Narayana's with a participant that may not know the outcome yet")
    private boolean isInDoubtOnly;

    @Option(
            names = "--participants",
            description = "below each transaction of Narayana's its decision, and a line for each participant")
    private boolean isWithParticipants;

    @Option(names = "--limit", paramLabel = "N", description = "stop after this many keys, 1 or more")
    private long limit = Long.MAX_VALUE;

    @Override
    protected ExitStatus run() throws IOException {
        checkPositive("--limit", limit);
        StoreInspection inspection = inspect(false);
        Instant now = Instant.now();
        String wanted = type == null ? null : Escaped.parse(type);
        JsonArray keys = Json.array();
        long found = 0;
        for (InspectedRecord record : inspection.records()) {
            if (isWanted(record, wanted)) {
                Optional<ActionRecord> decoded = isInDoubtOnly || found < limit ? decoded(record) : Optional.empty();
                if (!isInDoubtOnly || decoded.filter(ActionRecord::isInDoubt).isPresent()) {
                    found++;
                    if (found <= limit) {
                        if (output().isJson()) {
                            keys.add(json(record, decoded, now));
                        } else {
                            print(record, decoded, now);
                            if (isWithParticipants) {
                                transaction(record, decoded, now).ifPresent(this::printParticipants);
                            }
                        }
                    }
                }
            }
        }
        if (found > limit && !output().isJson()) {
            output().remark("%,d of %,d keys; --limit left out the others", limit, found);
        }
        if (found == 0 && !output().isJson() && inspection.isHealthy()) {
            output().remark(
                            "%s",
                            Escaped.place(inspection.place()) + ": "
                                    + (inspection.records().isEmpty()
                                            ? "the store is empty"
                                            : "none of " + inspection.records().size() + " keys matches the options"
                                                    + withSlash(inspection, wanted)));
        }
        if (output().isJson()) {
            output().json(Json.object()
                    .add("keys", keys)
                    .add("keysInAll", found)
                    .add("truncated", found > limit)
                    .add("damages", inspection.damages().size()));
        }
        return DamageRemark.of(inspection, output());
    }

    /** Advice where the slash at the beginning of a type is missing; empty for none. */
    private static String withSlash(StoreInspection inspection, String wanted) {
        String type = "/" + wanted;
        boolean isMeant = wanted != null
                && !wanted.startsWith("/")
                && inspection.records().stream().anyMatch(record -> isOf(type, record.key()));
        return isMeant ? "; did you mean --type " + Escaped.of(type) + "?" : "";
    }

    private static boolean isOf(String type, StateKey key) {
        return key.type().equals(type) || key.type().startsWith(type + "/");
    }

    private boolean isWanted(InspectedRecord record, String wanted) {
        return (wanted == null || isOf(wanted, record.key()))
                && (statuses.isEmpty() || statuses.contains(record.status()));
    }

    /** The decoded state if Narayana wrote it; empty for other states. */
    static Optional<ActionRecord> decoded(InspectedRecord record) {
        byte[] state = record.image().committed() != null
                ? record.image().committed()
                : record.image().shadow();
        return record.key().id().length() == NarayanaUid.BYTES && state != null
                ? Optional.of(ActionRecord.decode(record.key().type(), state))
                : Optional.empty();
    }

    private void print(InspectedRecord record, Optional<ActionRecord> decoded, Instant now) {
        output().line(
                        "%-16s %-11s %4s %9d  %s",
                        record.status(),
                        decoded.map(ActionRecord::state)
                                .orElse(RecordState.OTHER)
                                .label(),
                        decoded.flatMap(ActionRecord::created)
                                .map(created -> text(Duration.between(created, now)))
                                .orElse("-"),
                        record.bytes(),
                        Escaped.of(record.key().toString()));
    }

    private void printParticipants(InDoubtTransaction transaction) {
        LoggedTransaction logged = transaction.logged();
        output().line(
                        "  uid=%s phase=%s decision=%s node=%s",
                        logged.uid(),
                        Escaped.of(logged.phase().orElse("-")),
                        logged.decision().label(),
                        Escaped.of(logged.node().orElse("-")));
        logged.participants().forEach(participant -> output().line(
                        "  %-18s %s%s",
                        participant.state().label(),
                        Escaped.of(participant.resource().orElse("-")),
                        participant
                                .lastError()
                                .map(error -> " lastError=" + Escaped.of(error))
                                .orElse("")));
    }

    /** The transaction that the record stands for; empty for another record. */
    static Optional<InDoubtTransaction> transaction(
            InspectedRecord record, Optional<ActionRecord> decoded, Instant now) {
        return decoded.filter(known -> LoggedTransaction.isOf(record.key().type()))
                .map(known -> InDoubtTransaction.at(
                        now, LoggedTransaction.of(record.key(), known), Duration.ZERO, RecoveryTries.NONE));
    }

    /** The age in the largest whole unit. A clock that runs behind gives an age of 0. */
    public static String text(Duration age) {
        if (age.toDays() > 0) {
            return age.toDays() + "d";
        }
        if (age.toHours() > 0) {
            return age.toHours() + "h";
        }
        return age.toMinutes() > 0 ? age.toMinutes() + "m" : Math.max(0, age.toSeconds()) + "s";
    }

    /** Without what the log alone cannot tell: tries of recovery, and an age where the record has none. */
    static Map<String, Object> ofTheLog(InDoubtTransaction transaction) {
        Map<String, Object> details = transaction.details();
        details.remove("tries");
        if (!transaction.isAgeOfRecord()) {
            details.remove("ageSeconds");
            details.remove("ageSince");
        }
        return details;
    }

    private static JsonObject json(InspectedRecord record, Optional<ActionRecord> decoded, Instant now) {
        JsonObject json = Json.object()
                .add("key", record.key().toString())
                .add("type", record.key().type())
                .add("id", record.key().id().toString());
        if (record.key().id().length() == NarayanaUid.BYTES) {
            json.add("uid", NarayanaUid.text(record.key().id()));
        }
        json.add("status", record.status().name()).add("bytes", record.bytes());
        decoded.filter(known -> known.state() != RecordState.OTHER)
                .ifPresent(known -> json.add("state", known.state().label()));
        decoded.flatMap(ActionRecord::created).ifPresent(created -> json.add("created", created.toString())
                .add("ageSeconds", Math.max(0, Duration.between(created, now).toSeconds())));
        transaction(record, decoded, now)
                .ifPresent(known -> json.add("transaction", RecordText.toJson(ofTheLog(known))));
        return json;
    }
}
