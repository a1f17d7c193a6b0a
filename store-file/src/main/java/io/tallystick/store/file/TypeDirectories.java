package io.tallystick.store.file;

import io.tallystick.storage.Disk;
import io.tallystick.storage.GuardedBy;
import io.tallystick.storage.Shortage;
import io.tallystick.store.StoreIoException;
import io.tallystick.store.file.format.FileNames;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The types of a store, and the making of their directories. Directories are never deleted. */
final class TypeDirectories {
    private final Disk disk;
    private final DirectoryForces forces;
    private final FailStop failStop;
    private final Path root;
    private final OpenFiles openFiles;
    private final AtomicLong spareNumbers = new AtomicLong();
    private final ConcurrentHashMap<String, TypeDirectory> types = new ConcurrentHashMap<>();

    // Held while directories are made.
    private final ReentrantLock making = new ReentrantLock();
    // Directories whose names are on disk, below the root.
    @GuardedBy("making") private final Set<Path> durable = new HashSet<>();

    /** No types yet, below {@code root}, which exists. */
    TypeDirectories(Disk disk, DirectoryForces forces, FailStop failStop, Path root, OpenFiles openFiles) {
        this.disk = disk;
        this.forces = forces;
        this.failStop = failStop;
        this.root = root;
        this.openFiles = openFiles;
    }

    /** The type, or null if the store has not met it. */
    @Nullable TypeDirectory find(String type) {
        return types.get(type);
    }

    /** All types that the store has met, with or without keys. */
    Collection<TypeDirectory> all() {
        return types.values();
    }

    /** Takes note of a directory that is there and on disk. At the opening, by its only thread. */
    @SuppressWarnings("GuardedBy") // the store has no other thread yet
    void recovered(Path directory) {
        durable.add(directory);
    }

    /** The type, a state of which was found in this directory, if that is its place; else in its place. */
    TypeDirectory recovered(String type, Path found) {
        return types.computeIfAbsent(
                type,
                name -> found.equals(pathOf(FileNames.earlyDirectoriesOf(name)))
                        ? in(found, name)
                        : withoutDirectory(name));
    }

    private Path pathOf(List<String> directories) {
        Path path = root;
        for (String name : directories) {
            path = path.resolve(name);
        }
        return path;
    }

    /**
     * The type; its directory is made if it is not there, and on disk when the call returns.
     *
     * @throws io.tallystick.store.StoreFullException there is no room for it
     * @throws StoreIoException it cannot be made
     * @throws io.tallystick.store.OutcomeUnknownException the disk failed, and so has the store
     */
    TypeDirectory obtain(String type) {
        TypeDirectory known = types.get(type);
        if (known != null) {
            return known;
        }
        making.lock();
        try {
            Path path = root;
            for (String name : FileNames.directoriesOf(type)) {
                Path parent = path;
                path = parent.resolve(name);
                if (!durable.contains(path)) {
                    make(path);
                    forceNames(parent);
                    durable.add(path);
                }
            }
            return types.computeIfAbsent(type, this::withoutDirectory);
        } finally {
            making.unlock();
        }
    }

    private TypeDirectory withoutDirectory(String type) {
        return in(pathOf(FileNames.directoriesOf(type)), type);
    }

    private TypeDirectory in(Path path, String type) {
        return new TypeDirectory(type, path, new SpareFiles(path, spareNumbers, openFiles));
    }

    private void make(Path path) {
        try {
            disk.createDirectory(path);
        } catch (FileAlreadyExistsException made) { // by an attempt whose force has failed
            checkKind(path);
        } catch (IOException refused) {
            if (Shortage.isShortageOfRoom(refused)) {
                throw FullDisk.refusal(path, refused);
            }
            throw unmakeable(path, refused);
        }
    }

    private void checkKind(Path path) {
        try {
            if (disk.kindOf(path) != Disk.PathKind.DIRECTORY) {
                throw unmakeable(path, new IOException("something else is there"));
            }
        } catch (IOException unreadable) {
            throw unmakeable(path, unreadable);
        }
    }

    private void forceNames(Path directory) {
        try {
            forces.force(directory);
        } catch (IOException failed) {
            failStop.fail("directory=" + directory + " could not be forced", failed);
            throw failStop.unknown();
        }
    }

    private static StoreIoException unmakeable(Path path, IOException cause) {
        return new StoreIoException(
                "directory=" + path + " cannot be made (" + cause
                        + "), so nothing was written; check the permissions of its parent",
                cause);
    }
}
