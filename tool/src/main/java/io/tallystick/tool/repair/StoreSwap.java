package io.tallystick.tool.repair;

import io.tallystick.storage.Disk;
import io.tallystick.storage.SmallFile;
import io.tallystick.storage.StoreDirectory;
import io.tallystick.storage.StoreIdentity;
import io.tallystick.storage.StorePlace;
import io.tallystick.tool.command.DirectoryTrees;
import io.tallystick.tool.command.Escaped;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.Manifest;
import io.tallystick.tool.command.ToolException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Exchanges the files of a store for those of another one. A crash leaves the old store, or the new one, or a state
 * that no store opens and {@link #finish} completes. Old files are put aside and never deleted.
 *
 * <p>docs/format/directory-v1.md has the steps. The caller owns the directory's lock throughout.
 */
public final class StoreSwap {
    static final String MANIFEST_TITLE = "tallystick-quarantine 1";

    private static final String NEW = "new";
    private static final String FILES = "files";
    private static final String MANIFEST = "manifest";
    private static final int MAX_NAME_BYTES = 256;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9.-]{0,100}");

    private static final Pattern OWN_NAME =
            Pattern.compile("\\d{4,}-\\d\\d-\\d\\dT\\d\\d-\\d\\d-\\d\\dZ-(repair|restore|compact)");
    private static final Set<String> MANIFESTS = Set.of(MANIFEST, MANIFEST + ".tmp");

    private final Disk disk;
    private final Path directory;
    private final Path quarantine;

    StoreSwap(Disk disk, Path directory) {
        this.disk = disk;
        this.directory = directory;
        this.quarantine = directory.resolve(StoreDirectory.QUARANTINE_DIRECTORY);
    }

    /** The files that one exchange put aside: its name and its manifest. */
    record QuarantinedFiles(String name, Manifest manifest) {}

    /** The name of an exchange that was cut off and has to be finished. */
    Optional<String> begun() throws IOException {
        return SmallFile.read(disk, directory.resolve(StoreDirectory.SWAP_FILE), MAX_NAME_BYTES)
                .map(bytes -> checkedName(new String(bytes, StandardCharsets.US_ASCII).strip()));
    }

    /** Deletes the leftovers of exchanges that never began, and the files that compactions have put aside. */
    void clean() throws IOException {
        if (disk.kindOf(quarantine) != Disk.PathKind.DIRECTORY) {
            return;
        }
        for (Path entry : disk.list(quarantine)) {
            if (isUnwanted(entry)) {
                DirectoryTrees.delete(disk, entry);
                disk.forceDirectory(quarantine);
            }
        }
        if (disk.list(quarantine).isEmpty()) {
            disk.delete(quarantine);
            disk.forceDirectory(directory);
        }
    }

    /** Only what {@link #begin} and {@link #swap} have made is ever deleted: people put files here too. */
    private boolean isUnwanted(Path entry) throws IOException {
        if (!isOwn(entry)) {
            return false;
        }
        boolean isUnfinished = disk.kindOf(entry.resolve(MANIFEST)) == Disk.PathKind.MISSING
                || disk.kindOf(entry.resolve(NEW)) != Disk.PathKind.MISSING;
        Optional<Manifest> manifest = manifestOf(entry);
        boolean isOfNothing = isUnfinished
                || manifest.filter(there -> there.entries().isEmpty()).isPresent();
        boolean isOfCompaction = manifest.filter(
                        there -> Purpose.COMPACT.label().equals(there.fields().get("purpose")))
                .isPresent();
        return isOfCompaction
                || isOfNothing
                        && DirectoryTrees.files(disk, entry.resolve(FILES)).isEmpty();
    }

    private boolean isOwn(Path entry) throws IOException {
        if (!isNamedByTool(entry) || disk.kindOf(entry) != Disk.PathKind.DIRECTORY) {
            return false;
        }
        for (Path path : disk.list(entry)) {
            String name = path.getFileName().toString();
            boolean isDirectory = disk.kindOf(path) == Disk.PathKind.DIRECTORY;
            if (!(isDirectory ? name.equals(NEW) || name.equals(FILES) : MANIFESTS.contains(name))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isNamedByTool(Path entry) {
        return OWN_NAME.matcher(entry.getFileName().toString()).matches();
    }

    /** The manifest; empty if there is none that can be trusted, and then nothing is deleted. */
    private Optional<Manifest> manifestOf(Path entry) throws IOException {
        try {
            return Manifest.read(disk, entry.resolve(MANIFEST), MANIFEST_TITLE);
        } catch (ToolException refused) {
            if (refused.status() != ExitStatus.NEGATIVE) {
                throw refused;
            }
            return Optional.empty();
        }
    }

    /** The reason why files were put aside. */
    public enum Purpose {
        /** They were damaged. */
        REPAIR,
        /** A backup or quarantined files took their place. */
        RESTORE,
        /** The same records have a smaller form; they are not kept. */
        COMPACT;

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** An empty directory, in which the new store is to be made, for {@link #swap}. */
    Path begin(String name) throws IOException {
        Path made = quarantine.resolve(checkedName(name)).resolve(NEW);
        if (disk.kindOf(quarantine) == Disk.PathKind.FILE) {
            throw new ToolException(
                    ExitStatus.REFUSED,
                    "file=" + quarantine + " is not a directory, and old files are put aside in one; nothing was"
                            + " changed, move it out of the directory");
        }
        if (disk.kindOf(made.getParent()) != Disk.PathKind.MISSING) {
            throw new ToolException(
                    ExitStatus.REFUSED, "directory=" + made.getParent() + " exists already; try again in a second");
        }
        DirectoryTrees.make(disk, made);
        return made;
    }

    /**
     * Puts the old files aside, and moves the new ones from the directory of {@link #begin} to their place.
     *
     * @param old the files of the old store
     * @param remarks about the old files, for the manifest
     */
    QuarantinedFiles swap(String name, Purpose purpose, List<Path> old, Map<String, String> remarks)
            throws IOException {
        Path entry = quarantine.resolve(checkedName(name));
        for (String own : List.of(StoreDirectory.LOCK_FILE, StoreDirectory.OWNER_FILE)) {
            DirectoryTrees.delete(disk, entry.resolve(NEW).resolve(own));
        }
        StorePlace.carryTo(disk, directory, entry.resolve(NEW));
        Optional<Path> inTheWay = inTheWay(entry.resolve(NEW), old, purpose);
        if (inTheWay.isPresent()) {
            DirectoryTrees.delete(disk, entry);
            clean();
            throw new ToolException(
                    ExitStatus.REFUSED,
                    "file=" + inTheWay.get() + " is not a file of the store, but has the name of one; nothing was"
                            + " changed, move it out of the directory");
        }
        DirectoryTrees.forceAll(disk, entry.resolve(NEW));
        DirectoryTrees.make(disk, entry.resolve(FILES));
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("purpose", purpose.label());
        fields.putAll(remarks);
        List<Manifest.Entry> entries = new ArrayList<>();
        for (Path file : old) {
            entries.add(Manifest.entryOf(disk, directory, file));
        }
        Manifest manifest = new Manifest(MANIFEST_TITLE, fields, entries);
        manifest.write(disk, entry.resolve(MANIFEST));
        SmallFile.replace(
                disk, directory.resolve(StoreDirectory.SWAP_FILE), (name + "\n").getBytes(StandardCharsets.US_ASCII));
        finish();
        return new QuarantinedFiles(name, manifest);
    }

    /** What the new store cannot take the place of; empty if there is nothing. */
    private Optional<Path> inTheWay(Path made, List<Path> old, Purpose purpose) throws IOException {
        for (Path path : disk.list(made)) {
            Path target = directory.resolve(path.getFileName());
            boolean isPutAside = old.stream().anyMatch(file -> file.startsWith(target));
            boolean isNote = path.endsWith(StoreDirectory.PLACE_FILE); // the new one replaces it
            // A directory of a store without records: it is put aside too. What a compaction puts aside is deleted.
            boolean isEmptied = disk.kindOf(target) == Disk.PathKind.DIRECTORY
                    && (purpose != Purpose.COMPACT || isWithoutFiles(target));
            if (!isPutAside && !isNote && !isEmptied && disk.kindOf(target) != Disk.PathKind.MISSING) {
                return Optional.of(target);
            }
        }
        return Optional.empty();
    }

    private boolean isWithoutFiles(Path tree) throws IOException {
        for (Path path : disk.list(tree)) {
            if (disk.kindOf(path) != Disk.PathKind.DIRECTORY || !isWithoutFiles(path)) {
                return false;
            }
        }
        return true;
    }

    /** Finishes the exchange that was begun, if there is one. */
    void finish() throws IOException {
        Optional<String> name = begun();
        if (name.isEmpty()) {
            return;
        }
        Path entry = quarantine.resolve(name.get());
        Manifest manifest = Manifest.read(disk, entry.resolve(MANIFEST), MANIFEST_TITLE)
                .orElseThrow(() -> new ToolException(
                        ExitStatus.FAILED,
                        "file=" + entry.resolve(MANIFEST) + " is missing, but an exchange of files was begun with it;"
                                + " restore the directory from a backup"));
        putAside(entry.resolve(FILES), manifest, entry.resolve(NEW));
        putInPlace(entry.resolve(NEW));
        disk.delete(directory.resolve(StoreDirectory.SWAP_FILE));
        disk.forceDirectory(directory);
    }

    private void putAside(Path files, Manifest manifest, Path made) throws IOException {
        Set<String> names = new LinkedHashSet<>();
        names.add(StoreIdentity.FILE_NAME);
        manifest.entries().forEach(entry -> names.add(entry.path().split("/")[0]));
        Set<String> replaced = replacedDirectories(made);
        names.addAll(replaced);
        for (String name : names) {
            // A file that was put aside is old, so a file of the same name here is new.
            boolean isOldHere = disk.kindOf(directory.resolve(name)) != Disk.PathKind.MISSING
                    && disk.kindOf(files.resolve(name)) == Disk.PathKind.MISSING
                    && (replaced.contains(name)
                            || manifest.entries().stream()
                                    .anyMatch(entry -> entry.path().equals(name)
                                            || entry.path().startsWith(name + "/")));
            if (isOldHere) {
                disk.rename(directory.resolve(name), files.resolve(name));
            }
            if (name.equals(StoreIdentity.FILE_NAME)) {
                force(files, directory);
            }
        }
        force(files, directory);
    }

    /** The directories here that a directory of the new store waits to replace; they are old. */
    private Set<String> replacedDirectories(Path made) throws IOException {
        Set<String> names = new LinkedHashSet<>();
        if (disk.kindOf(made) != Disk.PathKind.MISSING) {
            for (Path path : disk.list(made)) {
                if (disk.kindOf(directory.resolve(path.getFileName())) == Disk.PathKind.DIRECTORY) {
                    names.add(path.getFileName().toString());
                }
            }
        }
        return names;
    }

    private void putInPlace(Path made) throws IOException {
        if (disk.kindOf(made) == Disk.PathKind.MISSING) {
            return;
        }
        for (Path path : disk.list(made)) {
            if (!path.getFileName().toString().equals(StoreIdentity.FILE_NAME)) {
                disk.rename(path, directory.resolve(path.getFileName()));
            }
        }
        force(directory, made);
        Path identity = made.resolve(StoreIdentity.FILE_NAME);
        if (disk.kindOf(identity) != Disk.PathKind.MISSING) {
            disk.rename(identity, directory.resolve(StoreIdentity.FILE_NAME));
            force(directory, made);
        }
        disk.delete(made);
        disk.forceDirectory(made.getParent());
    }

    private void force(Path first, Path second) throws IOException {
        disk.forceDirectory(first);
        disk.forceDirectory(second);
    }

    /** All exchanges that put files aside, the oldest first. */
    List<QuarantinedFiles> aside() throws IOException {
        List<QuarantinedFiles> found = new ArrayList<>();
        if (disk.kindOf(quarantine) == Disk.PathKind.DIRECTORY) {
            for (Path entry : disk.list(quarantine).stream().sorted().toList()) {
                if (disk.kindOf(entry) == Disk.PathKind.DIRECTORY) {
                    manifestOf(entry)
                            .ifPresent(there -> found.add(
                                    new QuarantinedFiles(entry.getFileName().toString(), there)));
                }
            }
        }
        return found;
    }

    /** The directory of the files of an entry. */
    Path filesOf(String name) {
        return quarantine.resolve(checkedName(name)).resolve(FILES);
    }

    private static String checkedName(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new ToolException(
                    ExitStatus.USAGE,
                    "'" + Escaped.of(name) + "' is not the name of quarantined files; 'quarantine list' has them");
        }
        return name;
    }
}
