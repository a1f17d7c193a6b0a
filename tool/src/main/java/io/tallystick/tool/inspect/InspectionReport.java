package io.tallystick.tool.inspect;

import com.eclipsesource.json.Json;
import com.eclipsesource.json.JsonArray;
import com.eclipsesource.json.JsonObject;
import io.tallystick.store.spi.Damage;
import io.tallystick.store.spi.InspectedFile;
import io.tallystick.store.spi.InspectedRecord;
import io.tallystick.store.spi.StoreInspection;
import java.util.List;

/** What commands tell of a store that they have read. */
public final class InspectionReport {
    private InspectionReport() {}

    /** One line with the identity of the store and its numbers of records and bytes, and its owner. */
    public static String summary(StoreInspection inspection) {
        return summaryOfOwned(inspection)
                + inspection.holder().map(holder -> " in-use-by=" + holder).orElse("");
    }

    /** As {@link #summary}, where this process is the owner for the moment. */
    public static String summaryOfOwned(StoreInspection inspection) {
        return inspection.place() + " kind=" + inspection.kind() + " id="
                + inspection.storeId().map(Object::toString).orElse("unknown") + " records="
                + inspection.records().size() + (inspection.isRemote() ? " rows=" : " files=")
                + storeFiles(inspection).size() + " bytes="
                + storeFiles(inspection).stream()
                        .mapToLong(InspectedFile::bytes)
                        .sum();
    }

    /** The files, or the rows, that the life of the store depends on. */
    public static List<InspectedFile> storeFiles(StoreInspection inspection) {
        return inspection.files().stream()
                .filter(file -> file.role().isStores())
                .toList();
    }

    /** A line for each batch that is not whole and that nothing requires. */
    public static List<String> ignored(StoreInspection inspection) {
        return inspection.files().stream()
                .filter(file -> file.ignoredAt().isPresent())
                .map(file -> "ignored file=" + file.path() + " offset="
                        + file.ignoredAt().getAsLong() + ": a batch there is not whole, and nothing requires it. It was"
                        + " being written when the process or the machine stopped, or it was damaged within a second"
                        + " after it was written")
                .toList();
    }

    /** As {@link #summary}, for programs, with each place of damage and each batch that is ignored. */
    public static JsonObject json(StoreInspection inspection) {
        JsonObject answer = Json.object()
                .add(
                        inspection.isRemote() ? "place" : "directory",
                        inspection.isRemote()
                                ? inspection.place()
                                : inspection.directory().toString())
                .add("kind", inspection.kind())
                .add("records", inspection.records().size())
                .add(
                        "stateBytes",
                        inspection.records().stream()
                                .mapToLong(InspectedRecord::bytes)
                                .sum())
                .add(
                        inspection.isRemote() ? "rows" : "files",
                        storeFiles(inspection).size())
                .add(
                        "bytes",
                        storeFiles(inspection).stream()
                                .mapToLong(InspectedFile::bytes)
                                .sum())
                .add("healthy", inspection.isHealthy());
        inspection.storeId().ifPresent(id -> answer.add("id", id.toString()));
        inspection.holder().ifPresent(holder -> answer.add("holder", holder));
        JsonArray ignored = Json.array();
        for (InspectedFile file : inspection.files()) {
            file.ignoredAt()
                    .ifPresent(offset -> ignored.add(
                            Json.object().add("file", file.path().toString()).add("offset", offset)));
        }
        answer.add("ignored", ignored);
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
