package io.tallystick.tool.inspect;

import io.tallystick.store.spi.Damage;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.tool.command.AnyStoreCommand;
import io.tallystick.tool.command.Escaped;
import io.tallystick.tool.command.ExitStatus;
import java.io.IOException;
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
            output().json(InspectionReport.json(inspection));
        } else {
            for (Damage damage : inspection.damages()) {
                output().line("%s", Escaped.message(damage.describe()));
            }
            for (String ignored : InspectionReport.ignored(inspection)) {
                output().line("%s", Escaped.message(ignored));
            }
            output().line("%s", Escaped.of(InspectionReport.summary(inspection)));
            output().line(
                            "%s",
                            inspection.isHealthy()
                                    ? "healthy"
                                    : "damages=" + inspection.damages().size());
        }
        return inspection.isHealthy() ? ExitStatus.OK : ExitStatus.NEGATIVE;
    }
}
