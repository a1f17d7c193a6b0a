package io.tallystick.store.file;

import io.tallystick.storage.Disk;
import io.tallystick.store.file.format.FileNames;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;

/** Walks over all files below the directory of the states, and sorts them by name and kind. */
final class StatesTree {
    private final Disk disk;
    private final Path root;

    /** Gets the files, each directory before its content. */
    interface Visitor {
        /** The root, or a directory that a store makes. */
        void directory(Path path) throws IOException;

        /** A file with the name of a state file. */
        void state(Path path) throws IOException;

        /** A file with the name of a spare file. */
        void spare(Path path) throws IOException;

        /** A file that no store makes; {@code what} says why, for example {@code "is a symbolic link"}. */
        void stranger(Path path, String what) throws IOException;
    }

    StatesTree(Disk disk, Path root) {
        this.disk = disk;
        this.root = root;
    }

    void walk(Visitor visitor) throws IOException {
        Deque<Path> pending = new ArrayDeque<>();
        pending.push(root);
        while (!pending.isEmpty()) {
            Path directory = pending.pop();
            visitor.directory(directory);
            for (Path path : disk.list(directory)) {
                String name = path.getFileName().toString();
                switch (disk.kindOf(path)) {
                    case DIRECTORY -> {
                        if (FileNames.isDirectory(name)) {
                            pending.push(path);
                        } else {
                            visitor.stranger(path, "is not the name of a directory that a store makes");
                        }
                    }
                    case FILE -> visitFile(visitor, path, name);
                    case LINK -> visitor.stranger(path, "is a symbolic link or a junction");
                    default -> visitor.stranger(path, "is neither a file nor a directory");
                }
            }
        }
    }

    private static void visitFile(Visitor visitor, Path path, String name) throws IOException {
        if (FileNames.idOf(name).isPresent()) {
            visitor.state(path);
        } else if (FileNames.isSpare(name)) {
            visitor.spare(path);
        } else {
            visitor.stranger(path, "is not the name of a file that a store makes");
        }
    }
}
