package io.tallystick.tool.command;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.DiskLock;
import io.tallystick.storage.ForwardingDisk;
import io.tallystick.storage.OpenMode;
import io.tallystick.storage.PathIdentity;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A disk for work below a directory: before each operation it checks every directory on the way to the path. It goes
 * on only if each is a real directory to which the {@link Rule} has no objection. It does not check paths outside of
 * the directory.
 *
 * <p>{@link WriteAccess} refuses directories to which others can write. So between the check and the operation only the
 * owner of a directory on the way can put a link there. No other user can lead a command out of the directory.
 */
public final class GuardedDisk extends ForwardingDisk {
    private static final String UNTOUCHED = "nothing was changed";
    private static final String BEGUN = "then run the command again, which finishes what was begun";

    private final List<Path> roots;
    private final Rule rule;

    /** A further condition of directories, and the treatment of each new file. */
    public interface Rule {
        /** No further rule. */
        Rule NONE = new Rule() {
            @Override
            public Optional<String> objection(Path directory) {
                return Optional.empty();
            }

            @Override
            public void made(Path path) {
                // stays as it was made
            }
        };

        /** The reason why a command may not write to a real directory, and the remedy; empty if it may. */
        Optional<String> objection(Path directory) throws IOException;

        /** Called for each file and directory that was made, before anything is in it. */
        void made(Path path) throws IOException;
    }

    /**
     * @param roots the directory, by each path that commands know it by
     */
    public GuardedDisk(Disk disk, List<Path> roots, Rule rule) {
        super(disk);
        this.roots = List.copyOf(roots);
        this.rule = rule;
    }

    @Override
    public DiskFile open(Path file, OpenMode mode) throws IOException {
        checkWayTo(file);
        DiskFile opened = disk.open(file, mode);
        if (mode == OpenMode.CREATE_NEW) {
            try {
                rule.made(file);
            } catch (IOException | RuntimeException refused) {
                opened.close();
                throw refused;
            }
        }
        return opened;
    }

    @Override
    public PathKind kindOf(Path path) throws IOException {
        checkWayTo(path);
        return disk.kindOf(path);
    }

    @Override
    public Optional<PathIdentity> identityOf(Path path) throws IOException {
        checkWayTo(path);
        return disk.identityOf(path);
    }

    @Override
    public long size(Path file) throws IOException {
        checkWayTo(file);
        return disk.size(file);
    }

    @Override
    public void createDirectory(Path directory) throws IOException {
        checkWayTo(directory);
        disk.createDirectory(directory);
        rule.made(directory);
    }

    @Override
    public void rename(Path source, Path target) throws IOException {
        checkWayTo(source);
        checkWayTo(target);
        disk.rename(source, target);
    }

    @Override
    public void renameToNew(Path source, Path target) throws IOException {
        checkWayTo(source);
        checkWayTo(target);
        disk.renameToNew(source, target);
    }

    @Override
    public void delete(Path path) throws IOException {
        checkWayTo(path);
        disk.delete(path);
    }

    @Override
    public List<Path> list(Path directory) throws IOException {
        checkWay(directory);
        return disk.list(directory);
    }

    @Override
    public void forEach(Path directory, PathVisitor visitor) throws IOException {
        checkWay(directory);
        disk.forEach(directory, visitor);
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        checkWay(directory);
        disk.forceDirectory(directory);
    }

    @Override
    public Optional<DiskLock> tryLock(Path file) throws IOException {
        boolean isNew = kindOf(file) == PathKind.MISSING;
        Optional<DiskLock> lock = disk.tryLock(file);
        if (lock.isPresent() && isNew) {
            try {
                rule.made(file);
            } catch (IOException | RuntimeException refused) {
                lock.get().close();
                throw refused;
            }
        }
        return lock;
    }

    @Override
    public boolean isLocked(Path file) throws IOException {
        checkWayTo(file);
        return disk.isLocked(file);
    }

    /**
     * Checks everything in the directory, so that a refusal comes before the first change.
     *
     * @throws ToolException there is a link, or a directory that breaks the rule
     */
    void checkTree(Path directory) throws IOException {
        if (isDirectory(directory, UNTOUCHED)) {
            for (Path path : disk.list(directory)) {
                checkTree(path);
            }
        }
    }

    private void checkWayTo(Path path) throws IOException {
        if (path.getParent() != null) {
            checkWay(path.getParent());
        }
    }

    private void checkWay(Path directory) throws IOException {
        for (Path root : roots) {
            if (directory.startsWith(root)) {
                boolean isThere = isDirectory(root, BEGUN);
                Path at = root;
                for (int i = root.getNameCount(); isThere && i < directory.getNameCount(); i++) {
                    at = at.resolve(directory.getName(i));
                    isThere = isDirectory(at, BEGUN);
                }
                return;
            }
        }
    }

    /** Whether there is a directory to go on through: a path below a file, or below nothing, leads nowhere. */
    private boolean isDirectory(Path path, String state) throws IOException {
        PathKind kind = disk.kindOf(path);
        if (kind == PathKind.LINK) {
            throw new ToolException(
                    ExitStatus.REFUSED,
                    "file=" + path
                            + " is a symbolic link or a junction, and links in a store's directory are not followed;"
                            + " find out what made it and remove it; " + state);
        }
        if (kind != PathKind.DIRECTORY) {
            return false;
        }
        Optional<String> objection = rule.objection(path);
        if (objection.isPresent()) {
            throw new ToolException(ExitStatus.REFUSED, "file=" + path + objection.get() + "; " + state);
        }
        return true;
    }
}
