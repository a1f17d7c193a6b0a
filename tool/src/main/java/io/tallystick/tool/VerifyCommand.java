package io.tallystick.tool;

import io.tallystick.store.spi.Damage;
import io.tallystick.store.spi.StoreInspection;
import java.io.IOException;
import picocli.CommandLine.Command;

/** Reads every byte of a store that counts, and tells each damage. */
@Command(
        name = "verify",
        description = {"Read all of a store and tell each damage, with its place; change nothing.", ""})
final class VerifyCommand extends InspectingCommand {
    @Override
    protected ExitStatus run() throws IOException {
        StoreInspection inspection = inspect();
        if (output().isJson()) {
            output().json(json(inspection));
        } else {
            for (Damage damage : inspection.damages()) {
                output().line("%s", Escaped.message(damage.describe()));
            }
            output().line("%s", Escaped.of(summary(inspection)));
            output().line(
                            "%s",
                            inspection.isHealthy()
                                    ? "healthy"
                                    : "damages=" + inspection.damages().size());
        }
        return inspection.isHealthy() ? ExitStatus.OK : ExitStatus.NEGATIVE;
    }
}
