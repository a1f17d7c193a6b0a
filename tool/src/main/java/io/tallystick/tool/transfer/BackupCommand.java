package io.tallystick.tool.transfer;

import com.eclipsesource.json.Json;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.tool.command.AnyStoreCommand;
import io.tallystick.tool.command.BackupPlace;
import io.tallystick.tool.command.Escaped;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.Manifest;
import io.tallystick.tool.command.NewPlace;
import io.tallystick.tool.command.OwnerOption;
import io.tallystick.tool.command.Progress;
import io.tallystick.tool.command.StoreAccess;
import io.tallystick.tool.command.StoreAt;
import io.tallystick.tool.command.ToolException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Copies the records of a store at one moment. */
@Command(
        name = "backup",
        description = {
            "Copy the records of a store at one moment into a new directory, and check the copy. A segmented journal"
                    + " and a log in a database may be in use and their writers go on; other stores must be closed. The"
                    + " copy of a log in a database is a journal.",
            ""
        })
public final class BackupCommand extends AnyStoreCommand {
    @Parameters(index = "1", arity = "0..1", paramLabel = "BACKUP", description = "a new or an empty directory")
    private String second;

    @Mixin
    private OwnerOption owner;

    @Override
    protected ExitStatus run() throws IOException {
        Path target = pathOperand(second).toAbsolutePath().normalize();
        try (Progress progress = output().progress("copying")) {
            StoreInspection source = inspect(true);
            if (!source.isHealthy()) {
                throw new ToolException(
                        ExitStatus.NEGATIVE,
                        source.damages().get(0).describe() + "; a damaged store is not backed up: nothing was written");
            }
            StoreAt.checkNoLink(StoreAccess.SYSTEM.disk(), target);
            if (!source.isRemote()) {
                BackupPlace.checkBeside(StoreAccess.SYSTEM.disk(), source.directory(), target);
            }
            NewPlace.checkOutsideStores(StoreAccess.SYSTEM.disk(), target);
            Manifest manifest = new Backup(owner.accessTo(target), target).make(source, Instant.now(), progress);
            long bytes =
                    manifest.entries().stream().mapToLong(Manifest.Entry::bytes).sum();
            if (output().isJson()) {
                output().json(Json.object()
                        .add("backup", target.toString())
                        .add("records", source.records().size())
                        .add("files", manifest.entries().size())
                        .add("bytes", bytes)
                        .add("inUse", source.holder().isPresent()));
            } else {
                output().line(
                                "backup=%s records=%d files=%d bytes=%d",
                                Escaped.place(target.toString()),
                                source.records().size(),
                                manifest.entries().size(),
                                bytes);
            }
        }
        return ExitStatus.OK;
    }
}
