package io.tallystick.tool.repair;

import com.eclipsesource.json.JsonObject;
import io.tallystick.store.spi.Damage;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.tool.command.Escaped;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.MarkedLoss;
import io.tallystick.tool.command.OwnerOption;
import io.tallystick.tool.command.Progress;
import io.tallystick.tool.command.StoreAccess;
import io.tallystick.tool.command.StoreCommand;
import io.tallystick.tool.command.ToolException;
import io.tallystick.tool.inspect.InspectionReport;
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
                    + " put aside and never deleted. Without --yes it only reports the plan.",
            ""
        })
public final class RepairCommand extends StoreCommand {
    @Option(names = "--yes", description = "carry out the repair")
    private boolean yes;

    @Option(names = "--dry-run", description = "only report the plan, as without --yes")
    private boolean dryRun;

    @Mixin
    private OwnerOption owner;

    @Override
    protected ExitStatus run() throws IOException {
        if (isCarriedOut()) {
            return repair();
        }
        StoreInspection inspection = inspect();
        print(inspection, "", "would be kept; nothing was changed, --yes carries it out", Optional.empty());
        MarkedLoss.told(StoreAccess.SYSTEM.disk(), inspection.directory())
                .ifPresent(line -> planned(line + ", also after a repair"));
        return inspection.isHealthy() ? ExitStatus.OK : ExitStatus.NEGATIVE;
    }

    private void planned(String line) {
        if (output().isJson()) {
            output().remark("%s", Escaped.message(line));
        } else {
            output().line("%s", Escaped.message(line));
        }
    }

    private boolean isCarriedOut() {
        return yes && !dryRun;
    }

    /** The damage without the advice to run this command. */
    private static String withoutRemedy(Damage damage) {
        String described = damage.describe();
        String remedy = "; " + damage.kind().remedy();
        return described.endsWith(remedy) ? described.substring(0, described.length() - remedy.length()) : described;
    }

    private ExitStatus repair() throws IOException {
        StoreAccess.SYSTEM.checkStore(directory());
        StoreAccess access = owner.accessTo(directory());
        try (Progress progress = output().progress("repairing");
                Repair repair = Repair.of(access, directory(), false, progress)) {
            String finished = repair.finishEarlier() ? "an exchange of files that was cut off is finished" : "";
            StoreInspection inspection = repair.inspection();
            if (inspection.isHealthy()) {
                print(inspection, finished, "", Optional.empty());
                return ExitStatus.OK;
            }
            checkRepairable(inspection);
            StoreSwap.QuarantinedFiles aside =
                    repair.rebuild(inspection, StoreSwap.Purpose.REPAIR, Instant.now(), Map.of());
            print(inspection, finished, "are kept", Optional.of(aside.name()));
            StoreInspection repaired = repair.inspection();
            repaired.damages().forEach(left -> output().remark("damage remains: %s", Escaped.message(left.describe())));
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
                    "directory=" + inspection.directory() + ": no file with the identity of the store is left, so no"
                            + " record can be assigned to it; nothing was changed, restore a backup");
        }
    }

    private void print(StoreInspection inspection, String finished, String kept, Optional<String> aside) {
        if (output().isJson()) {
            JsonObject answer = InspectionReport.json(inspection).add("repaired", aside.isPresent());
            if (isCarriedOut()) {
                answer.remove("holder"); // this process
            }
            aside.ifPresent(name -> answer.add("quarantine", name));
            output().json(answer);
            return;
        }
        if (!finished.isEmpty()) {
            output().line(finished);
        }
        for (Damage damage : inspection.damages()) {
            output().line("%s", Escaped.message(aside.isPresent() ? withoutRemedy(damage) : damage.describe()));
        }
        if (inspection.isHealthy()) {
            output().line(
                            "%s",
                            Escaped.place(
                                    isCarriedOut()
                                            ? InspectionReport.summaryOfOwned(inspection)
                                            : InspectionReport.summary(inspection)));
            output().line("healthy, no repair is needed");
            return;
        }
        output().line(
                        "damages=%d; records=%d %s",
                        inspection.damages().size(), inspection.records().size(), kept);
        if (aside.isPresent()) {
            output().line("settle lost records by hand with their resource managers; a backup may have them");
        }
        aside.ifPresent(name -> output().line(
                        "the damaged files are in quarantine=%s; 'tallystick quarantine restore' puts them back",
                        name));
    }
}
