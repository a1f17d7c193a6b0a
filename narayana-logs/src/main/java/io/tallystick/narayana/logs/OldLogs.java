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
                    directoriesIn(below).forEach(this::addTree);
                } else if (FileTreeSource.isDefaultRoot(below)) {
                    addTree(below);
                } else if (!isOurs(below)) {
                    lookAt(below);
                }
            }
            if (isTree(real)) {
                addTree(real);
            }
        } catch (IOException unreadable) {
            addUnreadable("directory=" + absolute, absolute, unreadable);
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

    private void addTree(Path root) {
        add(new FileTreeSource(disk, root), root);
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
            // What was damaged when the log was migrated has been looked at by a person.
            Optional<String> unreadable = mark.isPresent()
                    ? Optional.empty()
                    : findings.damages().stream().findFirst().map(first -> first.place() + ": " + first.text());
            if (transactions[0] > 0 || unreadable.isPresent()) {
                found.putIfAbsent(directory, new OldLog(source.description(), directory, transactions[0], unreadable));
            }
        } catch (IOException | SourceException unreadable) {
            addUnreadable(source.description(), directory, unreadable);
        }
    }

    private void addUnreadable(String description, Path directory, Exception why) {
        found.putIfAbsent(directory, new OldLog(description, directory, 0, Optional.of(why.toString())));
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
        for (Path path : disk.list(directory)) {
            if (disk.kindOf(path) == Disk.PathKind.DIRECTORY) {
                directories.add(path);
            }
        }
        directories.sort(null);
        return directories;
    }
}
