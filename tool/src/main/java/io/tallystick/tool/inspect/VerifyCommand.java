package io.tallystick.tool.inspect;

import com.eclipsesource.json.Json;
import com.eclipsesource.json.JsonArray;
import io.tallystick.store.spi.Damage;
import io.tallystick.store.spi.NoticedLoss;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.tool.command.AnyStoreCommand;
import io.tallystick.tool.command.Escaped;
import io.tallystick.tool.command.ExitStatus;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;

/** Reads every valid byte of a store, and reports all damage. */
@Command(
        name = "verify",
        description = {"Read a whole store and report all damage with its place; change nothing.", ""})
public final class VerifyCommand extends AnyStoreCommand {
    @Override
    protected ExitStatus run() throws IOException {
        StoreInspection inspection = inspect(false);
        if (output().isJson()) {
            output().json(InspectionReport.json(inspection).add("losses", lossesJson(losses())));
        } else {
            for (Damage damage : inspection.damages()) {
                output().line("%s", Escaped.message(damage.describe()));
            }
            for (String ignored : InspectionReport.ignored(inspection)) {
                output().line("%s", Escaped.message(ignored));
            }
            for (NoticedLoss loss : losses()) {
                output().line(
                                "loss missing=%s noticed=%s by %s",
                                Escaped.message(loss.missing()),
                                Escaped.message(loss.noticed()),
                                Escaped.message(loss.owner()));
            }
            output().line("%s", Escaped.place(InspectionReport.summary(inspection)));
            output().line(
                            "%s",
                            inspection.isHealthy()
                                    ? "healthy"
                                    : "damages=" + inspection.damages().size());
        }
        return inspection.isHealthy() && losses().isEmpty() ? ExitStatus.OK : ExitStatus.NEGATIVE;
    }

    /** For programs. */
    static JsonArray lossesJson(List<NoticedLoss> losses) {
        JsonArray json = Json.array();
        losses.forEach(loss -> json.add(Json.object()
                .add("missing", loss.missing())
                .add("noticed", loss.noticed())
                .add("owner", loss.owner())));
        return json;
    }
}
