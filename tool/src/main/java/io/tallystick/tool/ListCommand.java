package io.tallystick.tool;

import com.eclipsesource.json.Json;
import com.eclipsesource.json.JsonArray;
import com.eclipsesource.json.JsonObject;
import io.tallystick.store.StateStatus;
import io.tallystick.store.spi.InspectedRecord;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.tool.narayana.NarayanaUid;
import java.io.IOException;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists the keys of a store. */
@Command(
        name = "list",
        description = {"List the keys of a store with their status and size.", ""})
final class ListCommand extends StoreCommand {
    @Option(names = "--type", paramLabel = "TYPE", description = "only this type and those below it")
    private String type;

    @Option(
            names = "--status",
            paramLabel = "STATUS",
            split = ",",
            description = "only these: ${COMPLETION-CANDIDATES}")
    private Set<StateStatus> statuses = Set.of();

    @Option(names = "--limit", paramLabel = "N", description = "stop after so many keys")
    private long limit = Long.MAX_VALUE;

    @Override
    protected ExitStatus run() throws IOException {
        StoreInspection inspection = inspect();
        String wanted = type == null ? null : Escaped.parse(type);
        JsonArray keys = Json.array();
        long listed = 0;
        for (InspectedRecord record : inspection.records()) {
            if (listed < limit && isWanted(record, wanted)) {
                listed++;
                if (output().isJson()) {
                    keys.add(json(record));
                } else {
                    output().line(
                                    "%-16s %9d  %s",
                                    record.status(),
                                    record.bytes(),
                                    Escaped.of(record.key().toString()));
                }
            }
        }
        if (output().isJson()) {
            output().json(Json.object()
                    .add("keys", keys)
                    .add("damages", inspection.damages().size()));
        }
        return DamageRemark.of(inspection, output());
    }

    private boolean isWanted(InspectedRecord record, String wanted) {
        String its = record.key().type();
        return (wanted == null || its.equals(wanted) || its.startsWith(wanted + "/"))
                && (statuses.isEmpty() || statuses.contains(record.status()));
    }

    private static JsonObject json(InspectedRecord record) {
        JsonObject json = Json.object()
                .add("key", record.key().toString())
                .add("type", record.key().type())
                .add("id", record.key().id().toString());
        if (record.key().id().length() == NarayanaUid.BYTES) {
            json.add("uid", NarayanaUid.text(record.key().id()));
        }
        return json.add("status", record.status().name()).add("bytes", record.bytes());
    }
}
