package io.tallystick.tool.repair;

import com.eclipsesource.json.JsonObject;
import io.tallystick.store.spi.Damage;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.tool.command.Escaped;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.OwnerOption;
import io.tallystick.tool.command.Progress;
import io.tallystick.tool.command.StoreAccess;
import io.tallystick.tool.command.ToolException;
import io.tallystick.tool.inspect.InspectingCommand;
import java.io.IOException;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Makes a healthy store of the undamaged records of a damaged one, and keeps the damaged files. */
@Command(
        name = "repair",
        description = {
            "Replace a damaged store by a healthy one with every record that can be read whole. The damaged files are"
                    + " put aside and never deleted. Without --yes only say what would be done.",
            ""
        })
public final class RepairCommand extends InspectingCommand {
    @Option(names = "--yes", description = "do it")
    private boolean yes;

    @Option(names = "--dry-run", description = "only say what would be done; so without --yes")
    private boolean dryRun;

    @Mixin
    private OwnerOption owner;

    @Override
    protected ExitStatus run() throws IOException {
        if (yes && !dryRun) {
            return repair();
        }
        StoreInspection inspection = inspect();
        tell(inspection, "", "would be kept; nothing was changed, --yes does it", Optional.empty());
        return inspection.isHealthy() ? ExitStatus.OK : ExitStatus.NEGATIVE;
    }

    private ExitStatus repair() throws IOException {
        StoreAccess.SYSTEM.checkStore(directory());
        StoreAccess access = owner.accessTo(directory());
        try (Progress progress = output().progress("repairing");
                Repair repair = Repair.of(access, directory(), false, progress)) {
            String finished = repair.finishEarlier() ? "an exchange of files that was cut off is finished" : "";
            StoreInspection inspection = repair.inspection();
            if (inspection.isHealthy()) {
                tell(inspection, finished, "", Optional.empty());
                return ExitStatus.OK;
            }
            checkRepairable(inspection);
            StoreSwap.Aside aside = repair.rebuild(inspection, StoreSwap.Purpose.REPAIR, Instant.now(), Map.of());
            tell(inspection, finished, "are kept", Optional.of(aside.name()));
            StoreInspection repaired = repair.inspection();
            repaired.damages().forEach(left -> output().remark("still there: %s", Escaped.message(left.describe())));
            return repaired.isHealthy() ? ExitStatus.OK : ExitStatus.NEGATIVE;
        }
    }

    private static void checkRepairable(StoreInspection inspection) {
        for (Damage damage : inspection.damages()) {
            if (damage.kind() == Damage.Kind.NEWER) {
                throw new ToolException(ExitStatus.REFUSED, damage.describe());
            }
        }
        if (inspection.storeId().isEmpty()) {
            throw new ToolException(
                    ExitStatus.REFUSED,
                    "directory=" + inspection.directory() + ": no file is left that tells which store this was, so no"
                            + " record can be known for one of it; nothing was changed, restore a backup");
        }
    }

    private void tell(StoreInspection inspection, String finished, String kept, Optional<String> aside) {
        if (output().isJson()) {
            JsonObject answer = json(inspection).add("repaired", aside.isPresent());
            aside.ifPresent(name -> answer.add("quarantine", name));
            output().json(answer);
            return;
        }
        if (!finished.isEmpty()) {
            output().line(finished);
        }
        for (Damage damage : inspection.damages()) {
            output().line("%s", Escaped.message(damage.describe()));
        }
        if (inspection.isHealthy()) {
            output().line("%s", Escaped.of(summary(inspection)));
            output().line("healthy, there is nothing to repair");
            return;
        }
        output().line(
                        "damages=%d; records=%d %s",
                        inspection.damages().size(), inspection.records().size(), kept);
        aside.ifPresent(name -> output().line(
                        "the damaged files are in quarantine=%s; 'tallystick quarantine restore' puts them back",
                        name));
    }
}
