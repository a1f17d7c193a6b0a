package io.tallystick.tool.transfer;

import io.tallystick.narayana.logs.SettledTrail;
import io.tallystick.storage.Disk;
import io.tallystick.storage.StoreDirectory;
import io.tallystick.storage.StorePlace;
import io.tallystick.store.StoreOption;
import io.tallystick.store.spi.InspectedFile;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.tool.command.BackupPlace;
import io.tallystick.tool.command.DirectoryTrees;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.ForgottenFiles;
import io.tallystick.tool.command.Manifest;
import io.tallystick.tool.command.Progress;
import io.tallystick.tool.command.StoreAccess;
import io.tallystick.tool.command.StoreCopy;
import io.tallystick.tool.command.ToolException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A backup: a directory with a closed store in {@code store}, and the {@link Manifest} {@code tallystick.backup} of its
 * files, which is written last. A backup without it is incomplete.
 */
final class Backup {
    static final String MANIFEST_FILE = BackupPlace.MANIFEST_FILE;
    static final String STORE = StoreDirectory.BACKUP_STORE;

    private static final String TITLE = StoreDirectory.BACKUP_TITLE;
    private static final String SETTINGS = "settings";

    private final StoreAccess access;
    private final Disk disk;
    private final Path directory;

    Backup(StoreAccess access, Path directory) {
        this.access = access;
        this.disk = access.disk();
        this.directory = directory.toAbsolutePath().normalize();
    }

    /**
     * Makes the backup.
     *
     * @param source the records of one moment
     * @throws ToolException the directory is not empty, or the written records differ from the read ones
     */
    Manifest make(StoreInspection source, Instant now, Progress progress) throws IOException {
        checkEmpty();
        Path store = directory.resolve(STORE);
        DirectoryTrees.make(disk, store);
        Map<String, String> settings = new LinkedHashMap<>();
        if (!"file".equals(source.settings().get(StoreOption.STORE.key()))) {
            settings.put(StoreOption.JOURNAL_SEGMENT_SIZE.key(), StoreCopy.smallSegmentBytes(source));
        }
        StoreInspection made = new StoreCopy(access, progress).copy(source, store, settings);
        deleteSpares(store, made);
        DirectoryTrees.delete(disk, store.resolve(StoreDirectory.LOCK_FILE));
        DirectoryTrees.delete(disk, store.resolve(StoreDirectory.OWNER_FILE));
        StorePlace.forget(disk, store);
        if (!source.isRemote()) {
            // After the records were read: of one that was forgotten before that, its file is there.
            ForgottenFiles.copy(
                    StoreAccess.SYSTEM.disk(),
                    SettledTrail.directoryIn(source.directory()),
                    disk,
                    SettledTrail.directoryIn(store));
        }
        DirectoryTrees.forceAll(disk, directory);
        Manifest manifest = new Manifest(TITLE, fields(source, now), entries(store));
        manifest.write(disk, directory.resolve(MANIFEST_FILE));
        return manifest;
    }

    /** Files without records: a store makes new ones when it needs them. */
    private void deleteSpares(Path store, StoreInspection made) throws IOException {
        for (InspectedFile file : made.files()) {
            if (file.role() == InspectedFile.Role.SPARE) {
                DirectoryTrees.delete(disk, store.resolve(file.path()));
            }
        }
        StoreCopy.checkSame(made, access.inspectorOf(store).inspect(store));
    }

    private void checkEmpty() throws IOException {
        switch (disk.kindOf(directory)) {
            case MISSING -> {
                return;
            }
            case DIRECTORY -> {
                if (disk.list(directory).isEmpty()) {
                    return;
                }
            }
            default -> {
                // another user's directory: the message below refuses it
            }
        }
        boolean isCutOff = disk.kindOf(directory.resolve(STORE)) == Disk.PathKind.DIRECTORY
                && disk.kindOf(directory.resolve(MANIFEST_FILE)) == Disk.PathKind.MISSING;
        throw new ToolException(
                ExitStatus.REFUSED,
                "directory=" + directory
                        + (isCutOff
                                ? " holds a backup that was cut off; delete it, or name a new directory"
                                : " is not empty; a backup goes into a new or an empty directory"));
    }

    private static Map<String, String> fields(StoreInspection source, Instant now) {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put(
                "source",
                source.isRemote() ? source.place() : source.directory().toString());
        fields.put("kind", source.kind());
        fields.put("id", source.storeId().map(Object::toString).orElse("unknown"));
        fields.put("taken", now.toString());
        fields.put("records", Integer.toString(source.records().size()));
        List<String> settings = new ArrayList<>();
        source.settings().forEach((key, value) -> settings.add(key + "=" + value));
        fields.put(SETTINGS, String.join(" ", settings));
        return fields;
    }

    private List<Manifest.Entry> entries(Path store) throws IOException {
        List<Manifest.Entry> entries = new ArrayList<>();
        for (Path file : DirectoryTrees.files(disk, store)) {
            entries.add(Manifest.entryOf(disk, directory, file));
        }
        return entries;
    }

    /**
     * The manifest of a complete backup in which each file is as it was written.
     *
     * @throws ToolException the backup is not complete, or a file has changed
     */
    Manifest checked() throws IOException {
        if (disk.kindOf(directory) == Disk.PathKind.MISSING) {
            throw new ToolException(
                    ExitStatus.NO_STORE,
                    "directory=" + directory
                            + " does not exist; give a directory that 'tallystick backup' has made, or mount the volume"
                            + " that holds it");
        }
        Manifest manifest = Manifest.read(disk, directory.resolve(MANIFEST_FILE), TITLE)
                .orElseThrow(() -> new ToolException(
                        ExitStatus.NEGATIVE,
                        "directory=" + directory + " holds no complete backup: it has no " + MANIFEST_FILE
                                + ", which is written last; use another backup"));
        List<Manifest.Entry> found = entries(directory.resolve(STORE));
        for (Manifest.Entry entry : manifest.entries()) {
            if (!found.contains(entry)) {
                throw new ToolException(
                        ExitStatus.NEGATIVE,
                        "file=" + directory.resolve(entry.path())
                                + " is missing or has changed: its size or its checksum differs; nothing"
                                + " was restored, use another backup");
            }
        }
        if (found.size() != manifest.entries().size()) {
            throw new ToolException(
                    ExitStatus.NEGATIVE,
                    "directory=" + directory.resolve(STORE) + " has " + found.size() + " files, but the backup was made"
                            + " with " + manifest.entries().size() + "; nothing was restored");
        }
        return manifest;
    }

    /** Puts what tells of forgotten records into the quarantine of the store that is made of the backup. */
    int copyForgotten(StoreAccess other, Path target) throws IOException {
        return ForgottenFiles.copy(
                disk,
                SettledTrail.directoryIn(directory.resolve(STORE)),
                other.disk(),
                SettledTrail.directoryIn(target));
    }

    /** The records of the backup. */
    StoreInspection inspection() throws IOException {
        Path store = directory.resolve(STORE);
        return access.inspectorOf(store).inspect(store);
    }

    /** The settings of the store that was backed up. */
    static Map<String, String> settingsOf(Manifest manifest) {
        Map<String, String> settings = new LinkedHashMap<>();
        for (String setting : manifest.fields().getOrDefault(SETTINGS, "").split(" ")) {
            int equals = setting.indexOf('=');
            if (equals > 0) {
                settings.put(setting.substring(0, equals), setting.substring(equals + 1));
            }
        }
        return settings;
    }
}
