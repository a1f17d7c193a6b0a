package io.tallystick.narayana.logs;

import io.tallystick.storage.Disk;
import io.tallystick.storage.StoreIdentity;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds what Narayana's own stores have left in a directory: the tree of its file stores, the files of its journal,
 * and its slots. Only reads. Directories of Tallystick's stores are left out, and so is everything that no store of
 * Narayana makes: a directory is entered only under the names that they give.
 */
public final class OldLogs {
    private final Disk disk;
    // By the directory, so that two places that share one count it once.
    private final Map<Path, OldLog> found = new LinkedHashMap<>();

    private OldLogs(Disk disk) {
        this.disk = disk;
    }

    /**
     * The logs with transactions, or with something that cannot be read, in these places.
     *
     * @param places directories such as Narayana's {@code objectStoreDir}; those that do not exist hold nothing
     */
    public static List<OldLog> in(Disk disk, Collection<Path> places) {
        OldLogs logs = new OldLogs(disk);
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
            if (disk.kindOf(real) != Disk.PathKind.DIRECTORY || isOurs(real)) {
                return;
            }
            lookAt(real);
            for (Path below : directoriesIn(real)) {
                if (FileTreeSource.isStoreClass(below)) {
                    for (Path root : directoriesIn(below)) {
                        addTree(root);
                    }
                } else if (FileTreeSource.isDefaultRoot(below)) {
                    addTree(below);
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
    }

    // Two links may lead to one root.
    private void addTree(Path root) throws IOException {
        Path real = disk.realPath(root);
        add(new FileTreeSource(disk, real), real);
    }

    private void addOther(Path directory) throws IOException {
        if (FileTreeSource.hasStates(disk, directory)) {
            addUnreadable(
                    "directory=" + directory,
                    directory,
                    "Tallystick does not know the form of a " + directory.getFileName());
        }
    }

    private void add(LogSource source, Path directory) {
        try {
            Optional<MigrationMark> mark = MigrationMark.in(disk, directory);
            int[] transactions = {0};
            Findings findings = new Findings();
            source.read(
                    state -> {
                        boolean isTakenAlong = mark.isPresent() && mark.get().has(state);
                        if (NarayanaRecords.isWork(state.key().type()) && !isTakenAlong) {
                            transactions[0]++;
                        }
                    },
                    findings);
            Optional<String> unreadable = firstDamage(findings, mark, directory);
            if (transactions[0] > 0 || unreadable.isPresent()) {
                found.putIfAbsent(directory, new OldLog(source.description(), directory, transactions[0], unreadable));
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
        found.putIfAbsent(directory, new OldLog(description, directory, 0, Optional.of(why)));
    }

    private boolean isTree(Path directory) throws IOException {
        return directoriesIn(directory).stream().anyMatch(each -> NarayanaRecords.roots()
                .contains(each.getFileName().toString()));
    }

    private boolean isOurs(Path directory) throws IOException {
        return disk.kindOf(directory.resolve(StoreIdentity.FILE_NAME)) != Disk.PathKind.MISSING;
    }

    private List<Path> directoriesIn(Path directory) throws IOException {
        List<Path> directories = new ArrayList<>();
        for (Path path : FileTreeSource.entriesIn(disk, directory)) {
            if (isDirectory(path)) {
                directories.add(path);
            }
        }
        return directories;
    }

    // Narayana follows links, so a link that leads nowhere may be the way to a volume that is not mounted.
    private boolean isDirectory(Path path) throws IOException {
        Disk.PathKind kind = disk.kindOf(path);
        return kind == Disk.PathKind.DIRECTORY
                || kind == Disk.PathKind.LINK && disk.kindOf(disk.realPath(path)) == Disk.PathKind.DIRECTORY;
    }
}
