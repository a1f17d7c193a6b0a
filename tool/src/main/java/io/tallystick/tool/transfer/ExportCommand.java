package io.tallystick.tool.transfer;

import com.eclipsesource.json.Json;
import io.tallystick.narayana.logs.SettledTrail;
import io.tallystick.store.spi.InspectedRecord;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.tool.command.AnyStoreCommand;
import io.tallystick.tool.command.Escaped;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.ForgottenFiles;
import io.tallystick.tool.command.NewPlace;
import io.tallystick.tool.command.Progress;
import io.tallystick.tool.command.StoreAccess;
import io.tallystick.tool.command.ToolException;
import io.tallystick.tool.inspect.DamageRemark;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Writes a store's records as JSON lines. */
@Command(
        name = "export",
        description = {
            "Write the records of a store as JSON lines, with shadows and hidden keys, to standard output or a file.",
            ""
        })
public final class ExportCommand extends AnyStoreCommand {
    @Option(
            names = "--to",
            paramLabel = "FILE",
            description = "a new file instead of standard output; it appears when it is complete and on disk")
    private Path target;

    @Option(
            names = "--whole-only",
            description = "export the whole records of a damaged store; without it, damage is an error")
    private boolean isWholeOnly;

    @Override
    protected ExitStatus run() throws IOException {
        if (target != null) {
            NewPlace.checkOutsideStores(StoreAccess.SYSTEM.disk(), target);
        }
        Optional<NewFile> file = Optional.ofNullable(target).map(NewFile::new);
        StoreInspection inspection = inspect(false);
        if (!inspection.isHealthy() && !isWholeOnly) {
            DamageRemark.of(inspection, output());
            throw new ToolException(
                    ExitStatus.NEGATIVE,
                    inspection.place() + " is damaged, nothing was exported; --whole-only exports"
                            + " the whole records");
        }
        long records = file.isPresent() ? toFile(inspection, file.get()) : toStandardOutput(inspection);
        if (target != null && output().isJson()) {
            output().json(Json.object()
                    .add("records", records)
                    .add("file", target.toAbsolutePath().normalize().toString()));
        } else if (target != null || !output().out().checkError()) { // the end of the program tells of an error
            output().remark("%s", "exported " + records + (records == 1 ? " record" : " records"));
        }
        if (!inspection.isRemote()) {
            Path quarantine = SettledTrail.directoryIn(inspection.directory());
            ForgottenFiles.leftIn(StoreAccess.SYSTEM.disk(), quarantine).ifPresent(text -> output().remark(
                            "%s: %s", Escaped.place(quarantine.toString()), Escaped.message(text)));
        }
        return DamageRemark.of(inspection, output());
    }

    private long toStandardOutput(StoreInspection inspection) throws IOException {
        PrintWriter out = output().out();
        return write(inspection, new OutputStream() {
            @Override
            public void write(int one) {
                write(new byte[] {(byte) one}, 0, 1);
            }

            // Each call writes whole lines, so it has whole characters.
            @Override
            public void write(byte[] bytes, int offset, int length) {
                out.write(new String(bytes, offset, length, StandardCharsets.UTF_8));
            }
        });
    }

    private long toFile(StoreInspection inspection, NewFile file) throws IOException {
        file.write(stream -> write(inspection, stream));
        return inspection.records().size();
    }

    private long write(StoreInspection inspection, OutputStream stream) throws IOException {
        ExportWriter writer = new ExportWriter(
                stream,
                inspection.kind(),
                inspection.storeId().map(UUID::toString).orElse(""));
        int total = inspection.records().size();
        try (Progress progress = output().progress("exporting")) {
            for (InspectedRecord record : inspection.records()) {
                writer.record(record.key(), record.image());
                progress.at(writer.records(), total, "records");
            }
        }
        writer.finish();
        return writer.records();
    }
}
