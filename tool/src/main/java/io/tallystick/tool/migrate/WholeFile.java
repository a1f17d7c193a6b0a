package io.tallystick.tool.migrate;

import io.tallystick.storage.Disk;
import io.tallystick.storage.DiskFile;
import io.tallystick.storage.OpenMode;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.ToolException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Files that are read and copied as wholes. */
final class WholeFile {
    private static final int COPY_BYTES = 1 << 20;

    private WholeFile() {}

    static byte[] read(Disk disk, Path path) throws IOException {
        try (DiskFile file = disk.open(path, OpenMode.READ)) {
            long size = file.size();
            if (size > Integer.MAX_VALUE - 16) {
                throw new ToolException(
                        ExitStatus.FAILED,
                        "file=" + path + " has " + size + " bytes, more than a state can have; move it out of the store"
                                + " if it is not a state");
            }
            ByteBuffer bytes = ByteBuffer.allocate((int) size);
            file.readFully(bytes, 0);
            return bytes.array();
        } catch (NoSuchFileException | EOFException gone) {
            throw changed(path);
        }
    }

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

    static ToolException changed(Path path) {
        return new ToolException(
                ExitStatus.IN_USE,
                "file=" + path + " was changed while it was read, so a process is still writing there; stop the"
                        + " transaction manager and run this again");
    }
}
