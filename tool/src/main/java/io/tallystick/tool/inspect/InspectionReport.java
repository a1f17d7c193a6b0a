package io.tallystick.tool.inspect;

import com.eclipsesource.json.Json;
import com.eclipsesource.json.JsonArray;
import com.eclipsesource.json.JsonObject;
import io.tallystick.store.spi.Damage;
import io.tallystick.store.spi.InspectedFile;
import io.tallystick.store.spi.InspectedRecord;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.tool.command.StoreCommand;
import java.util.List;

/** A command on the files of a store, which may be too damaged to open. */
public abstract class InspectingCommand extends StoreCommand {
    /** For picocli. */
    protected InspectingCommand() {}

    /** One line with the identity of the store and its numbers of records and bytes. */
    protected static String summary(StoreInspection inspection) {
        return "directory=" + inspection.directory() + " kind=" + inspection.kind() + " id="
                + inspection.storeId().map(Object::toString).orElse("unknown") + " records="
                + inspection.records().size() + " files="
                + storeFiles(inspection).size() + " bytes="
                + storeFiles(inspection).stream()
                        .mapToLong(InspectedFile::bytes)
                        .sum()
                + inspection.holder().map(holder -> " in-use-by=" + holder).orElse("");
    }

    protected static List<InspectedFile> storeFiles(StoreInspection inspection) {
        return inspection.files().stream()
                .filter(file -> file.role().isStores())
                .toList();
    }

    /** As {@link #summary}, for programs, with each place of damage. */
    protected static JsonObject json(StoreInspection inspection) {
        JsonObject answer = Json.object()
                .add("directory", inspection.directory().toString())
                .add("kind", inspection.kind())
                .add("records", inspection.records().size())
                .add(
                        "stateBytes",
                        inspection.records().stream()
                                .mapToLong(InspectedRecord::bytes)
                                .sum())
                .add("files", storeFiles(inspection).size())
                .add(
                        "bytes",
                        storeFiles(inspection).stream()
                                .mapToLong(InspectedFile::bytes)
                                .sum())
                .add("healthy", inspection.isHealthy());
        inspection.storeId().ifPresent(id -> answer.add("id", id.toString()));
        inspection.holder().ifPresent(holder -> answer.add("holder", holder));
        JsonArray damages = Json.array();
        for (Damage damage : inspection.damages()) {
            JsonObject each = Json.object()
                    .add("file", damage.file().toString())
                    .add("offset", damage.offset())
                    .add("kind", damage.kind().label());
            damage.key().ifPresent(key -> each.add("key", key.toString()));
            damages.add(each.add("reason", damage.reason())
                    .add("meaning", damage.kind().meaning())
                    .add("remedy", damage.kind().remedy()));
        }
        return answer.add("damages", damages);
    }
}
