package io.tallystick.tool.inspect;

import com.eclipsesource.json.Json;
import com.eclipsesource.json.JsonObject;
import io.tallystick.storage.Mount;
import io.tallystick.storage.StoreGlance;
import io.tallystick.storage.StorePlace;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreOption;
import io.tallystick.store.spi.InspectedFile;
import io.tallystick.store.spi.InspectedRecord;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.tool.command.AnyStoreCommand;
import io.tallystick.tool.command.Escaped;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.StoreAt;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import picocli.CommandLine.Command;

/** Shows the numbers of records and bytes in a store. */
@Command(
        name = "stat",
        description = {
            "Show the identity of a store, the process that has it, its records and bytes by type, and in which"
                    + " files.",
            ""
        })
public final class StatCommand extends AnyStoreCommand {
    /** A number of records and their bytes. */
    private record Sum(long count, long bytes) {
        static final Sum NONE = new Sum(0, 0);

        Sum plus(long moreBytes) {
            return new Sum(count + 1, bytes + moreBytes);
        }

        JsonObject json() {
            return Json.object().add("count", count).add("bytes", bytes);
        }
    }

    @Override
    protected ExitStatus run() throws IOException {
        boolean isRemote = remoteLog().isPresent();
        Optional<StoreAt> store = isRemote ? Optional.empty() : Optional.of(StoreAt.find(directory()));
        StoreInspection inspection = inspect(false);
        Map<String, Sum> types = new TreeMap<>();
        Map<StateStatus, Sum> statuses = new EnumMap<>(StateStatus.class);
        Sum all = Sum.NONE;
        for (InspectedRecord record : inspection.records()) {
            all = all.plus(record.bytes());
            types.merge(record.key().type(), Sum.NONE.plus(record.bytes()), (sum, one) -> sum.plus(one.bytes));
            statuses.merge(record.status(), Sum.NONE.plus(record.bytes()), (sum, one) -> sum.plus(one.bytes));
        }
        Map<InspectedFile.Role, Sum> files = new EnumMap<>(InspectedFile.Role.class);
        for (InspectedFile file : inspection.files()) {
            files.merge(file.role(), Sum.NONE.plus(file.bytes()), (sum, one) -> sum.plus(one.bytes));
        }
        if (output().isJson()) {
            JsonObject typesJson = Json.object();
            types.forEach((type, sum) -> typesJson.add(type, sum.json()));
            JsonObject statusesJson = Json.object();
            statuses.forEach((status, sum) -> statusesJson.add(status.name(), sum.json()));
            JsonObject filesJson = Json.object();
            files.forEach((role, sum) -> filesJson.add(role.name().toLowerCase(Locale.ROOT), sum.json()));
            JsonObject answer = store.isPresent() ? jsonOf(store.get()) : jsonOf(inspection);
            output().json(answer.add("inUseBy", inspection.holder().orElse(""))
                    .add("records", all.count)
                    .add("bytes", all.bytes)
                    .add("statuses", statusesJson)
                    .add("types", typesJson)
                    .add(isRemote ? "rows" : "files", filesJson)
                    .add("damages", inspection.damages().size())
                    .add("losses", VerifyCommand.lossesJson(losses())));
        } else {
            if (store.isPresent()) {
                print(store.get(), inspection);
            } else {
                print(inspection);
            }
            losses().forEach(loss ->
                    output().line("loss         %s, noticed=%s", Escaped.message(loss.missing()), loss.noticed()));
            output().line("records      %,d with %,d bytes of state", all.count, all.bytes);
            statuses.forEach((status, sum) -> output().line("  %,10d %,14d bytes  %s", sum.count, sum.bytes, status));
            output().line("types        %,d", types.size());
            types.forEach(
                    (type, sum) -> output().line("  %,10d %,14d bytes  %s", sum.count, sum.bytes, Escaped.of(type)));
            output().line(
                            (isRemote ? "rows         " : "files        ") + "%,d",
                            inspection.files().size());
            files.forEach((role, sum) -> output().line(
                            "  %,10d %,14d bytes  %s",
                            sum.count, sum.bytes, role.name().toLowerCase(Locale.ROOT)));
        }
        return DamageRemark.of(inspection, output());
    }

    private void print(StoreAt store, StoreInspection inspection) throws IOException {
        output().line("directory    %s", Escaped.place(store.directory().toString()));
        output().line("store        %s (%s)", store.name(), store.identity().kind());
        output().line("id           %s", store.identity().id());
        nodeOf(store).ifPresent(each -> output().line("node         %s", each));
        placeOf(store).ifPresent(each -> output().line("place        %s", Escaped.message(each)));
        acceptedIn(store).ifPresent(each -> output().line("accepted     %s", Escaped.message(each)));
        printHolder(inspection);
        output().line(
                        "file system  %s, %,d bytes free",
                        Mount.of(store.directory()).type(), new SystemDisk().usableSpace(store.directory()));
    }

    private void print(StoreInspection inspection) {
        output().line("log          %s", Escaped.place(inspection.place()));
        output().line("store        %s (%s)", inspection.settings().get(StoreOption.STORE.key()), inspection.kind());
        output().line("id           %s", inspection.storeId().orElseThrow());
        printHolder(inspection);
    }

    private void printHolder(StoreInspection inspection) {
        output().line(
                        "in use       %s",
                        inspection
                                .holder()
                                .map(by -> "by " + Escaped.message(by))
                                .orElse("no"));
    }

    private static JsonObject jsonOf(StoreAt store) throws IOException {
        return Json.object()
                .add("directory", store.directory().toString())
                .add("kind", store.identity().kind())
                .add("id", store.identity().id().toString())
                .add("node", nodeOf(store).orElse(""))
                .add("placeRemark", placeOf(store).orElse(""))
                .add("acceptedCopy", acceptedIn(store).orElse(""))
                .add("fileSystem", Mount.of(store.directory()).type())
                .add("freeBytes", new SystemDisk().usableSpace(store.directory()));
    }

    private static JsonObject jsonOf(StoreInspection inspection) {
        return Json.object()
                .add("place", inspection.place())
                .add("kind", inspection.kind())
                .add("id", inspection.storeId().orElseThrow().toString())
                .add("node", inspection.settings().get(StoreOption.NODE_ID.key()));
    }

    private static Optional<String> placeOf(StoreAt store) {
        return StorePlace.remarkOn(new SystemDisk(), store.directory(), store.identity());
    }

    private static Optional<String> acceptedIn(StoreAt store) {
        return StorePlace.acceptedBecause(new SystemDisk(), store.directory(), store.identity());
    }

    private static Optional<String> nodeOf(StoreAt store) throws IOException {
        return StoreGlance.at(new SystemDisk(), store.directory()).flatMap(StoreGlance::nodeId);
    }
}
