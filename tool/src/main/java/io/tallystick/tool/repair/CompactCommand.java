package io.tallystick.tool.repair;

import com.eclipsesource.json.Json;
import io.tallystick.store.StoreOption;
import io.tallystick.store.spi.InspectedFile;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.OwnerOption;
import io.tallystick.tool.command.Progress;
import io.tallystick.tool.command.StoreAccess;
import io.tallystick.tool.command.StoreCommand;
import io.tallystick.tool.command.ToolException;
import io.tallystick.tool.inspect.InspectionReport;
import java.io.IOException;
import java.time.Instant;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Copies a store into as few files as its records need. */
@Command(
        name = "compact",
        description = {
            "Bring a store that is not open to its smallest form: the same records in as few files as possible.",
            ""
        })
public final class CompactCommand extends StoreCommand {
    @Mixin
    private OwnerOption owner;

    @Override
    protected ExitStatus run() throws IOException {
        StoreAccess.SYSTEM.checkStore(directory());
        StoreAccess access = owner.accessTo(directory());
        try (Progress progress = output().progress("compacting");
                Repair repair = Repair.of(access, directory(), false, progress)) {
            repair.finishEarlier();
            StoreInspection before = repair.inspection();
            if (!before.isHealthy()) {
                throw new ToolException(
                        ExitStatus.NEGATIVE,
                        before.damages().get(0).describe() + "; a damaged store is not compacted: nothing was changed");
            }
            repair.rebuild(before, StoreSwap.Purpose.COMPACT, Instant.now(), Map.of());
            repair.finishEarlier();
            print(before, repair.inspection());
        }
        return ExitStatus.OK;
    }

    private void print(StoreInspection before, StoreInspection after) {
        if (output().isJson()) {
            output().json(Json.object()
                    .add("records", after.records().size())
                    .add("filesBefore", InspectionReport.storeFiles(before).size())
                    .add("filesAfter", InspectionReport.storeFiles(after).size())
                    .add("bytesBefore", bytes(before))
                    .add("bytesAfter", bytes(after))
                    .add("id", after.storeId().map(Object::toString).orElse("")));
            return;
        }
        output().line(
                        "records=%d files=%d was=%d bytes=%d was=%d",
                        after.records().size(),
                        InspectionReport.storeFiles(after).size(),
                        InspectionReport.storeFiles(before).size(),
                        bytes(after),
                        bytes(before));
        if (bytes(after) >= bytes(before)) {
            output().remark(
                            "%s",
                            "journal".equals(after.settings().get(StoreOption.STORE.key()))
                                    ? "nothing was gained: a journal keeps some files of"
                                            + " tallystick.journal.segment-size, four segments with the engine"
                                            + " segmented, and this one has no more"
                                    : "nothing was gained: a file store has one file for each record at least");
        }
    }

    private static long bytes(StoreInspection inspection) {
        return InspectionReport.storeFiles(inspection).stream()
                .mapToLong(InspectedFile::bytes)
                .sum();
    }
}
