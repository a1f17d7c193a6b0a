package io.tallystick.tool.command;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Whole directory trees. Links are not followed. */
public final class DirectoryTrees {
    private static final int CHUNK_BYTES = 1024 * 1024;

    private DirectoryTrees() {}

    /** The regular files below the directory, sorted; empty where there is no such directory. */
    public static List<Path> files(Disk disk, Path directory) throws IOException {
        List<Path> found = new ArrayList<>();
        if (disk.kindOf(directory) == Disk.PathKind.DIRECTORY) {
            for (Path path : disk.list(directory).stream().sorted().toList()) {
                switch (disk.kindOf(path)) {
                    case DIRECTORY -> found.addAll(files(disk, path));
                    case FILE -> found.add(path);
                    default -> {
                        // not a file of a store
                    }
                }
            }
        }
        return found;
    }

    /** Makes the directory and those above it that are missing, each on disk when the call returns. */
    public static void make(Disk disk, Path directory) throws IOException {
        if (disk.kindOf(directory) == Disk.PathKind.MISSING) {
            make(disk, directory.getParent());
            disk.createDirectory(directory);
            disk.forceDirectory(directory.getParent());
        }
    }

    /** Deletes a file or a directory with its content, if it exists; links are deleted, not followed. */
    public static void delete(Disk disk, Path path) throws IOException {
        switch (disk.kindOf(path)) {
            case MISSING -> {
                return;
            }
            case DIRECTORY -> {
                for (Path below : disk.list(path)) {
                    delete(disk, below);
                }
            }
            default -> {
                // deleted below
            }
        }
        disk.delete(path);
    }

    /** Copies a file into a directory that exists; its content is on disk when the call returns, its name is not. */
    public static void copy(Disk disk, Path source, Path target) throws IOException {
        try (DiskFile from = disk.open(source, OpenMode.READ);
                DiskFile to = disk.open(target, OpenMode.CREATE_NEW)) {
            long size = from.size();
            ByteBuffer chunk = ByteBuffer.allocate((int) Math.min(CHUNK_BYTES, Math.max(size, 1)));
            for (long at = 0; at < size; at += chunk.limit()) {
                chunk.clear().limit((int) Math.min(chunk.capacity(), size - at));
                from.readFully(chunk, at);
                to.writeFully(chunk.flip(), at);
            }
            to.force();
        }
    }

    /** Forces every directory of the tree. */
    public static void forceAll(Disk disk, Path directory) throws IOException {
        for (Path path : disk.list(directory)) {
            if (disk.kindOf(path) == Disk.PathKind.DIRECTORY) {
                forceAll(disk, path);
            }
        }
        disk.forceDirectory(directory);
    }
}
