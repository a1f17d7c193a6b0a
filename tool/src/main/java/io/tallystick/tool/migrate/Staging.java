package io.tallystick.tool.migrate;

import io.tallystick.narayana.logs.SourceFile;
import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskLock;
import io.tallystick.storage.StoreDirectory;
import io.tallystick.storage.StoreIdentity;
import io.tallystick.storage.StorePlace;
import io.tallystick.tool.command.DirectoryTrees;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.MarkedLoss;
import io.tallystick.tool.command.ToolException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;

/**
 * The directory that becomes a store in one step.
 *
 * <p><b>How.</b> The store is made in {@code unfinished-migration/store} below it. As long as that directory exists and
 * the file {@code tallystick.store} does not, every kind of store refuses the directory: it is not empty, and it is not
 * a store. To publish, the files are moved up, {@code tallystick.store} last. With that file the directory is the
 * store. Then the rest of {@code unfinished-migration} is deleted; a store ignores it.
 *
 * <p><b>A crash.</b> Before the move of {@code tallystick.store}, the next run finds {@code unfinished-migration} and
 * no {@code tallystick.store}. It deletes the files of the earlier run and begins again. The list
 * {@code unfinished-migration/moving} names the earlier run's files beside it, and is on disk before the first of them
 * moves. The directory is refused if it has any other file. After that move, the next run finds a store, and compares
 * it with the source.
 *
 * <p>The lock of the store, {@code tallystick.lock}, is held meanwhile. A renamed directory beside the target would not
 * work on a mount point. With these moves the target is never missing or empty, so a transaction manager never begins
 * with a new store there.
 */
final class Staging implements AutoCloseable {
    /** The directory, below the target. */
    static final String NAME = "unfinished-migration";

    private static final String STORE = "store";
    private static final String MOVING = "moving";
    private static final String SCRATCH = "scratch";

    private final Disk disk;
    private final Path target;
    private final Path place;
    private DiskLock lock;
    private boolean hasRoom;
    // The directories that take() made, the innermost last, and the lock's file.
    private final List<Path> created = new ArrayList<>();

    private Staging(Disk disk, Path target) {
        this.disk = disk;
        this.target = target;
        this.place = target.resolve(NAME);
    }

    /**
     * Inspects the target, and changes nothing.
     *
     * @throws ToolException the target is not a directory, or holds files that are not a store and not of an earlier
     *     run
     */
    static Staging at(Disk disk, Path directory) throws IOException {
        Path absolute = directory.toAbsolutePath().normalize();
        Staging staging =
                switch (disk.kindOf(absolute)) {
                    case MISSING -> new Staging(disk, absolute);
                    case DIRECTORY -> new Staging(disk, disk.realPath(absolute));
                    default ->
                        throw new ToolException(
                                ExitStatus.USAGE,
                                "directory=" + absolute + " is not a directory; give a new or an empty one");
                };
        staging.checkIsFree();
        return staging;
    }

    /** The directory, links resolved if it exists. */
    Path target() {
        return target;
    }

    /** Whether the target holds a store already. */
    boolean isPublished() throws IOException {
        return exists(target.resolve(StoreIdentity.FILE_NAME));
    }

    /** Whether an earlier run was cut off. */
    boolean isUnfinished() throws IOException {
        return exists(place);
    }

    /**
     * Takes the target, which is created if it is missing. Another run may have published it before this one had the
     * lock.
     *
     * @throws ToolException another process has it
     */
    void take() throws IOException {
        createWithParents();
        Path lockFile = target.resolve(StoreDirectory.LOCK_FILE);
        boolean isNew = !exists(lockFile);
        lock = disk.tryLock(lockFile)
                .orElseThrow(() -> new ToolException(
                        ExitStatus.IN_USE,
                        "directory=" + target + " is in use, by a store or another migration; stop it and run this"
                                + " again"));
        if (isNew) {
            created.add(lockFile);
        }
    }

    /** After a failure: deletes the files of this run, as far as possible. The next run deletes the others. */
    void abandon() {
        try {
            discardLeftovers();
            for (int i = created.size() - 1; i >= 0; i--) {
                disk.delete(created.get(i));
                close(); // on Windows an open file keeps its name; from here on only empty directories are deleted
            }
        } catch (IOException stays) {
            // the caller already reports a failure
        }
    }

    /** Releases the target; a second call does nothing. */
    @Override
    public void close() throws IOException {
        if (lock != null) {
            lock.close();
        }
    }

    /**
     * Deletes the files of an earlier run, and makes the staging directory.
     *
     * @return the directory for the new store; it does not exist yet
     */
    Path begin() throws IOException {
        checkIsFree();
        discardLeftovers();
        disk.createDirectory(place);
        forceWayTo(place);
        hasRoom = true;
        return place.resolve(STORE);
    }

    /**
     * A directory for copies that does not exist yet. It may be used after {@link #begin}, and is deleted at the end.
     */
    Path scratch() {
        return place.resolve(SCRATCH);
    }

    /** Whether there is room for {@link #scratch}. */
    boolean hasScratch() {
        return hasRoom;
    }

    /** Makes the target the store, which is closed. */
    void publish() throws IOException {
        Path store = place.resolve(STORE);
        StorePlace.carryTo(disk, target, store);
        List<Path> files = new ArrayList<>();
        for (Path path : disk.list(store)) {
            String name = path.getFileName().toString();
            if (name.equals(StoreDirectory.LOCK_FILE) || name.equals(StoreDirectory.OWNER_FILE)) {
                disk.delete(path);
            } else if (!name.equals(StoreIdentity.FILE_NAME)) {
                files.add(path);
            }
        }
        files.sort(null);
        String names = String.join(
                "\n", files.stream().map(file -> file.getFileName().toString()).toList());
        WholeFile.create(disk, place.resolve(MOVING), (names + "\n").getBytes(StandardCharsets.UTF_8));
        for (Path file : files) {
            disk.rename(file, target.resolve(file.getFileName()));
        }
        disk.forceDirectory(target);
        disk.forceDirectory(store);
        disk.rename(store.resolve(StoreIdentity.FILE_NAME), target.resolve(StoreIdentity.FILE_NAME));
        disk.forceDirectory(target);
        sweep();
    }

    /** Deletes the staging directory beside a published store. */
    void sweep() throws IOException {
        if (exists(place)) {
            DirectoryTrees.delete(disk, place);
            disk.forceDirectory(target);
        }
    }

    private void checkIsFree() throws IOException {
        if (disk.kindOf(target) == Disk.PathKind.MISSING) {
            return;
        }
        MarkedLoss.checkNone("directory=" + target, MarkedLoss.in(disk, target));
        if (isPublished()) {
            return;
        }
        Set<String> moved = moved();
        for (Path path : disk.list(target)) {
            String name = path.getFileName().toString();
            boolean isOurs = name.equals(NAME) || moved.contains(name) || StoreDirectory.isOwnFile(path);
            if (!isOurs) {
                throw new ToolException(
                        ExitStatus.REFUSED,
                        "directory=" + target + " is not empty and holds no store, but for example " + name
                                + "; give a new or an empty directory");
            }
        }
    }

    /** The names that an earlier run was about to move. If the list was cut off, no file was moved. */
    private Set<String> moved() throws IOException {
        Path list = place.resolve(MOVING);
        if (!exists(list)) {
            return Set.of();
        }
        String names = new String(SourceFile.read(disk, list), StandardCharsets.UTF_8);
        return names.endsWith("\n") ? Set.of(names.strip().split("\n")) : Set.of();
    }

    private void discardLeftovers() throws IOException {
        if (!exists(place)) {
            return;
        }
        for (String name : moved()) {
            if (disk.list(target).contains(target.resolve(name))) {
                DirectoryTrees.delete(disk, target.resolve(name));
            }
        }
        // The list of the moves is deleted after the moved files.
        disk.forceDirectory(target);
        DirectoryTrees.delete(disk, place);
        disk.forceDirectory(target);
    }

    private void createWithParents() throws IOException {
        Deque<Path> missing = new ArrayDeque<>();
        for (Path at = target; at != null && !exists(at); at = at.getParent()) {
            missing.push(at);
        }
        for (Path path : missing) {
            try {
                disk.createDirectory(path);
                created.add(path);
            } catch (FileAlreadyExistsException madeMeanwhile) {
                // another process made it just now; the lock decides
            }
        }
    }

    private void forceWayTo(Path directory) throws IOException {
        for (Path at = directory.getParent(); at != null; at = at.getParent()) {
            try {
                disk.forceDirectory(at);
            } catch (AccessDeniedException notOurs) {
                // a directory that this user may not read was not made by this user's run
            }
        }
    }

    private boolean exists(Path path) throws IOException {
        return disk.kindOf(path) != Disk.PathKind.MISSING;
    }
}
