package io.tallystick.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/** Reads and replaces whole small files. A crash leaves the old content or the new one. */
public final class SmallFile {
    private SmallFile() {}

    /** The content of the file, if it has at most this many bytes; empty where there is no file. */
    public static Optional<byte[]> read(Disk disk, Path path, int maxBytes) throws IOException {
        try (DiskFile file = disk.open(path, OpenMode.READ)) {
            if (file.size() > maxBytes) {
                throw new IOException(
                        "file=" + path + " has " + file.size() + " bytes, more than the " + maxBytes + " it may have");
            }
            ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
            file.readFully(bytes, 0);
            return Optional.of(bytes.array());
        } catch (NoSuchFileException none) {
            return Optional.empty();
        }
    }

    /** Whether the file has at least these bytes, and begins with them. */
    static boolean beginsWith(Disk disk, Path path, ByteBuffer beginning) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(beginning.remaining());
        try (DiskFile file = disk.open(path, OpenMode.READ)) {
            while (bytes.hasRemaining() && file.read(bytes, bytes.position()) > 0) {
                // until all are there, or the file ends
            }
        }
        return bytes.flip().equals(beginning);
    }

    /**
     * Makes the file or replaces its content; on disk when the call returns. A call that was cut off may leave a file
     * with this name and {@code .tmp}.
     */
    public static void replace(Disk disk, Path target, byte[] content) throws IOException {
        Path temporary = written(disk, target, content, true);
        disk.rename(temporary, target);
        disk.forceDirectory(Objects.requireNonNull(target.getParent(), () -> "file=" + target + " has no directory"));
    }

    /**
     * Makes the file or replaces its content, without a force. Processes see the old content or the new one. After a
     * crash of the machine the file may also be missing, or hold anything. So it is for notes that decide nothing.
     */
    static void note(Disk disk, Path target, byte[] content) throws IOException {
        disk.rename(written(disk, target, content, false), target);
    }

    private static Path written(Disk disk, Path target, byte[] content, boolean isForced) throws IOException {
        Path temporary = target.resolveSibling(target.getFileName() + StoreIdentity.TEMPORARY_SUFFIX);
        try {
            disk.delete(temporary);
        } catch (NoSuchFileException usual) {
            // nothing was left over by a crash
        }
        try (DiskFile file = disk.open(temporary, OpenMode.CREATE_NEW)) {
            file.writeFully(ByteBuffer.wrap(content), 0);
            if (isForced) {
                file.force();
            }
        }
        return temporary;
    }
}
