package io.tallystick.testkit.disk;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;

/** The visible names of a simulated disk, and the nodes that they lead to. The lock of the disk guards it. */
final class SimulatedNames {
    static final String NOT_A_DIRECTORY = "Not a directory";

    private static final int MAX_LINKS = 40;

    private final SimulatedNode.Directory root;
    private final Set<Path> denied = new HashSet<>();

    SimulatedNames(SimulatedNode.Directory root) {
        this.root = root;
    }

    /** The node at the end of a resolved path; null for none. */
    record Found(Path real, NameChange.Place place, SimulatedNode node) {}

    /** Denies every operation on this path and below it. */
    void deny(Path path) throws IOException {
        denied.add(existing(path, true).real);
    }

    void healReads() {
        healReads(root);
    }

    private static void healReads(SimulatedNode.Directory directory) {
        for (SimulatedNode node : directory.seen.values()) {
            if (node instanceof SimulatedNode.File file) {
                file.healReads();
            } else if (node instanceof SimulatedNode.Directory below) {
                healReads(below);
            }
        }
    }

    /** Checks that a rename may put one node in the place of the other. */
    static void checkMayReplace(Found from, Found to, Path target) throws IOException {
        boolean isDirectory = from.node instanceof SimulatedNode.Directory;
        if (isDirectory && to.real.startsWith(from.real) && !to.real.equals(from.real)) {
            throw new FileSystemException(target.toString(), null, "Invalid argument");
        }
        if (to.node != null && isDirectory != to.node instanceof SimulatedNode.Directory) {
            throw new FileSystemException(target.toString(), null, isDirectory ? NOT_A_DIRECTORY : "Is a directory");
        }
        if (to.node instanceof SimulatedNode.Directory directory
                && directory != from.node
                && !directory.seen.isEmpty()) {
            throw new DirectoryNotEmptyException(target.toString());
        }
    }

    SimulatedNode.File file(Path path) throws IOException {
        SimulatedNode node = existing(path, false).node;
        if (node instanceof SimulatedNode.File file) {
            return file;
        }
        throw new FileSystemException(
                path.toString(),
                null,
                node instanceof SimulatedNode.Link ? "Too many levels of symbolic links" : "Is a directory");
    }

    SimulatedNode.Directory directory(Path path) throws IOException {
        if (existing(path, true).node instanceof SimulatedNode.Directory directory) {
            return directory;
        }
        throw new NotDirectoryException(path.toString());
    }

    Found existing(Path path, boolean followLast) throws IOException {
        Found found = resolved(path, followLast);
        if (found.node == null) {
            throw new NoSuchFileException(path.toString());
        }
        return found;
    }

    Found free(Path path) throws IOException {
        Found found = resolved(path, false);
        if (found.node != null) {
            throw new FileAlreadyExistsException(path.toString());
        }
        return found;
    }

    Found resolved(Path path, boolean followLast) throws IOException {
        return resolved(path.toAbsolutePath(), followLast, MAX_LINKS);
    }

    private Found resolved(Path path, boolean followLast, int linksLeft) throws IOException {
        Path start = Objects.requireNonNull(path.getRoot());
        Found at = new Found(start, new NameChange.Place(root, ""), root);
        for (int i = 0; i < path.getNameCount(); i++) {
            boolean last = i == path.getNameCount() - 1;
            if (at.node == null) {
                throw new NoSuchFileException(path.toString());
            }
            if (!(at.node instanceof SimulatedNode.Directory directory)) {
                throw new FileSystemException(path.toString(), null, NOT_A_DIRECTORY);
            }
            String name = path.getName(i).toString();
            if (name.equals("..") && at.real.getParent() != null) {
                at = resolved(at.real.getParent(), true, linksLeft);
            } else if (!name.equals(".") && !name.equals("..")) {
                at = new Found(at.real.resolve(name), new NameChange.Place(directory, name), directory.seen.get(name));
            }
            if (denied.contains(at.real)) {
                throw new AccessDeniedException(path.toString());
            }
            if (at.node instanceof SimulatedNode.Link link && (!last || followLast)) {
                if (linksLeft == 0) {
                    throw new FileSystemException(path.toString(), null, "Too many levels of symbolic links");
                }
                at = resolved(at.real.resolveSibling(link.target), true, linksLeft - 1);
            }
        }
        return at;
    }

    /** Bytes of all files. */
    long usedBytes() {
        return usedBytes(root);
    }

    private static long usedBytes(SimulatedNode.Directory directory) {
        long bytes = 0;
        for (SimulatedNode node : directory.seen.values()) {
            if (node instanceof SimulatedNode.File file) {
                bytes += file.seen.size();
            } else if (node instanceof SimulatedNode.Directory below) {
                bytes += usedBytes(below);
            }
        }
        return bytes;
    }

    /** Number of all files, directories and links. */
    long usedFiles() {
        return usedFiles(root);
    }

    private static long usedFiles(SimulatedNode.Directory directory) {
        long files = 0;
        for (SimulatedNode node : directory.seen.values()) {
            files += 1 + (node instanceof SimulatedNode.Directory below ? usedFiles(below) : 0);
        }
        return files;
    }
}
