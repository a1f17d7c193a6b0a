package io.tallystick.narayana.logs;

import io.tallystick.storage.Disk;
import io.tallystick.storage.StoreIdentity;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Finds what Narayana's own stores have left in a directory: the tree of its file stores, the files of its journal,
 * and its slots. Only reads. Directories of Tallystick's stores are left out, unless they are named as a place of
 * Narayana's. So is everything that no store of Narayana makes: a directory is entered only under the names that they
 * give. Memory is needed for one state at a time, except for a journal, and for marks.
 */
public final class OldLogs {
    // The file of PmemSlots.
    private static final Pattern SLOTS_OF_UNKNOWN_FORM = Pattern.compile("slotstore\\.pmem");

    private final Disk disk;
    private final Optional<String> store;
    // By the directory, so that two places that share one count it once.
    private final Map<Path, OldLog> found = new LinkedHashMap<>();

    private OldLogs(Disk disk, Optional<String> store) {
        this.disk = disk;
        this.store = store;
    }

    /**
     * The logs with transactions, or with something that cannot be read, in these places.
     *
     * @param places directories such as Narayana's {@code objectStoreDir}; those that do not exist hold nothing
     * @param store the identity of our store, whose mark tells what it has taken along; empty if it has none yet
     */
    public static List<OldLog> in(Disk disk, Collection<Path> places, Optional<String> store) {
        OldLogs logs = new OldLogs(disk, store);
        places.forEach(logs::lookInto);
        return List.copyOf(logs.found.values());
    }

    private void lookInto(Path place) {
        Path absolute = place.toAbsolutePath().normalize();
        try {
            if (disk.kindOf(absolute) == Disk.PathKind.MISSING) {
                return;
            }
            Path real = disk.realPath(absolute);
            if (disk.kindOf(real) != Disk.PathKind.DIRECTORY) {
                return;
            }
            lookAt(real);
            for (Path below : directoriesIn(real)) {
                if (FileTreeSource.isStoreClass(below)) {
                    for (Path root : directoriesIn(below)) {
                        addRoots(disk.realPath(root));
                    }
                } else if (FileTreeSource.isDefaultRoot(below)) {
                    addRoots(disk.realPath(below));
                } else if (FileTreeSource.isOtherStoreClass(below)) {
                    addOther(below);
                } else if (!isOurs(below)) {
                    lookAt(disk.realPath(below));
                }
            }
            if (isTree(real)) {
                addTree(real);
            }
        } catch (IOException unreadable) {
            addUnreadable("directory=" + absolute, absolute, unreadable.toString());
        }
    }

    private void lookAt(Path directory) throws IOException {
        if (JournalScan.isIn(disk, directory)) {
            add(new JournalScan(disk, directory), directory);
        }
        if (SlotSource.isIn(disk, directory)) {
            add(new SlotSource(disk, directory), directory);
        }
        if (SourceFile.isIn(disk, directory, SLOTS_OF_UNKNOWN_FORM)) {
            addUnknown(directory, "slots in persistent memory");
        }
    }

    /**
     * The name of a root may have slashes, so that roots lie below this directory. A directory without any is read
     * itself, for what may be damaged in it.
     */
    private void addRoots(Path directory) throws IOException {
        if (!addRootsBelow(directory, new HashSet<>()) || isTree(directory)) {
            addTree(directory);
        }
    }

    private boolean addRootsBelow(Path directory, Set<Path> seen) throws IOException {
        boolean isFound = false;
        for (Path below : directoriesIn(directory)) {
            Path real = disk.realPath(below);
            boolean isOfRecords =
                    NarayanaRecords.roots().contains(below.getFileName().toString());
            if (!isOfRecords && seen.add(real)) { // two links may lead to one root, or in a circle
                if (isTree(real)) {
                    addTree(real);
                    isFound = true;
                }
                isFound |= addRootsBelow(real, seen);
            }
        }
        return isFound;
    }

    private void addTree(Path root) {
        add(new FileTreeSource(disk, root), root);
    }

    private void addOther(Path directory) throws IOException {
        if (FileTreeSource.hasStates(disk, directory)) {
            addUnknown(directory, "a " + directory.getFileName());
        }
    }

    private void addUnknown(Path directory, String kind) {
        Optional<String> why = Optional.of("Tallystick does not know the form of " + kind);
        found.putIfAbsent(directory, new OldLog("directory=" + directory, directory, 0, why, Optional.empty(), false));
    }

    private void add(LogSource source, Path directory) {
        try {
            Optional<MigrationMark> mark = MigrationMark.in(disk, directory);
            Optional<MigrationMark> ours = mark.filter(each -> each.isOf(store));
            Optional<String> takenTo = mark.filter(each -> !each.isOf(store)).map(MigrationMark::to);
            int[] transactions = {0};
            Findings findings = Findings.ofDamages();
            source.read(
                    state -> {
                        boolean isTakenAlong = ours.isPresent() && ours.get().has(state);
                        if (NarayanaRecords.isWork(state.key().type()) && !isTakenAlong) {
                            transactions[0]++;
                        }
                    },
                    findings);
            Optional<String> unreadable = firstDamage(findings, ours, directory);
            if (transactions[0] > 0 || unreadable.isPresent()) {
                found.putIfAbsent(
                        directory,
                        new OldLog(source.description(), directory, transactions[0], unreadable, takenTo, true));
            }
        } catch (IOException | SourceException unreadable) {
            addUnreadable(source.description(), directory, unreadable.toString());
        }
    }

    // What was damaged when the log was migrated has been looked at by a person.
    private Optional<String> firstDamage(Findings findings, Optional<MigrationMark> mark, Path directory)
            throws IOException {
        for (Findings.Finding damage : findings.damages()) {
            if (mark.isEmpty() || !mark.get().has(disk, directory, damage)) {
                return Optional.of(damage.place() + ": " + damage.text());
            }
        }
        return Optional.empty();
    }

    private void addUnreadable(String description, Path directory, String why) {
        found.putIfAbsent(directory, new OldLog(description, directory, 0, Optional.of(why), Optional.empty(), true));
    }

    private boolean isTree(Path directory) throws IOException {
        return directoriesIn(directory).stream().anyMatch(each -> NarayanaRecords.roots()
                .contains(each.getFileName().toString()));
    }

    private boolean isOurs(Path directory) throws IOException {
        return disk.kindOf(directory.resolve(StoreIdentity.FILE_NAME)) != Disk.PathKind.MISSING;
    }

    private List<Path> directoriesIn(Path directory) throws IOException {
        return FileTreeSource.directoriesIn(disk, directory, this::isDirectory);
    }

    // Narayana follows links, so a link that leads nowhere may be the way to a volume that is not mounted.
    private boolean isDirectory(Path path) throws IOException {
        Disk.PathKind kind = disk.kindOf(path);
        return kind == Disk.PathKind.DIRECTORY
                || kind == Disk.PathKind.LINK && disk.kindOf(disk.realPath(path)) == Disk.PathKind.DIRECTORY;
    }
}
