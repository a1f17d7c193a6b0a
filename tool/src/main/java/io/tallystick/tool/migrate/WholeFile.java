package io.tallystick.tool.migrate;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Files that are made, copied and deleted as wholes. */
final class WholeFile {
    private static final int COPY_BYTES = 1 << 20;

    private WholeFile() {}

    /** A new file with the same content. */
    static void copy(Disk disk, Path source, Path target) throws IOException {
        try (DiskFile from = disk.open(source, OpenMode.READ);
                DiskFile to = disk.open(target, OpenMode.CREATE_NEW)) {
            ByteBuffer buffer = ByteBuffer.allocate(COPY_BYTES);
            long at = 0;
            while (from.read(buffer, at) > 0) {
                int count = buffer.flip().remaining();
                to.writeFully(buffer, at);
                at += count;
                buffer.clear();
            }
        }
    }

    /** A new file with this content, on disk with its name when it returns. */
    static void create(Disk disk, Path path, byte[] content) throws IOException {
        try (DiskFile file = disk.open(path, OpenMode.CREATE_NEW)) {
            file.writeFully(ByteBuffer.wrap(content), 0);
            file.force();
        }
        disk.forceDirectory(path.getParent());
    }

    /** Deletes a file, or a directory with all that is in it; links are deleted, not followed. */
    static void deleteAll(Disk disk, Path path) throws IOException {
        Disk.PathKind kind = disk.kindOf(path);
        if (kind == Disk.PathKind.MISSING) {
            return;
        }
        if (kind == Disk.PathKind.DIRECTORY) {
            for (Path below : disk.list(path)) {
                deleteAll(disk, below);
            }
        }
        disk.delete(path);
    }
}
