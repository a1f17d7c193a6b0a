package io.tallystick.tool.transfer;

import com.eclipsesource.json.Json;
import io.tallystick.storage.Disk;
import io.tallystick.storage.LossMark;
import io.tallystick.storage.StoreDirectory;
import io.tallystick.store.StoreOption;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.tool.command.BackupPlace;
import io.tallystick.tool.command.Escaped;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.Manifest;
import io.tallystick.tool.command.NewPlace;
import io.tallystick.tool.command.OwnerOption;
import io.tallystick.tool.command.Progress;
import io.tallystick.tool.command.StoreAccess;
import io.tallystick.tool.command.StoreAt;
import io.tallystick.tool.command.ToolCommand;
import io.tallystick.tool.command.ToolException;
import io.tallystick.tool.repair.Repair;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Makes a store of a backup. */
@Command(
        name = "restore",
        description = {
            "Make a store of a backup, in a new or an empty directory. The store gets an identity of its own.",
            ""
        })
public final class RestoreCommand extends ToolCommand {
    @Parameters(index = "0", paramLabel = "BACKUP", description = "a directory that 'backup' has made")
    private Path backup;

    @Parameters(index = "1", paramLabel = "DIRECTORY", description = "the directory of the new store")
    private Path directory;

    @Mixin
    private OwnerOption owner;

    @Override
    protected ExitStatus run() throws IOException {
        BackupPlace.checkBeside(StoreAccess.SYSTEM.disk(), backup, directory);
        NewPlace.checkOutsideStores(StoreAccess.SYSTEM.disk(), directory);
        Backup source = new Backup(StoreAccess.SYSTEM, backup);
        Manifest manifest = source.checked();
        StoreInspection held = source.inspection();
        if (!held.isHealthy()
                || !Integer.toString(held.records().size())
                        .equals(manifest.fields().get("records"))) {
            throw new ToolException(
                    ExitStatus.NEGATIVE,
                    "directory=" + backup.toAbsolutePath().normalize()
                            + " differs from its manifest; nothing was restored, use another" + " backup");
        }
        StoreAt.checkNoLink(
                StoreAccess.SYSTEM.disk(), directory.toAbsolutePath().normalize());
        checkMayTakeAStore(StoreAccess.SYSTEM.disk(), directory.toAbsolutePath().normalize());
        StoreAccess access = owner.accessTo(directory);
        try (Progress progress = output().progress("restoring");
                Repair repair = Repair.of(access, directory, true, progress)) {
            // First: a node that starts on the records must know which branches to leave alone.
            source.copyForgotten(access, directory.toAbsolutePath().normalize());
            if (!repair.finishEarlier()) {
                repair.replace(Optional.empty(), Instant.now(), made -> repair.copy(held, made, settings(manifest)));
                repair.finishEarlier();
            }
            print(repair.inspection());
        }
        return ExitStatus.OK;
    }

    private static Map<String, String> settings(Manifest manifest) {
        Map<String, String> settings = new LinkedHashMap<>(Backup.settingsOf(manifest));
        settings.keySet().retainAll(Set.of(StoreOption.JOURNAL_SEGMENT_SIZE.key()));
        return settings;
    }

    /** The leftovers of an earlier call do not count. */
    private static void checkMayTakeAStore(Disk disk, Path directory) throws IOException {
        if (disk.kindOf(directory) == Disk.PathKind.MISSING || StoreDirectory.isBeingExchanged(disk, directory)) {
            return;
        }
        boolean isEmpty = disk.kindOf(directory) == Disk.PathKind.DIRECTORY
                && disk.list(directory).stream()
                        .map(file -> file.getFileName().toString())
                        .allMatch(name -> name.equals(StoreDirectory.LOCK_FILE)
                                || name.equals(StoreDirectory.OWNER_FILE)
                                || LossMark.isOwnName(name)
                                || name.equals(StoreDirectory.QUARANTINE_DIRECTORY));
        if (!isEmpty) {
            throw new ToolException(
                    ExitStatus.REFUSED,
                    "directory=" + directory + " is not empty; a backup is restored into a new or an empty"
                            + " directory");
        }
    }

    private void print(StoreInspection restored) {
        String id = restored.storeId().map(Object::toString).orElse("");
        if (output().isJson()) {
            output().json(Json.object()
                    .add("directory", restored.directory().toString())
                    .add("records", restored.records().size())
                    .add("id", id));
        } else {
            output().line(
                            "restored=%s records=%d id=%s",
                            Escaped.place(restored.directory().toString()),
                            restored.records().size(),
                            id);
        }
    }
}
